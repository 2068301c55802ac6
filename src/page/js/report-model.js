/* What all parts of a report ask: reportModel(data) gives the data of report.js with names, sums and places worked out.
 *   kinds: [{key, name, colour}] of slots; unpack(cost) => {by: slots by kind, slots, lost, causes}
 *   ended: runs that ended, base the first of them, run the one that is shown; show(name) changes it, onRun(f) calls f now and
 *       after every change. stat(run, name); share(slots) of all slots of the run shown. lineCost and sourceCost of a run:
 *       by line, or 'file:line', {executions, threads, own, calls}.
 *   places: by PC {pc, func, line, file, source, block}; pcsOf({line}, {file, source} or {block}) => [pc];
 *       placeName(place), sourceName(place), branchName(branch) for people; code(line): the PTX there, without blanks around. */
'use strict';
pieces.reportModel = data => {
    const over = (a, b) => (b ? a / b : null);
    const sum = list => list.reduce((a, b) => a + b, 0);
    const baseName = path => path.split('/').pop();
    const x = {data, over, sum, baseName};

    // ---- kinds of slots ----
    const colours = {active: 'c1', guarded: 'c11', absent: 'g2', exited: 'g3', parted: 'c2', empty: 'c5', memory: 'c4', dependency: 'c6',
                     barrier: 'c10', reconvergence: 'c5', fetch: 'c9', structure: 'c8', nobody: 'g1'};
    x.kinds = [...data.lanes, ...data.waits].map(k => ({...k, colour: colours[k.key]}));
    const caused = x.kinds.length; // the kinds after these are what a line causes
    x.unpack = cost => {
        const by = new Array(caused + 3).fill(0);
        for (let i = 0; i < cost.length; i += 2) by[cost[i]] = cost[i + 1];
        return {by, slots: sum(by.slice(0, caused)), lost: sum(by.slice(1, caused)), causes: sum(by.slice(caused))};
    };

    // ---- runs ----
    const statAt = new Map(data.stats.map((s, i) => [s.name, i]));
    x.stat = (run, name) => (statAt.has(name) ? (run.stats ? run.stats[statAt.get(name)] : null) : run.own ? run.own[name] : null);
    const costOf = ([executions, threads, own, calls]) => ({executions, threads, own: x.unpack(own), calls: calls ? x.unpack(calls) : null});
    x.ended = data.runs.filter(r => r.stats);
    for (const r of x.ended) {
        r.all = sum(r.slots);
        r.lineCost = new Map(r.ptx.map(([line, ...rest]) => [line, costOf(rest)]));
        r.sourceCost = new Map(r.source.map(([file, line, ...rest]) => [`${file}:${line}`, costOf(rest)]));
        for (const b of r.branches) b.cost = x.unpack(b.cost);
    }
    x.base = x.run = x.ended[0];
    x.share = v => over(v, x.run.all);
    x.speedup = r => over(x.stat(x.base, 'gpu.cycles'), x.stat(r, 'gpu.cycles'));
    const listeners = [];
    x.onRun = f => { listeners.push(f); f(); };
    x.show = name => {
        const wanted = x.ended.find(r => r.name === name);
        if (!wanted || wanted === x.run) return;
        x.run = wanted;
        for (const f of listeners) f();
    };

    // ---- places ----
    const ofLine = new Map(), ofSource = new Map(), ofBlock = new Map();
    const push = (map, key, pc) => {
        if (!map.has(key)) map.set(key, []);
        map.get(key).push(pc);
    };
    x.places = new Map();
    x.fileOf = new Map(data.code.files.map(f => [f.file, f]));
    for (const f of data.code.functions) {
        f.lines.forEach((line, i) => {
            const pc = f.entry + i, place = {pc, func: f, line, file: f.files[i], source: f.sources[i]};
            x.places.set(pc, place);
            push(ofLine, line, pc);
            if (place.source) push(ofSource, `${place.file}:${place.source}`, pc);
        });
        for (const b of f.blocks)
            for (let pc = b.first; pc < b.end; pc++) {
                push(ofBlock, b.block, pc);
                if (x.places.has(pc)) x.places.get(pc).block = b.block;
            }
    }
    x.pcsOf = what => {
        if (what.line !== undefined) return ofLine.get(what.line) || [];
        if (what.block !== undefined) return ofBlock.get(what.block) || [];
        return ofSource.get(`${what.file}:${what.source}`) || [];
    };
    const text = new Map();
    for (const piece of data.code.ptx)
        piece.text.split('\n').forEach((t, i) => text.set(piece.first + i, t.trim().replace(/;\s*(\/\/.*)?$/, '').replace(/\s+/g, ' ')));
    x.code = line => text.get(line) || '';
    x.sourceName = p => (p.source && x.fileOf.has(p.file) ? `${baseName(x.fileOf.get(p.file).name)}:${p.source}` : null);
    x.placeName = p => (p ? x.sourceName(p) || `PTX line ${p.line}` : 'elsewhere');
    x.branchName = b => x.placeName(b.source ? b : {line: b.line});
    return x;
};
