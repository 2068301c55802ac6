/* heddle compare --html: programs under several mechanisms. data: {version, title, command, machine,
 * mechanisms: [name], stats: [{name, unit, meaning}], means: [{speedup, programs}], programs: [{name, what, cells: [{status, error,
 * speedup, stats: [value], own: {name: value}}]}]}; cells and means are in the order of mechanisms, a cell's stats in that of stats. */
'use strict';
heddlePages.compare = (data, root) => {
    const {el, fmt, table, heatmap, layout, select, choice, note, bars, laneSlots, warpSizes, waitReasons} = pieces;
    const index = new Map(data.stats.map((s, i) => [s.name, i]));
    const stat = (cell, name) => (cell.stats ? cell.stats[index.get(name)] : null);
    const base = data.mechanisms[0];
    const over = (a, b) => (b ? a / b : null);
    const ran = program => program.cells.map((cell, i) => ({name: data.mechanisms[i], cell})).filter(r => r.cell.stats);
    const several = data.programs.length > 1;
    const page = layout(root, {title: data.title, version: data.version,
        lead: `${data.programs.length} program${several ? 's' : ''} under ${data.mechanisms.length} mechanisms; speed-ups over ${base}`,
        about: [['machine', data.machine], ['command', el('code', {}, data.command)]]});

    // ---- speed-ups ----
    const words = {ok: '', refused: 'refused', failed: 'failed', wrong: 'WRONG RESULT'};
    const better = data.mechanisms.map((name, i) => ({name, ...data.means[i]}));
    page.section('speedups', 'Speed-ups', several ? [
        bars({title: `Geometric mean of the speed-ups over ${base}`, labels: data.mechanisms, horizontal: true, reference: 1, numbers: true,
              format: fmt.times, axis: 'speed-up', height: 60 + 26 * data.mechanisms.length,
              series: [{label: 'mean', values: better.map(b => b.speedup || null)}]}).node,
        heatmap({rows: data.mechanisms, columns: [...data.programs.map(p => p.name), 'mean'], from: 1, format: fmt.fixed, corner: 'mechanism',
                 caption: 'Speed-ups: cycles of the first mechanism over those of this one. – : it did not run to its end.',
                 value: (m, p) => {
                     const i = data.mechanisms.indexOf(m), program = data.programs.find(x => x.name === p);
                     return (program ? program.cells[i].speedup : data.means[i].speedup) || null;
                 }})]
        : bars({title: `Speed-ups of ${data.programs[0].name} over ${base}`, labels: data.mechanisms, horizontal: true, reference: 1,
                numbers: true, format: fmt.times, axis: 'speed-up', height: 60 + 26 * data.mechanisms.length,
                series: [{label: 'speed-up', values: data.programs[0].cells.map(c => c.speedup)}]}).node);

    // ---- one program ----
    const columns = [
        {key: 'name', label: 'mechanism'},
        {key: 'cycles', label: 'cycles', kind: 'int', value: r => stat(r.cell, 'gpu.cycles')},
        {key: 'ipc', label: 'IPC', kind: 'fixed', title: 'thread instructions per core cycle', value: r => stat(r.cell, 'gpu.ipc')},
        {key: 'lanes', label: 'lanes', kind: 'percent', title: 'share of the lanes of issue slots that had an active thread',
         heat: r => stat(r.cell, 'sm.lane_activity'), value: r => stat(r.cell, 'sm.lane_activity')},
        {key: 'depth', label: 'depth', kind: 'percent', title: 'share of scheduler cycles with an issue', heat: r => stat(r.cell, 'sm.depth_utilisation'),
         value: r => stat(r.cell, 'sm.depth_utilisation')},
        {key: 'l1d', label: 'L1D hits', kind: 'percent', value: r => over(stat(r.cell, 'l1d.hits'), stat(r.cell, 'l1d.accesses'))},
        {key: 'dram', label: 'DRAM', kind: 'percent', title: "share of the DRAM's bandwidth", value: r => stat(r.cell, 'dram.utilisation')},
        {key: 'speedup', label: 'speed-up', kind: 'times', format: v => fmt.times(v, 3), value: r => r.cell.speedup},
        {key: 'status', label: '', fixed: true, cell: r => el('span', {class: r.cell.status === 'wrong' || r.cell.status === 'failed' ? 'bad' : 'soft', title: r.cell.error}, words[r.cell.status])},
    ];
    function overview(program) {
        const rows = data.mechanisms.map((name, i) => ({name, cell: program.cells[i]}));
        const refusals = rows.filter(r => r.cell.error);
        return [table({columns, rows, caption: program.what}).node,
                refusals.length ? el('ul', {class: 'note'}, refusals.map(r => el('li', {}, `${r.name}: ${r.cell.error}`))) : null];
    }
    function pictures(program, absolute) {
        const runs = ran(program), of = {labels: runs.map(r => r.name), stat: (i, name) => stat(runs[i].cell, name), absolute};
        return [laneSlots({...of, title: 'Lanes of issue slots, by what was in them'}).node,
                warpSizes({...of, title: 'Scheduler cycles, by threads issued'}).node,
                waitReasons({...of, title: 'Threads that waited, by reason'}).node];
    }
    const body = el('div'), charts = el('div');
    let program = data.programs[0], absolute = false;
    const draw = () => charts.replaceChildren(...pictures(program, absolute));
    const show = () => { body.replaceChildren(...overview(program).filter(Boolean)); draw(); fill(); };
    const which = select({label: 'program', options: data.programs.map((p, i) => [String(i), p.name]), value: '0',
                          onChange: i => { program = data.programs[Number(i)]; pieces.address.write({program: program.name}); show(); }});
    const unit = choice({label: 'bars', options: [['share', 'shares'], ['absolute', 'numbers']], value: 'share',
                         onChange: v => { absolute = v === 'absolute'; draw(); }});
    page.section('mechanisms', 'Mechanisms side by side', several ? el('div', {class: 'controls'}, which.node) : null, body);
    page.section('slots', 'Where the slots went', el('div', {class: 'controls'}, unit.node), charts);

    // ---- every statistic ----
    const all = el('div');
    let pattern = '';
    function fill() {
        const runs = ran(program);
        const own = [...new Set(runs.flatMap(r => Object.keys(r.cell.own)))].map(name => ({name, unit: '', meaning: "the mechanism's own counter"}));
        const value = (r, s) => (index.has(s.name) ? stat(r.cell, s.name) : r.cell.own[s.name]);
        const rows = [...data.stats, ...own].filter(s => s.name.includes(pattern) && runs.some(r => value(r, s)));
        all.replaceChildren(table({
            columns: [{key: 'name', label: 'statistic', cell: s => el('code', {}, s.name)}, {key: 'unit', label: 'unit', cell: s => el('span', {class: 'soft'}, s.unit)},
                      ...runs.map((r, i) => ({key: i, label: r.name, kind: 'auto', value: s => value(r, s)}))],
            rows, class: 'wide', rowTitle: s => s.meaning}).node);
    }
    const statistics = page.section('statistics', 'All statistics', note('Those that are zero under every mechanism are left out. The meaning of a row shows when the pointer rests on it; docs/statistics.md has all of them.'),
                 el('div', {class: 'controls'}, pieces.search({label: 'filter', onChange: text => { pattern = text; fill(); }}).node), all);

    statistics.classList.toggle('screen-only', data.mechanisms.length > 8); // wider than any paper

    const open = wanted => {
        const i = data.programs.findIndex(p => p.name === wanted.program);
        if (i >= 0) { program = data.programs[i]; which.set(String(i)); }
        show();
    };
    pieces.address.listen(open);
    open(pieces.address.read());
    if (data.programs.some(p => p.cells.some(c => c.status === 'wrong')))
        page.main.prepend(el('p', {class: 'bad', role: 'alert'}, 'Some runs left other memory than a functional run: see the tables.'));
};
