/* Time in a report: lanes over time, and series. reportTime(x, page) adds both sections. */
'use strict';
(() => {
    const {el, fmt, choice, note, lines, lanesOverTime} = pieces;

    // Launches follow one another without a gap.
    function launchesOf(run) {
        const all = [];
        for (let i = 0, t = 0; i < run.launches.length; i += 2) {
            all.push({name: run.kernels[run.launches[i]].title, begin: t, end: t + run.launches[i + 1]});
            t += run.launches[i + 1];
        }
        return all;
    }
    function tracksOf(density, warps) {
        const cells = warps ? density.warps : density.sms;
        const last = cells.reduce((at, text, i) => (text ? i : at), -1);
        return cells.slice(0, last + 1).map((text, i) => ({name: `${warps ? 'warp' : 'SM'} ${i}`, cells: text}));
    }
    function lanesSection(x, page) {
        const box = el('div');
        let warps = true;
        const draw = () => {
            const density = x.run.density, tracks = tracksOf(density, warps);
            box.replaceChildren(!tracks.length ? note(`SM ${density.sm} issued nothing.`) : lanesOverTime({
                tracks, density, launches: launchesOf(x.run), issues: warps, full: warps ? density.width : density.warp,
                beats: Math.max(1, Math.round(density.warp / x.data.machine.simd)), per: warps ? 'cycles' : 'issue slots',
                label: warps ? `warps of SM ${density.sm} over time` : 'SMs over time', place: pc => x.placeName(x.places.get(pc)),
                onSelect: pc => { if (x.places.has(pc)) x.choose({line: x.places.get(pc).line}); }}).node);
        };
        const rows = choice({label: 'rows', options: [['warps', `warps of SM ${x.base.density.sm}`], ['sms', 'all SMs']], value: 'warps',
                             onChange: v => { warps = v === 'warps'; draw(); }});
        page.section('time', 'Lanes over time', el('div', {class: 'controls'}, rows.node),
            note('Click the picture, then turn the wheel, or press + and −, to zoom; drag or use the arrow keys to move; n and p go ',
                 'from close-up to close-up. Blue marks above the rows are close-ups, in which every issue is kept: seen closely, they ',
                 'show which lanes it has. A click shows the line.'), box);
        x.onRun(draw);
    }

    const mostSeries = 6;
    function pointsOf(run, valueAt) {
        const points = [];
        let t = 0;
        run.series.cycles.forEach((cycles, i) => {
            const y = valueAt(run.series, i);
            t += cycles;
            if (y !== null) points.push([t, y]);
        });
        return points;
    }
    function seriesSection(x, page) {
        const shown = x.ended.slice(0, mostSeries), {over} = x;
        const chart = (title, axis, format, valueAt) => {
            const series = shown.map(r => ({label: r.name, points: pointsOf(r, valueAt)})).filter(s => s.points.length);
            return series.length ? lines({title, axis, x: 'cycle', format, xFormat: fmt.int, height: 220, series}).node : null;
        };
        const percent = v => fmt.percent(v, 0);
        page.section('series', 'Over time', shown.length < x.ended.length ? note(`The first ${shown.length} mechanisms.`) : null,
            el('div', {class: 'pairs'},
               chart('IPC', 'thread instructions a cycle', v => fmt.real(v, 3), (q, i) => over(q.thread_insts[i], q.cycles[i])),
               chart('Lanes active', 'of the lanes of issues', percent, (q, i) => over(q.thread_insts[i], q.lane_slots[i])),
               chart('First-level data cache', 'accesses that hit', percent, (q, i) => (q.l1d_accesses[i] ? 1 - q.l1d_waits[i] / q.l1d_accesses[i] : null)),
               chart('SMs with a block', 'of all SMs', percent, (q, i) => over(q.sm_cycles[i], q.cycles[i] * x.data.machine.sms))));
    }
    pieces.reportTime = (x, page) => {
        lanesSection(x, page);
        seriesSection(x, page);
    };
})();
