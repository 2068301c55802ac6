/* heddle report: what control flow costs, and where. data (src/cli/report_*.c writes it): {version, title, command, subject,
 * machine, lanes and waits: [{key, name}], the kinds of slots; stats: [{name, unit, meaning}]; code: {ptx: pieces, files: [{file, name,
 * text: pieces or null}], functions: [{name, title, kernel, line, entry, structure, blocks: [{block, first, end, line, to, loop}], lines,
 * files, sources: by PC from entry}]}; runs: [{name, status, error, stats, own, mech, title, warp, storage, density, slots: by kind,
 * functions, branches, ptx: [[line, executions, lanes, cost, cost with calls]], source: [[file, line, ...the same]], kernels,
 * launches: kernel, cycles in turn, series: by column}]}. A cost is kind, slots, kind, slots ...: kinds are lanes, waits, then what
 * the line causes: divergence, exited, waits. A name of a kernel or function is the one of the PTX, its title what people read.
 * The parts are in report-model.js, report-code.js and report-time.js; here are those that are little more than a table or chart. */
'use strict';
(() => {
    const {el, fmt, table, tiles, layout, choice, note, heatmap, bars, warpSizes, search, address} = pieces;

    // ---- the head ----
    function aboutOf(x) {
        const {subject: s, machine, command} = x.data;
        const checked = `${fmt.int(s.checked)} values verified against the CPU`;
        const first = s.workload ? ['workload', `@${s.workload} (${s.origin}), ${s.size}: ${s.what}; ${checked}`]
            : ['program', [el('code', {}, s.file), s.script ? `, script ${s.script}` : `, kernel ${s.title}, ${x.base.kernels[0].shape}`]];
        return [first, ['machine', machine.text], ['command', el('code', {}, command)]];
    }
    function addMechanisms(x, root) {
        if (x.ended.length < 2) return;
        const which = choice({label: 'mechanism', options: x.ended.map(r => [r.name, r.name]), value: x.run.name,
                              onChange: name => { x.show(name); address.write({mech: name}); }});
        x.onRun(() => which.set(x.run.name));
        root.querySelector('nav').append(el('div', {class: 'nav-tools'}, which.node));
    }
    function addFailures(x, page) {
        const bad = x.data.runs.filter(r => ['failed', 'wrong', 'differs'].includes(r.status));
        const words = r => (r.status === 'differs' ? `${r.name} left other memory than ${x.data.runs[0].name}: the program may have a data race.` : `${r.name}: ${r.error}`);
        if (bad.length) page.main.append(el('div', {class: 'bad', role: 'alert'}, bad.map(r => el('p', {}, words(r)))));
    }

    // ---- summary ----
    function slotBars(x, absolute) {
        const value = (r, i) => (absolute ? r.slots[i] : x.over(r.slots[i], r.all));
        return bars({
            title: absolute ? 'Lane slots, by what became of them' : 'Where all lane slots went', labels: x.ended.map(r => r.name),
            stacked: true, horizontal: true, height: 74 + 30 * x.ended.length, max: absolute ? undefined : 1,
            axis: absolute ? 'lane slots' : 'share of all lane slots of the run', format: absolute ? fmt.short : v => fmt.percent(v, v && v < 0.1 ? 1 : 0),
            series: x.kinds.map((k, i) => ({label: k.name, colour: k.colour, values: x.ended.map(r => value(r, i))})).filter(s => s.values.some(v => v > 0))}).node;
    }
    function summaryTiles(x) {
        const {run, stat, share} = x, parted = x.sum(run.branches.map(b => b.cost.causes));
        return tiles([
            {label: 'cycles', value: fmt.int(stat(run, 'gpu.cycles')), note: `${fmt.int(run.nlaunches)} launch${run.nlaunches === 1 ? '' : 'es'}`},
            {label: 'IPC', value: fmt.fixed(stat(run, 'gpu.ipc')), note: 'thread instructions a cycle', title: `${fmt.int(stat(run, 'sm.thread_insts'))} thread instructions`},
            {label: 'lane activity', value: fmt.percent(stat(run, 'sm.lane_activity')), note: 'of the lanes of issues'},
            {label: 'depth utilisation', value: fmt.percent(stat(run, 'sm.depth_utilisation')), note: 'of scheduler cycles issue'},
            {label: 'slots lost', value: fmt.percent(share(run.all - run.slots[0])), note: 'to all causes'},
            {label: 'lost by divergence', value: fmt.percent(share(parted)), note: 'threads that parted'},
            x.ended.length > 1 ? {label: `speed-up over ${x.base.name}`, value: fmt.times(x.speedup(run)), note: run.title}
                : {label: 'mechanism', value: run.name, note: run.title},
        ]);
    }
    function lostText(x) {
        const {run, share} = x, percent = v => fmt.percent(share(v));
        const worst = x.kinds.map((k, i) => ({name: k.name, slots: run.slots[i]})).slice(1).filter(k => share(k.slots) >= 0.005);
        const list = worst.sort((a, b) => b.slots - a.slots).slice(0, 3).map(k => `${percent(k.slots)} ${k.name}`).join(', ');
        return el('p', {}, `Of all lane slots of the run, ${percent(run.slots[0])} had a thread that ran. `,
                  `${percent(run.all - run.slots[0])} were lost${list ? `: ${list}` : ''}.`);
    }
    function branchText(x) {
        const b = x.run.branches.find(branch => branch.cost.causes > 0);
        if (!b) return el('p', {}, 'No branch of it diverged.');
        const go = event => { event.preventDefault(); x.choose({line: b.line}, true); };
        return el('p', {}, 'The branch that costs most is at ', el('a', {href: '#source', on: {click: go}}, x.branchName(b)), ': ',
                  el('code', {}, x.code(b.line)), `. Threads that part there leave ${fmt.percent(x.share(b.cost.causes))} of all slots empty; `,
                  `it diverges in ${fmt.percent(x.over(b.divergences, b.executions))} of its ${fmt.int(b.executions)} executions.`);
    }
    function summarySection(x, page) {
        const box = el('div');
        page.section('summary', 'Summary', box, slotBars(x, false),
            note('All slots are cycles of schedulers that have a block, times the lanes of one. Lanes of an issue are active, or idle because ',
                 'their thread has parted from those that run, has exited, is guarded or is not there; a cycle without an issue loses ',
                 'all its lanes to what most threads wait for.'));
        x.onRun(() => box.replaceChildren(summaryTiles(x), lostText(x), branchText(x)));
    }

    // ---- mechanisms ----
    const mechanismColumns = x => {
        const of = (name, key, label, kind, more) => ({key, label, kind, value: row => x.stat(row.r, name), ...more});
        const lost = r => (r.stats ? 1 - r.slots[0] / r.all : null);
        const status = r => el('span', {class: r.status === 'refused' ? 'soft' : 'bad', title: r.error}, r.status === 'ok' ? '' : r.status);
        return [
            {key: 'name', label: 'mechanism', value: row => row.r.name,
             cell: row => [el('strong', {}, row.r.name), row.r.title ? el('span', {class: 'soft'}, ` ${row.r.title}`) : null]},
            of('gpu.cycles', 'cycles', 'cycles', 'int'),
            {key: 'speedup', label: 'speed-up', kind: 'times', format: v => fmt.times(v, 3), value: row => x.speedup(row.r)},
            of('gpu.ipc', 'ipc', 'IPC', 'fixed'),
            of('sm.lane_activity', 'lanes', 'lanes', 'percent', {title: 'share of the lanes of issues that were active', heat: row => x.stat(row.r, 'sm.lane_activity')}),
            of('sm.depth_utilisation', 'depth', 'depth', 'percent', {title: 'share of scheduler cycles with an issue', heat: row => x.stat(row.r, 'sm.depth_utilisation')}),
            {key: 'lost', label: 'slots lost', kind: 'percent', value: row => lost(row.r)},
            of('div.divergences', 'divergences', 'divergences', 'int'),
            of('div.reconvergences', 'reconvergences', 'reconvergences', 'int'),
            {key: 'storage', label: 'bits', kind: 'int', title: "storage of the mechanism's tables on an SM", value: row => row.r.storage},
            {key: 'status', label: '', fixed: true, cell: row => status(row.r)},
        ];
    };
    // Branches that cost anything under any mechanism, those first that cost most anywhere.
    function branchCosts(x) {
        const causes = (r, pc) => {
            const b = r.branches.find(branch => branch.pc === pc);
            return b ? b.cost.causes / x.base.all : 0;
        };
        const all = new Map(x.ended.flatMap(r => r.branches).filter(b => b.cost.causes).map(b => [b.pc, b]));
        const worst = pc => Math.max(...x.ended.map(r => causes(r, pc)));
        const rows = [...all.values()].sort((a, b) => worst(b.pc) - worst(a.pc)).slice(0, 24);
        const names = new Map(rows.map(b => [`${x.branchName(b)} · ${x.code(b.line)}`, b.pc]));
        return names.size ? heatmap({
            rows: [...names.keys()], columns: x.ended.map(r => r.name), corner: 'branch', format: v => fmt.percent(v),
            caption: `What each branch costs: slots lost to its divergence, of all slots under ${x.base.name}.`,
            value: (name, mech) => causes(x.ended.find(r => r.name === mech), names.get(name))}) : null;
    }
    function mechanismsSection(x, page) {
        if (x.data.runs.length < 2) return;
        const onRow = row => { if (row.r.stats) { x.show(row.r.name); address.write({mech: row.r.name}); } };
        page.section('mechanisms', 'Mechanisms side by side', table({columns: mechanismColumns(x), rows: x.data.runs.map(r => ({r})), onRow}).node,
            note(`Speed-ups are over ${x.base.name}. A row shows its mechanism in all other parts.`),
            bars({title: `Speed-up over ${x.base.name}`, labels: x.ended.map(r => r.name), horizontal: true, reference: 1, numbers: true, format: fmt.times,
                  axis: 'speed-up', height: 60 + 26 * x.ended.length, series: [{label: 'speed-up', values: x.ended.map(x.speedup)}]}).node,
            slotBars(x, true), branchCosts(x));
    }
    function sizesSection(x, page) {
        page.section('sizes', 'Threads of an issue',
            warpSizes({labels: x.ended.map(r => r.name), stat: (i, name) => x.stat(x.ended[i], name), title: 'Scheduler cycles, by how many threads were issued'}).node,
            note('Classes are eighths of a warp; what issued nothing is by whether a line of memory was awaited.'));
    }

    // ---- occupancy, kernels ----
    const mostKernels = 12;
    function limitText(k) {
        const least = Math.min(...k.limits.map(l => (l.blocks === null ? Infinity : l.blocks)));
        return k.limits.filter(l => l.blocks === least).map(l => `${l.unit} (${l.key})`).join(' and ');
    }
    function occupancyOf(x, k) {
        const warps = fmt.int(k.resident * Math.ceil(k.threads / 32)), filled = fmt.percent(k.resident * k.threads / x.data.machine.threads, 0);
        const mean = x.over(k.block_cycles, k.sm_cycles), alone = mean !== null && mean < k.resident * 0.95;
        return [el('h3', {}, k.title),
                el('p', {}, `${fmt.int(k.resident)} block${k.resident === 1 ? '' : 's'} of ${fmt.int(k.threads)} threads fit on an SM, ${warps} warps, ${filled} of its threads: `,
                   el('strong', {}, `limited by ${limitText(k)}`), `. While an SM had a block, it had ${fmt.fixed(mean, 2)} on average`,
                   alone ? ': the grid brought no more, or its last blocks were alone.' : '.'),
                table({rows: k.limits, columns: [
                    {key: 'unit', label: 'limit', cell: l => [l.unit, ' ', el('code', {class: 'soft'}, l.key)]},
                    {key: 'need', label: 'a block needs', kind: 'int'}, {key: 'have', label: 'an SM has', kind: 'int'},
                    {key: 'blocks', label: 'blocks that fit', kind: 'int', format: v => (v === null ? 'any' : fmt.int(v)),
                     heat: l => (l.blocks === null ? null : k.resident / l.blocks)}]}).node];
    }
    function occupancySection(x, page) {
        const box = el('div');
        page.section('occupancy', 'Occupancy', box);
        x.onRun(() => box.replaceChildren(...x.run.kernels.slice(0, mostKernels).flatMap(k => occupancyOf(x, k))));
    }
    function kernelsSection(x, page) {
        if (x.base.nlaunches < 2) return;
        const box = el('div');
        page.section('kernels', 'Kernels', box);
        x.onRun(() => box.replaceChildren(table({rows: x.run.kernels, sort: {key: 'cycles', descending: true}, columns: [
            {key: 'name', label: 'kernel', cell: k => el('code', {}, k.title)}, {key: 'launches', label: 'launches', kind: 'int'},
            {key: 'cycles', label: 'cycles', kind: 'int', heat: k => x.over(k.cycles, x.stat(x.run, 'gpu.cycles'))},
            {key: 'ipc', label: 'IPC', kind: 'fixed', value: k => x.over(k.thread_insts, k.cycles)},
            {key: 'lanes', label: 'lanes', kind: 'percent', value: k => x.over(k.thread_insts, k.lane_slots)},
            {key: 'registers', label: 'registers', kind: 'int'}, {key: 'shape', label: 'first launch'}]}).node));
    }

    // ---- every statistic ----
    function statisticsSection(x, page) {
        const box = el('div'), own = [...new Set(x.ended.flatMap(r => Object.keys(r.own)))];
        const all = [...x.data.stats, ...own.map(name => ({name, unit: '', meaning: "the mechanism's own counter"}))];
        const fill = pattern => box.replaceChildren(table({
            columns: [{key: 'name', label: 'statistic', cell: s => el('code', {}, s.name)}, {key: 'unit', label: 'unit', cell: s => el('span', {class: 'soft'}, s.unit)},
                      ...x.ended.map((r, i) => ({key: i, label: r.name, kind: 'auto', value: s => x.stat(r, s.name)}))],
            rows: all.filter(s => s.name.includes(pattern) && x.ended.some(r => x.stat(r, s.name))), rowTitle: s => s.meaning, limit: pattern ? Infinity : 30}).node);
        page.section('statistics', 'All statistics', note('Those that are zero are left out. The meaning of a row shows when the pointer rests on it.'),
                     el('div', {class: 'controls'}, search({label: 'filter', onChange: fill}).node), box);
        fill('');
    }

    heddlePages.report = (data, root) => {
        const x = pieces.reportModel(data), s = data.subject;
        const page = layout(root, {title: `What control flow costs in ${s.workload ? '@' + s.workload : s.title}`, about: aboutOf(x), version: data.version});
        addMechanisms(x, root);
        addFailures(x, page);
        summarySection(x, page);
        pieces.reportCode(x, page);
        mechanismsSection(x, page);
        sizesSection(x, page);
        pieces.reportTime(x, page);
        occupancySection(x, page);
        kernelsSection(x, page);
        statisticsSection(x, page);
        const open = wanted => {
            if (wanted.mech) x.show(wanted.mech);
            if (wanted.line) x.choose({line: Number(wanted.line)}, true);
            else if (wanted.block) x.choose({block: Number(wanted.block)}, true);
            else if (wanted.source) {
                const [file, source] = wanted.source.split(':').map(Number);
                x.choose({file, source}, true);
            }
        };
        address.listen(open);
        x.openAtHottest();
        open(address.read());
    };
})();
