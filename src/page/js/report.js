/* heddle report: what control flow costs, and where. data (src/cli/report_*.c writes it): {version, title, command, subject, machine,
 * lanes and waits: [{key, name}], the kinds of slots; stats: [{name, unit, meaning}]; code: {ptx: pieces, files: [{file, name,
 * text: pieces or null}], functions: [{name, kernel, line, entry, structure, blocks: [{block, first, end, line, to, loop}], lines,
 * files, sources: by PC from entry}]}; runs: [{name, status, error, stats, own, mech, title, warp, storage, density, slots: by kind,
 * functions, branches, ptx: [[line, executions, lanes, cost, cost with calls]], source: [[file, line, ...the same]], kernels, launches,
 * series}]}. A cost is kind, slots, kind, slots ...: kinds are lanes, waits, then what the line causes: threads parted, exited, waits.
 * One thing can be selected: a line, a source line or a block; all views mark what belongs to it. */
'use strict';
heddlePages.report = (data, root) => {
    const {el, fmt, table, tiles, layout, select, choice, note, meter, heatmap, bars, lines, graph, warpSizes, codePane, lanesOverTime, address} = pieces;
    const over = (a, b) => (b ? a / b : null);
    const sum = list => list.reduce((a, b) => a + b, 0);
    const baseName = path => path.split('/').pop();

    // ---- kinds of slots ----
    const colours = {active: 'c1', guarded: 'c11', absent: 'g2', exited: 'g3', parted: 'c2', empty: 'c5', memory: 'c4', dependency: 'c6', barrier: 'c10',
                     reconvergence: 'c5', fetch: 'c9', structure: 'c8', nobody: 'g1'};
    const kinds = [...data.lanes, ...data.waits].map(k => ({...k, colour: colours[k.key]}));
    const caused = kinds.length;
    const unpack = cost => {
        const by = new Array(kinds.length + 3).fill(0);
        for (let i = 0; i < cost.length; i += 2) by[cost[i]] = cost[i + 1];
        return {by, slots: sum(by.slice(0, caused)), lost: sum(by.slice(1, caused)), causes: sum(by.slice(caused))};
    };

    // ---- runs ----
    const statAt = new Map(data.stats.map((s, i) => [s.name, i]));
    const stat = (run, name) => (run.stats ? run.stats[statAt.get(name)] : null);
    const ended = data.runs.filter(r => r.stats), base = ended[0];
    for (const r of ended) {
        r.all = sum(r.slots);
        r.lineCost = new Map(r.ptx.map(([line, executions, threads, own, calls]) => [line, {executions, threads, own: unpack(own), calls: calls ? unpack(calls) : null}]));
        r.sourceCost = new Map(r.source.map(([file, line, executions, threads, own, calls]) => [`${file}:${line}`, {executions, threads, own: unpack(own), calls: calls ? unpack(calls) : null}]));
        for (const b of r.branches) b.cost = unpack(b.cost);
    }
    let run = base;

    // ---- places ----
    const places = new Map(), pcsOfLine = new Map(), pcsOfSource = new Map(), pcsOfBlock = new Map(), fileOf = new Map(data.code.files.map(f => [f.file, f]));
    const push = (map, key, pc) => { if (!map.has(key)) map.set(key, []); map.get(key).push(pc); };
    for (const f of data.code.functions) {
        f.lines.forEach((line, i) => {
            const pc = f.entry + i, p = {pc, func: f, line, file: f.files[i], source: f.sources[i]};
            places.set(pc, p);
            push(pcsOfLine, line, pc);
            if (p.source) push(pcsOfSource, `${p.file}:${p.source}`, pc);
        });
        for (const b of f.blocks) for (let pc = b.first; pc < b.end; pc++) { push(pcsOfBlock, b.block, pc); if (places.has(pc)) places.get(pc).block = b.block; }
    }
    const sourceName = p => (p.source && fileOf.has(p.file) ? `${baseName(fileOf.get(p.file).name)}:${p.source}` : null);
    const placeName = p => (p ? sourceName(p) || `PTX line ${p.line}` : 'elsewhere');
    const ptxText = new Map();
    for (const piece of data.code.ptx) piece.text.split('\n').forEach((t, i) => ptxText.set(piece.first + i, t.trim().replace(/;\s*(\/\/.*)?$/, '').replace(/\s+/g, ' ')));
    const branchName = b => placeName(b.source ? b : {line: b.line});

    // ---- the head ----
    const s = data.subject;
    const about = [['machine', data.machine.text], ['command', el('code', {}, data.command)]];
    if (s.workload) about.unshift(['workload', `@${s.workload} (${s.origin}), ${s.size}: ${s.what}; ${fmt.int(s.checked)} values verified against the CPU`]);
    else about.unshift(['program', [el('code', {}, s.file), `, kernel ${s.kernel}, ${base.kernels[0].shape}`]]);
    const page = layout(root, {title: `What control flow costs in ${s.workload ? '@' + s.workload : s.kernel}`, about, version: data.version});
    const listeners = [];
    const onRun = f => { listeners.push(f); f(); };
    const which = ended.length > 1 ? choice({label: 'mechanism', options: ended.map(r => [r.name, r.name]), value: run.name,
                                             onChange: name => { showRun(name); address.write({mech: name}); }}) : null;
    function showRun(name) {
        const wanted = ended.find(r => r.name === name);
        if (!wanted || wanted === run) return;
        run = wanted;
        if (which) which.set(name);
        for (const f of listeners) f();
    }
    if (which) root.querySelector('nav').append(el('div', {class: 'nav-tools'}, which.node));
    const bad = data.runs.filter(r => ['failed', 'wrong', 'differs'].includes(r.status));
    if (bad.length)
        page.main.append(el('div', {class: 'bad', role: 'alert'}, bad.map(r => el('p', {}, r.status === 'differs'
            ? `${r.name} left other memory than ${data.runs[0].name}: the program may have a data race.` : `${r.name}: ${r.error}`))));

    // ---- summary ----
    const summary = el('div');
    const share = v => over(v, run.all);
    function words() {
        const lost = run.all - run.slots[0], worst = kinds.map((k, i) => ({...k, slots: run.slots[i]})).slice(1).sort((a, b) => b.slots - a.slots).filter(k => k.slots);
        const branch = run.branches.find(b => b.cost.causes > 0);
        const list = worst.slice(0, 3).filter(k => share(k.slots) >= 0.005).map(k => `${fmt.percent(share(k.slots))} ${k.name}`);
        return [el('p', {}, `Of all lane slots of the run, ${fmt.percent(share(run.slots[0]))} had a thread that ran. ${fmt.percent(share(lost))} were lost`, list.length ? `: ${list.join(', ')}.` : '.'),
                branch ? el('p', {}, 'The branch that costs most is at ', el('a', {href: '#source', on: {click: e => { e.preventDefault(); choose({line: branch.line}, true); }}}, branchName(branch)), ': ',
                            el('code', {}, ptxText.get(branch.line) || ''), `. Threads that part there leave ${fmt.percent(share(branch.cost.causes))} of all slots empty; it diverges in ${fmt.percent(over(branch.divergences, branch.executions))} of its ${fmt.int(branch.executions)} executions.`)
                       : el('p', {}, 'No branch of it diverged.')];
    }
    const slotBars = absolute => bars({
        title: absolute ? 'Lane slots, by what became of them' : 'Where all lane slots went', labels: ended.map(r => r.name), stacked: true, horizontal: true,
        height: 74 + 30 * ended.length, max: absolute ? undefined : 1, axis: absolute ? 'lane slots' : 'share of all lane slots of the run',
        format: absolute ? fmt.short : v => fmt.percent(v, v && v < 0.1 ? 1 : 0),
        series: kinds.map((k, i) => ({label: k.name, colour: k.colour, values: ended.map(r => (absolute ? r.slots[i] : over(r.slots[i], r.all)))})).filter(x => x.values.some(v => v > 0))});
    page.section('summary', 'Summary', summary, slotBars(false).node,
                 note('All slots are cycles of schedulers that have a block, times the lanes of one. Lanes of an issue are active, or idle because their thread has parted from those that run, has exited, is guarded or is not there; a cycle without an issue loses all its lanes to what most threads wait for.'));
    onRun(() => summary.replaceChildren(tiles([
        {label: 'cycles', value: fmt.int(stat(run, 'gpu.cycles')), note: `${fmt.int(run.nlaunches)} launch${run.nlaunches === 1 ? '' : 'es'}`},
        {label: 'IPC', value: fmt.fixed(stat(run, 'gpu.ipc')), note: 'thread instructions a cycle', title: `${fmt.int(stat(run, 'sm.thread_insts'))} thread instructions`},
        {label: 'lane activity', value: fmt.percent(stat(run, 'sm.lane_activity')), note: 'of the lanes of issues'},
        {label: 'depth utilisation', value: fmt.percent(stat(run, 'sm.depth_utilisation')), note: 'of scheduler cycles issue'},
        {label: 'slots lost', value: fmt.percent(share(run.all - run.slots[0])), note: 'to all causes'},
        {label: 'lost by divergence', value: fmt.percent(share(sum(run.branches.map(b => b.cost.causes)))), note: 'threads that parted'},
        ended.length > 1 ? {label: `speed-up over ${base.name}`, value: fmt.times(stat(base, 'gpu.cycles') / stat(run, 'gpu.cycles')), note: run.title}
            : {label: 'mechanism', value: run.name, note: run.title},
    ]), ...words()));

    // ---- source and PTX ----
    const heats = {lost: ['lost', c => c.lost], causes: ['caused', c => c.causes], slots: ['all slots', c => c.slots]};
    let heatBy = 'lost';
    const columns = [{label: 'lost', title: 'share of all slots that this line loses while it issues or is waited for'},
                     {label: 'causes', title: 'share of all slots lost anywhere because threads part at this line'}];
    const costOf = c => c.calls || c.own;
    const some = v => (share(v) >= 0.0005 ? fmt.percent(share(v)) : v ? '·' : '');
    function describe(cost) {
        const c = costOf(cost), parts = kinds.map((k, i) => [k.name, c.by[i]]).filter(([, v]) => v).sort((a, b) => b[1] - a[1]);
        return `${fmt.int(cost.executions)} issues of ${fmt.fixed(over(cost.threads, cost.executions), 1)} threads. ` +
               `Slots: ${parts.map(([n, v]) => `${n} ${fmt.percent(share(v), 2)}`).join(', ') || 'none'}.` +
               (c.causes ? ` Threads that part here cost ${fmt.percent(share(c.causes), 2)} of all slots.` : '') + (cost.calls ? ' Calls included.' : '');
    }
    function painter(costs, of) {
        const value = heats[heatBy][1];
        let most = 0, widest = 0;
        for (const c of costs.values()) { most = Math.max(most, value(costOf(c))); widest = Math.max(widest, costOf(c).slots); }
        return key => {
            const cost = costs.get(of(key));
            if (!cost) return null;
            const c = costOf(cost);
            return {heat: most ? Math.sqrt(value(c) / most) : 0, title: describe(cost), cells: [some(c.lost), some(c.causes)],
                    parts: kinds.map((k, i) => [k.colour, over(c.by[i], widest) || 0]).filter(([, v]) => v > 0)};
        };
    }
    const readable = data.code.files.filter(f => f.text && f.text.length);
    const cover = f => sum([...base.sourceCost].filter(([k]) => k.startsWith(f.file + ':')).map(([, c]) => c.own.slots));
    readable.sort((a, b) => cover(b) - cover(a));
    const ptxPane = codePane({label: `PTX${s.workload ? '' : ' of ' + baseName(s.file)}`, pieces: data.code.ptx, language: 'ptx', columns,
                              onSelect: line => choose({line}), onHover: line => hover(line === null ? [] : pcsOfLine.get(line) || [])});
    const sources = new Map(readable.map(f => [f.file, codePane({label: baseName(f.name), pieces: f.text, language: 'c', columns,
        onSelect: line => choose({file: f.file, source: line}), onHover: line => hover(line === null ? [] : pcsOfSource.get(`${f.file}:${line}`) || [])})]));
    let openFile = readable.length ? readable[0].file : null;
    const sourceBox = el('div', {class: 'code-source'}), chosen = el('p', {class: 'chosen', 'aria-live': 'polite'}, 'Select a line, a branch or a block to see what belongs to it.');
    const fileChoice = readable.length > 1 ? choice({label: 'file', options: readable.map(f => [String(f.file), baseName(f.name)]), value: String(openFile), onChange: v => openSource(Number(v))}) : null;
    function openSource(file) {
        openFile = file;
        if (fileChoice) fileChoice.set(String(file));
        sourceBox.replaceChildren(sources.get(file).node);
    }
    if (openFile !== null) openSource(openFile);
    const heatChoice = choice({label: 'heat', options: Object.entries(heats).map(([k, [text]]) => [k, text]), value: heatBy, onChange: v => { heatBy = v; paintCode(); }});
    const noise = el('input', {type: 'checkbox', on: {change: () => panes.classList.toggle('show-noise', noise.checked)}});
    const panes = el('div', {class: openFile === null ? 'code-panes one' : 'code-panes'}, openFile === null ? null : sourceBox, ptxPane.node);
    const unread = data.code.files.filter(f => !f.text).map(f => f.name);
    page.section('source', openFile === null ? 'PTX' : 'Source and PTX',
        el('div', {class: 'controls'}, fileChoice ? fileChoice.node : null, heatChoice.node, el('label', {class: 'field'}, noise, el('span', {}, 'all lines of the PTX'))),
        chosen, panes,
        el('div', {class: 'legend', 'aria-label': 'colours of the bars'}, kinds.filter((k, i) => ended.some(r => r.slots[i])).map(k => el('span', {class: 'slot-key'}, el('span', {class: 'swatch', style: {'--swatch': `var(--${k.colour})`}}), k.name))),
        unread.length ? note(`Not readable when the report was made: ${unread.join(', ')}.`) : null,
        data.code.files.length ? null : note('The PTX has no line information; nvcc -lineinfo and clang -gline-tables-only write it.'));
    const lineless = el('p', {class: 'note'});
    function paintCode() {
        ptxPane.paint(painter(run.lineCost, line => line));
        for (const [file, pane] of sources) pane.paint(painter(run.sourceCost, line => `${file}:${line}`));
        const zero = [...run.sourceCost].filter(([k]) => k.endsWith(':0')).map(([, c]) => costOf(c));
        lineless.textContent = zero.length ? `Instructions to which the compiler gave no source line: ${fmt.percent(share(sum(zero.map(c => c.lost))))} lost, ${fmt.percent(share(sum(zero.map(c => c.causes))))} caused; the PTX shows them.` : '';
    }
    panes.after(lineless);
    onRun(paintCode);
    const hottest = costs => [...costs].reduce((best, x) => (!best || x[1].own.lost > best[1].own.lost ? x : best), null);
    function openAtHottest() {
        const line = hottest(run.lineCost), source = openFile === null ? null : hottest([...run.sourceCost].filter(([k]) => k.startsWith(openFile + ':') && !k.endsWith(':0')));
        if (line) ptxPane.reveal(line[0]);
        if (source) sources.get(openFile).reveal(Number(source[0].split(':')[1]));
    }

    // ---- branches ----
    let branchTable = null;
    const branchBox = el('div');
    const branchColumns = [
        {key: 'causes', label: 'causes', kind: 'percent', title: 'share of all slots lost because threads part there', value: b => share(b.cost.causes), cell: b => meter(over(b.cost.causes, run.branches[0].cost.causes), fmt.percent(share(b.cost.causes)))},
        {key: 'source', label: 'source', value: b => sourceName(b) || '', cell: b => sourceName(b) || el('span', {class: 'soft'}, 'none')},
        {key: 'text', label: 'PTX', value: b => ptxText.get(b.line) || '', cell: b => el('code', {}, ptxText.get(b.line) || '')},
        {key: 'line', label: 'line', kind: 'int', title: 'of the PTX'},
        {key: 'executions', label: 'executed', kind: 'int', title: 'issues'},
        {key: 'threads', label: 'threads', kind: 'fixed', title: 'of an issue, on average', value: b => over(b.lanes, b.executions), format: v => fmt.fixed(v, 1)},
        {key: 'divergent', label: 'divergent', kind: 'percent', title: 'issues that sent their threads different ways', value: b => over(b.divergences, b.executions), heat: b => over(b.divergences, b.executions)},
        {key: 'sides', label: 'sides', kind: 'fixed', value: b => over(b.sides, b.divergences)},
        {key: 'reconverge', label: 'reconverge', kind: 'int', title: 'cycles until the threads are together again, on average', value: b => over(b.cycles, b.reconvergences), format: v => (v === null ? '–' : fmt.int(v))},
    ];
    const branchPart = el('div', {}, note('By the lane slots lost because threads part there. A row shows its lines above.'), branchBox);
    onRun(() => {
        branchTable = table({columns: branchColumns, rows: run.branches, sort: {key: 'causes', descending: true}, limit: 20, onRow: b => choose({line: b.line}, true)});
        branchBox.replaceChildren(run.branches.length ? branchTable.node : note('None was executed.'));
    });

    // ---- control flow ----
    const mostBlocks = 400, graphBox = el('div');
    let shownFunction = [...data.code.functions].sort((a, b) => weightOf(b) - weightOf(a))[0], drawn = null;
    function weightOf(f) { return sum(f.lines.map(line => (base.lineCost.get(line) ? base.lineCost.get(line).own.slots : 0))); }
    function blockFigures(f, b) {
        let executions = 0, threads = 0, last = null;
        const at = [...new Set(Array.from({length: b.end - b.first}, (_, i) => f.lines[b.first - f.entry + i]))];
        for (const line of at) {
            const c = run.lineCost.get(line);
            if (c) { executions += c.executions; threads += c.threads; }
        }
        last = at[at.length - 1];
        const first = run.lineCost.get(at[0]);
        return {lines: at[0] === last ? `line ${last}` : `lines ${at[0]}–${last}`, lanes: over(threads, executions), times: first ? first.executions : 0};
    }
    function sourceRange(f, b) {
        const at = Array.from({length: b.end - b.first}, (_, i) => ({file: f.files[b.first - f.entry + i], line: f.sources[b.first - f.entry + i]})).filter(x => x.line && x.file === (openFile || x.file));
        if (!at.length) return null;
        const from = Math.min(...at.map(x => x.line)), to = Math.max(...at.map(x => x.line)), name = fileOf.has(at[0].file) ? baseName(fileOf.get(at[0].file).name) : '';
        return from === to ? `${name}:${from}` : `${name}:${from}–${to}`;
    }
    function drawGraph() {
        const f = shownFunction;
        if (!f) return;
        if (f.blocks.length > mostBlocks) {
            graphBox.replaceChildren(note(`${f.name} has ${f.blocks.length} blocks: too many to draw. 'heddle inspect --dot' writes the graph for Graphviz.`));
            drawn = null;
            return;
        }
        const nodes = f.blocks.map(b => {
            const x = blockFigures(f, b), ran = x.lanes !== null;
            return {id: b.block, label: `B${b.block}`, lines: [sourceRange(f, b) || x.lines, ran ? `${fmt.fixed(x.lanes, 1)} of ${run.warp} lanes` : 'never', ran ? `${fmt.short(x.times)} times` : ''].filter(Boolean),
                    heat: ran ? Math.max(0, 1 - x.lanes / run.warp) : undefined, class: ran ? '' : 'never',
                    title: `PTX ${x.lines}${b.loop ? `, in ${b.loop} loop${b.loop > 1 ? 's' : ''}` : ''}`};
        });
        const firstOf = new Map(f.blocks.map(b => [b.block, b.first]));
        const edges = f.blocks.flatMap(b => b.to.filter(t => firstOf.has(t)).map(t => ({from: b.block, to: t, class: firstOf.get(t) <= b.first ? 'back' : ''})));
        drawn = graph({nodes, edges, label: `control-flow graph of ${f.name}`, onSelect: block => choose({block})});
        graphBox.replaceChildren(drawn.node);
    }
    const functionChoice = data.code.functions.length > 1 ? select({label: 'function', options: data.code.functions.map((f, i) => [String(i), f.name]), value: String(data.code.functions.indexOf(shownFunction)),
        onChange: i => { shownFunction = data.code.functions[Number(i)]; drawGraph(); }}) : null;
    page.section('branches', 'Branches and control flow', el('div', {class: 'beside'}, branchPart, el('div', {}, functionChoice ? el('div', {class: 'controls'}, functionChoice.node) : null, graphBox,
                 note('The warmer a block, the fewer lanes are active when it issues. Dashed edges go back. Tab reaches the graph, arrows go along its edges, Enter shows a block\'s lines.'))));
    onRun(drawGraph);

    // ---- selection ----
    function hover(pcs) {
        ptxPane.hover([...new Set(pcs.map(pc => places.get(pc).line))]);
        for (const [file, pane] of sources) pane.hover([...new Set(pcs.map(pc => places.get(pc)).filter(p => p.file === file && p.source).map(p => p.source))]);
    }
    const pcsOf = what => (what.line !== undefined ? pcsOfLine.get(what.line) : what.block !== undefined ? pcsOfBlock.get(what.block) : pcsOfSource.get(`${what.file}:${what.source}`)) || [];
    function markAll(pcs) {
        const at = pcs.map(pc => places.get(pc)).filter(Boolean);
        ptxPane.mark([...new Set(at.map(p => p.line))]);
        for (const [file, pane] of sources) pane.mark([...new Set(at.filter(p => p.file === file && p.source).map(p => p.source))]);
        const func = at.length ? at[0].func : null;
        if (func && func !== shownFunction) {
            shownFunction = func;
            if (functionChoice) functionChoice.set(String(data.code.functions.indexOf(func)));
            drawGraph();
        }
        if (drawn) drawn.mark([...new Set(at.map(p => p.block))]);
        return at;
    }
    function sayChosen(what, at) {
        const cost = what.line !== undefined ? run.lineCost.get(what.line) : what.source !== undefined ? run.sourceCost.get(`${what.file}:${what.source}`) : null;
        const name = what.block !== undefined ? `Block B${what.block}` : what.line !== undefined ? `PTX line ${what.line}${sourceName(at[0]) ? ` (${sourceName(at[0])})` : ''}` : placeName(at[0]);
        chosen.replaceChildren(el('strong', {}, name), cost ? `: ${describe(cost)}` : `: ${at.length} instructions.`);
    }
    let selected = null;
    // what: {line} of the PTX, {file, source} or {block}. jump: the page goes to the lines.
    function choose(what, jump) {
        const at = markAll(pcsOf(what));
        if (!at.length) return;
        selected = what;
        const withSource = at.find(p => p.source && p.file === openFile) || at.find(p => p.source && sources.has(p.file));
        if (what.source === undefined && withSource) { if (withSource.file !== openFile) openSource(withSource.file); sources.get(withSource.file).reveal(withSource.source); }
        if (what.line === undefined || jump) ptxPane.reveal(at[0].line);
        if (what.source !== undefined && (jump || what.file !== openFile)) { if (what.file !== openFile) openSource(what.file); sources.get(what.file).reveal(what.source); }
        if (drawn) drawn.select(at[0].block);
        const row = run.branches.find(b => at.some(p => p.pc === b.pc));
        if (branchTable) branchTable.select(row || null);
        sayChosen(what, at);
        address.write({line: what.line === undefined ? null : what.line, source: what.source === undefined ? null : `${what.file}:${what.source}`, block: what.block === undefined ? null : what.block});
        if (jump) document.getElementById('source').scrollIntoView();
    }
    onRun(() => { if (selected) { const at = markAll(pcsOf(selected)); sayChosen(selected, at); if (drawn) drawn.select(at[0].block); } });

    // ---- mechanisms ----
    const speedup = r => over(stat(base, 'gpu.cycles'), stat(r, 'gpu.cycles'));
    if (data.runs.length > 1) {
        const rows = data.runs.map(r => ({r}));
        const columnsOf = [
            {key: 'name', label: 'mechanism', value: x => x.r.name, cell: x => [el('strong', {}, x.r.name), x.r.title ? el('span', {class: 'soft'}, ` ${x.r.title}`) : null]},
            {key: 'cycles', label: 'cycles', kind: 'int', value: x => stat(x.r, 'gpu.cycles')},
            {key: 'speedup', label: 'speed-up', kind: 'times', format: v => fmt.times(v, 3), value: x => speedup(x.r)},
            {key: 'ipc', label: 'IPC', kind: 'fixed', value: x => stat(x.r, 'gpu.ipc')},
            {key: 'lanes', label: 'lanes', kind: 'percent', title: 'share of the lanes of issues that were active', value: x => stat(x.r, 'sm.lane_activity'), heat: x => stat(x.r, 'sm.lane_activity')},
            {key: 'depth', label: 'depth', kind: 'percent', title: 'share of scheduler cycles with an issue', value: x => stat(x.r, 'sm.depth_utilisation'), heat: x => stat(x.r, 'sm.depth_utilisation')},
            {key: 'lost', label: 'slots lost', kind: 'percent', value: x => (x.r.stats ? 1 - x.r.slots[0] / x.r.all : null)},
            {key: 'divergences', label: 'divergences', kind: 'int', value: x => stat(x.r, 'div.divergences')},
            {key: 'reconvergences', label: 'reconvergences', kind: 'int', value: x => stat(x.r, 'div.reconvergences')},
            {key: 'storage', label: 'bits', kind: 'int', title: "storage of the mechanism's tables on an SM", value: x => x.r.storage},
            {key: 'status', label: '', fixed: true, cell: x => (x.r.status === 'ok' ? '' : el('span', {class: x.r.status === 'refused' ? 'soft' : 'bad', title: x.r.error}, x.r.status))},
        ];
        const union = new Map();
        for (const r of ended) for (const b of r.branches) if (b.cost.causes && !union.has(b.pc)) union.set(b.pc, b);
        const worst = [...union.values()].sort((a, b) => Math.max(...ended.map(r => causesAt(r, b))) < Math.max(...ended.map(r => causesAt(r, a))) ? -1 : 1).slice(0, 24);
        function causesAt(r, b) { const x = r.branches.find(y => y.pc === b.pc); return x ? x.cost.causes / base.all : 0; }
        const names = new Map(worst.map(b => [`${branchName(b)} · ${ptxText.get(b.line) || b.line}`, b]));
        page.section('mechanisms', 'Mechanisms side by side',
            table({columns: columnsOf, rows, onRow: x => { if (x.r.stats) { showRun(x.r.name); address.write({mech: x.r.name}); } }}).node,
            note(`Speed-ups are over ${base.name}. A row shows its mechanism in all other parts.`),
            bars({title: `Speed-up over ${base.name}`, labels: ended.map(r => r.name), horizontal: true, reference: 1, numbers: true, format: fmt.times, axis: 'speed-up', height: 60 + 26 * ended.length,
                  series: [{label: 'speed-up', values: ended.map(speedup)}]}).node,
            slotBars(true).node,
            worst.length ? heatmap({rows: [...names.keys()], columns: ended.map(r => r.name), corner: 'branch', format: v => fmt.percent(v), caption: `What each branch costs: slots lost because threads part there, of all slots under ${base.name}.`,
                     value: (name, mech) => causesAt(ended.find(r => r.name === mech), names.get(name))}) : null);
    }

    // ---- threads of an issue ----
    page.section('sizes', 'Threads of an issue', warpSizes({labels: ended.map(r => r.name), stat: (i, name) => stat(ended[i], name), title: 'Scheduler cycles, by how many threads were issued'}).node,
                 note('Classes are eighths of a warp; what issued nothing is by whether a line of memory was awaited.'));

    // ---- lanes over time ----
    const timeBox = el('div');
    let rowsOf = 'warps';
    const launchesOf = r => {
        const all = [];
        for (let i = 0, t = 0; i < r.launches.length; i += 2) { all.push({name: r.kernels[r.launches[i]].name, begin: t, end: t + r.launches[i + 1]}); t += r.launches[i + 1]; }
        return all;
    };
    function drawTime() {
        const d = run.density, warps = rowsOf === 'warps';
        const tracks = (warps ? d.warps : d.sms).map((cells, i) => ({name: `${warps ? 'warp' : 'SM'} ${i}`, cells})).filter((t, i) => t.cells || (warps ? d.warps : d.sms).slice(i).some(Boolean));
        timeBox.replaceChildren(tracks.some(t => t.cells) ? lanesOverTime({
            tracks, density: d, launches: launchesOf(run), issues: warps, full: warps ? d.width : d.warp, beats: Math.max(1, Math.round(d.warp / data.machine.simd)),
            per: warps ? 'cycles' : 'issue slots', label: warps ? `warps of SM ${d.sm} over time` : 'SMs over time',
            place: pc => placeName(places.get(pc)), onSelect: pc => { const p = places.get(pc); if (p) choose({line: p.line}); }}).node : note(`SM ${d.sm} issued nothing.`));
    }
    const rowChoice = choice({label: 'rows', options: [['warps', `warps of SM ${base.density.sm}`], ['sms', 'all SMs']], value: rowsOf, onChange: v => { rowsOf = v; drawTime(); }});
    page.section('time', 'Lanes over time', el('div', {class: 'controls'}, rowChoice.node),
        note('Click the picture, then turn the wheel, or press + and −, to zoom; drag or use the arrow keys to move; n and p go from close-up to close-up. Blue marks above the rows are close-ups, in which every issue is kept: seen closely, they show which lanes it has. A click shows the line.'), timeBox);
    onRun(drawTime);

    // ---- series ----
    const shown = ended.slice(0, 6);
    function pointsOf(r, f) {
        const q = r.series, out = [];
        let t = 0;
        q.cycles.forEach((c, i) => { const y = f(q, i); t += c; if (y !== null) out.push([t, y]); });
        return out;
    }
    const chart = (title, axis, format, f) => {
        const series = shown.map(r => ({label: r.name, points: pointsOf(r, f)})).filter(x => x.points.length);
        return series.length ? lines({title, axis, x: 'cycle', format, xFormat: fmt.int, height: 220, series}).node : null;
    };
    page.section('series', 'Over time', shown.length < ended.length ? note(`The first ${shown.length} mechanisms.`) : null, el('div', {class: 'pairs'},
        chart('IPC', 'thread instructions a cycle', v => fmt.real(v, 3), (q, i) => over(q.thread_insts[i], q.cycles[i])),
        chart('Lanes active', 'of the lanes of issues', v => fmt.percent(v, 0), (q, i) => over(q.thread_insts[i], q.lane_slots[i])),
        chart('First-level data cache', 'accesses that hit', v => fmt.percent(v, 0), (q, i) => (q.l1d_accesses[i] ? 1 - q.l1d_waits[i] / q.l1d_accesses[i] : null)),
        chart('SMs with a block', 'of all SMs', v => fmt.percent(v, 0), (q, i) => over(q.sm_cycles[i], q.cycles[i] * data.machine.sms))));

    // ---- occupancy ----
    const occupancy = el('div'), threadsFull = data.machine.threads;
    const limitText = k => {
        const least = Math.min(...k.limits.map(l => (l.blocks === null ? Infinity : l.blocks)));
        return k.limits.filter(l => l.blocks === least).map(l => `${l.unit} (${l.key})`).join(' and ');
    };
    function occupancyOf(k) {
        const warps = Math.ceil(k.threads / 32), mean = over(k.block_cycles, k.sm_cycles), idle = mean !== null && mean < k.resident * 0.95;
        return [el('h3', {}, k.name), el('p', {}, `${fmt.int(k.resident)} block${k.resident === 1 ? '' : 's'} of ${fmt.int(k.threads)} threads fit on an SM, ${fmt.int(k.resident * warps)} warps, ${fmt.percent(k.resident * k.threads / threadsFull, 0)} of its threads: `,
                   el('strong', {}, `limited by ${limitText(k)}`), `. While an SM had a block, it had ${fmt.fixed(mean, 2)} on average${idle ? ': the grid brought no more, or its last blocks were alone' : ''}.`),
                table({columns: [{key: 'unit', label: 'limit', cell: l => [l.unit, ' ', el('code', {class: 'soft'}, l.key)]}, {key: 'need', label: 'a block needs', kind: 'int'}, {key: 'have', label: 'an SM has', kind: 'int'},
                                 {key: 'blocks', label: 'blocks that fit', kind: 'int', format: v => (v === null ? 'any' : fmt.int(v)), heat: l => (l.blocks === null ? null : k.resident / l.blocks)}], rows: k.limits}).node];
    }
    page.section('occupancy', 'Occupancy', occupancy);
    onRun(() => occupancy.replaceChildren(...run.kernels.slice(0, 12).flatMap(occupancyOf)));

    // ---- kernels ----
    if (base.kernels.length > 1 || base.nlaunches > 1) {
        const kernelBox = el('div');
        page.section('kernels', 'Kernels', kernelBox);
        onRun(() => kernelBox.replaceChildren(table({rows: run.kernels, sort: {key: 'cycles', descending: true}, columns: [
            {key: 'name', label: 'kernel', cell: k => el('code', {}, k.name)}, {key: 'launches', label: 'launches', kind: 'int'},
            {key: 'cycles', label: 'cycles', kind: 'int', heat: k => over(k.cycles, stat(run, 'gpu.cycles'))}, {key: 'ipc', label: 'IPC', kind: 'fixed', value: k => over(k.thread_insts, k.cycles)},
            {key: 'lanes', label: 'lanes', kind: 'percent', value: k => over(k.thread_insts, k.lane_slots)}, {key: 'registers', label: 'registers', kind: 'int'}, {key: 'shape', label: 'first launch'}]}).node));
    }

    // ---- every statistic ----
    const allBox = el('div');
    let pattern = '';
    function fillStats() {
        const own = [...new Set(ended.flatMap(r => Object.keys(r.own)))].map(name => ({name, unit: '', meaning: "the mechanism's own counter"}));
        const value = (r, x) => (statAt.has(x.name) ? stat(r, x.name) : r.own[x.name]);
        allBox.replaceChildren(table({columns: [{key: 'name', label: 'statistic', cell: x => el('code', {}, x.name)}, {key: 'unit', label: 'unit', cell: x => el('span', {class: 'soft'}, x.unit)},
                                                ...ended.map((r, i) => ({key: i, label: r.name, kind: 'auto', value: x => value(r, x)}))],
                                      rows: [...data.stats, ...own].filter(x => x.name.includes(pattern) && ended.some(r => value(r, x))), rowTitle: x => x.meaning, limit: pattern ? Infinity : 30}).node);
    }
    page.section('statistics', 'All statistics', note('Those that are zero are left out. The meaning of a row shows when the pointer rests on it.'),
                 el('div', {class: 'controls'}, pieces.search({label: 'filter', onChange: text => { pattern = text; fillStats(); }}).node), allBox);
    fillStats();

    // ---- the address ----
    const open = wanted => {
        if (wanted.mech) showRun(wanted.mech);
        if (wanted.line) choose({line: Number(wanted.line)}, true);
        else if (wanted.block) choose({block: Number(wanted.block)}, true);
        else if (wanted.source) { const [file, line] = wanted.source.split(':').map(Number); choose({file, source: line}, true); }
    };
    address.listen(open);
    openAtHottest();
    open(address.read());
};
