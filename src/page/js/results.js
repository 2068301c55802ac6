/* heddle results --html: points of sweeps, laid out as tables and charts whose axes the reader chooses. data: {version, title,
 * command, axes: [{name, places: [text in order]}], values: [{name, kind, unit, meaning}], points: [{at: [place by axis], state,
 * error, values: [number by value]}], rows, cols: [axis], relative_to, mean, plot}; rows to plot are what to show first, rows and
 * cols empty where the command line names none. The tables are those of src/lab/pivot.c: a cell is one point. */
'use strict';
heddlePages.results = (data, root) => {
    const {el, fmt, table, heatmap, layout, select, choice, note, bars, lines, address} = pieces;
    const axisIndex = new Map(data.axes.map((a, i) => [a.name, i]));
    const page = layout(root, {title: data.title, version: data.version,
        lead: `${fmt.int(data.points.length)} point${data.points.length === 1 ? '' : 's'}; ${data.values.map(v => v.name).join(', ')}`,
        about: [['command', el('code', {}, data.command)]]});
    const place = (point, axis) => data.axes[axis].places[point.at[axis]];
    const label = (point, axes) => axes.map(a => place(point, a)).join(' ');

    // ---- what is shown ----
    const first = (names, fallback) => (names.length ? names : [fallback]).map(n => axisIndex.get(n));
    const state = {rows: first(data.rows, 'workload'), cols: first(data.cols, 'mech'), value: 0, over: data.relative_to || '',
                   mean: data.mean, plot: data.plot, only: new Map()};
    const others = () => data.axes.map((_, i) => i).filter(i => !state.rows.includes(i) && !state.cols.includes(i));

    // ---- tables ----
    // The heads of one direction in order of their places, and which of them a point belongs to.
    function heads(points, axes) {
        const byKey = new Map(points.map(p => [axes.map(a => p.at[a]).join(), p]));
        const order = (p, q) => axes.reduce((found, a) => found || p.at[a] - q.at[a], 0);
        const sorted = [...byKey.values()].sort(order);
        const place = new Map(sorted.map((p, i) => [axes.map(a => p.at[a]).join(), i]));
        return {labels: sorted.map(p => label(p, axes)), of: p => place.get(axes.map(a => p.at[a]).join())};
    }
    function means(kind, numbers) {
        if (!numbers.length || (kind !== 'arithmetic' && numbers.some(v => v <= 0))) return null;
        const sum = f => numbers.reduce((s, v) => s + f(v), 0) / numbers.length;
        return kind === 'arithmetic' ? sum(v => v) : kind === 'geometric' ? Math.exp(sum(Math.log)) : 1 / sum(v => 1 / v);
    }
    const kept = () => data.points.filter(p => [...state.only].every(([axis, at]) => p.at[axis] === at));
    function pivot() {
        const points = kept(), rows = heads(points, state.rows), cols = heads(points, state.cols);
        const cells = rows.labels.map(() => cols.labels.map(() => null));
        for (const p of points) {
            const r = rows.of(p), c = cols.of(p);
            if (cells[r][c]) return {clash: [cells[r][c], p]};
            cells[r][c] = p;
        }
        const base = state.over ? cols.labels.indexOf(state.over) : -1;
        const number = (r, c) => {
            const own = cells[r][c] ? cells[r][c].values[state.value] : null;
            if (base < 0 || own === null) return own;
            const by = cells[r][base] ? cells[r][base].values[state.value] : null;
            return by ? own / by : null;
        };
        const values = cells.map((row, r) => row.map((_, c) => number(r, c)));
        return {rows: rows.labels, cols: cols.labels, cells, values};
    }
    // Points that share a cell differ in something that is neither row nor column: its first place is chosen, as the lists show.
    function settled() {
        for (;;) {
            const made = pivot();
            if (!made.clash) return made;
            const axis = others().find(a => made.clash[0].at[a] !== made.clash[1].at[a]);
            if (axis === undefined) return made;
            state.only.set(axis, Math.min(...kept().map(p => p.at[axis])));
        }
    }

    // ---- pictures ----
    const formatOf = () => (state.over ? v => fmt.fixed(v, 3) : data.values[state.value].kind === 'real' ? v => fmt.fixed(v, 3) : fmt[data.values[state.value].kind]);
    const chosen = () => [...state.only].map(([a, at]) => `${data.axes[a].name} ${data.axes[a].places[at]}`).join(', ');
    const axisName = () => data.values[state.value].name + (state.over ? ` over that of ${state.over}` : '');
    const numeric = made => state.rows.length === 1 && made.rows.length > 1 && made.rows.every(t => t.trim() !== '' && Number.isFinite(Number(t)));
    function picture(made) {
        const format = formatOf(), title = axisName() + (state.only.size ? `; ${chosen()}` : ''), reference = state.over ? 1 : undefined;
        const meanRow = state.mean ? made.cols.map((_, c) => means(state.mean, made.values.map(r => r[c]).filter(Number.isFinite))) : null;
        const labels = meanRow ? [...made.rows, `${state.mean} mean`] : made.rows, values = meanRow ? [...made.values, meanRow] : made.values;
        if (state.plot === 'heat')
            return heatmap({rows: labels, columns: made.cols, caption: title, corner: state.rows.map(a => data.axes[a].name).join(' '), format, from: reference,
                            value: (r, c) => values[labels.indexOf(r)][made.cols.indexOf(c)]});
        if (state.plot === 'lines') {
            const xs = made.rows.map(Number), logX = Math.min(...xs) > 0 && Math.max(...xs) >= 4 * Math.min(...xs);
            return lines({title, bare: true, x: data.axes[state.rows[0]].name, axis: axisName(), marks: true, format, logX, height: 360, ticks: logX ? xs : undefined,
                          series: made.cols.map((name, c) => ({label: name, points: xs.map((x, r) => [x, made.values[r][c]]).filter(p => p[1] !== null)}))}).node;
        }
        return bars({title, bare: true, labels, axis: axisName(), format, height: 360, mark: reference,
                     series: made.cols.map((name, c) => ({label: name, values: values.map(r => r[c])}))}).node;
    }
    function numbers(made) {
        const format = formatOf();
        const cell = (row, c) => {
            const p = made.cells[row.r][c], v = made.values[row.r][c];
            return v === null && p && p.state !== 'ok' ? el('span', {class: 'bad', title: p.error}, p.state) : format(v);
        };
        const columns = [...state.rows.map((axis, k) => ({key: 'axis' + k, label: data.axes[axis].name, value: row => (Number.isNaN(Number(row.at[k])) ? row.at[k] : Number(row.at[k])), cell: row => row.at[k]})),
                         ...made.cols.map((name, c) => ({key: c, label: name, kind: 'real', value: row => made.values[row.r][c], cell: row => cell(row, c)}))];
        const rows = made.rows.map((_, r) => ({r, at: state.rows.map(a => place(made.cells[r].find(Boolean), a))}));
        return table({columns, rows, caption: axisName(), limit: 200}).node;
    }

    // ---- controls ----
    const chart = el('div'), body = el('div');
    const joined = axes => axes.map(a => data.axes[a].name).join(',');
    const listed = axes => {
        const single = data.axes.map(a => [a.name, a.name]);
        return axes.length > 1 ? [[joined(axes), joined(axes)], ...single] : single;
    };
    const axesOf = text => text.split(',').map(n => axisIndex.get(n));
    // Rows and columns are different axes: choosing the other's swaps them.
    function choose(side, text) {
        const other = side === 'rows' ? 'cols' : 'rows', wanted = axesOf(text);
        if (wanted.some(a => state[other].includes(a))) state[other] = state[side];
        state[side] = wanted;
        for (const a of [...state.rows, ...state.cols]) state.only.delete(a);
        state.over = '';
    }
    const remember = () => address.write({rows: joined(state.rows), cols: joined(state.cols), value: data.values[state.value].name, over: state.over || null,
                                          mean: state.mean || null, plot: state.plot, only: [...state.only].map(([a, at]) => `${data.axes[a].name}=${data.axes[a].places[at]}`).join(';') || null});
    const changed = f => value => { f(value); draw(); remember(); };
    function filters() {
        return others().filter(a => data.axes[a].places.length > 1).map(a =>
            select({label: data.axes[a].name, options: [['', 'all'], ...data.axes[a].places.map((text, i) => [String(i), text])],
                    value: state.only.has(a) ? String(state.only.get(a)) : '',
                    onChange: changed(v => (v === '' ? state.only.delete(a) : state.only.set(a, Number(v))))}).node);
    }
    // Lists that stay as they are: one that is made anew while it is used forgets what was typed.
    const all = el('span', {class: 'controls'}), some = el('span', {class: 'controls'});
    const fixed = {};
    function makeFixed() {
        fixed.rows = select({label: 'rows', options: listed(state.rows), value: joined(state.rows), onChange: changed(v => choose('rows', v))});
        fixed.cols = select({label: 'columns', options: listed(state.cols), value: joined(state.cols), onChange: changed(v => choose('cols', v))});
        if (data.values.length > 1)
            fixed.value = select({label: 'statistic', options: data.values.map((v, i) => [String(i), v.name]), value: String(state.value), onChange: changed(v => { state.value = Number(v); })});
        fixed.mean = select({label: 'mean', options: [['', '–'], ['arithmetic', 'arithmetic'], ['geometric', 'geometric'], ['harmonic', 'harmonic']], value: state.mean,
                             onChange: changed(v => { state.mean = v; })});
        all.replaceChildren(...Object.values(fixed).map(c => c.node));
    }
    function drawControls(made) {
        const plots = [['bars', 'bars'], ...(numeric(made) ? [['lines', 'lines']] : []), ['heat', 'heat map']];
        const shown = {rows: joined(state.rows), cols: joined(state.cols), value: String(state.value), mean: state.mean};
        for (const key of Object.keys(fixed)) fixed[key].set(shown[key]);
        const focused = [...some.querySelectorAll('select, input')].indexOf(document.activeElement);
        some.replaceChildren(
            select({label: 'over', options: [['', '–'], ...made.cols.map(c => [c, c])], value: state.over, onChange: changed(v => { state.over = v; })}).node,
            choice({label: 'draw', options: plots, value: state.plot, onChange: changed(v => { state.plot = v; })}).node, ...filters());
        if (focused >= 0) (some.querySelectorAll('select, input')[focused] || some.querySelector('select')).focus();
    }
    function draw() {
        const made = settled();
        if (made.clash || !made.rows.length) {
            chart.replaceChildren(note(made.clash ? 'Two points lie in one cell, and differ in none of these axes: their programs differ.' : 'There are no points.'));
            body.replaceChildren();
            return;
        }
        if (state.plot === 'lines' && !numeric(made)) state.plot = 'bars';
        if (state.over && !made.cols.includes(state.over)) state.over = '';
        drawControls(made);
        chart.replaceChildren(picture(made));
        body.replaceChildren(numbers(made));
    }

    // ---- the address ----
    function open(from) {
        const known = text => text && text.split(',').every(n => axisIndex.has(n));
        if (known(from.rows)) state.rows = axesOf(from.rows);
        if (known(from.cols)) state.cols = axesOf(from.cols);
        const value = data.values.findIndex(v => v.name === from.value);
        if (value >= 0) state.value = value;
        for (const key of ['over', 'mean', 'plot']) if (from[key] !== undefined) state[key] = from[key];
        for (const word of (from.only || '').split(';').filter(Boolean)) {
            const axis = axisIndex.get(word.slice(0, word.indexOf('='))), at = axis === undefined ? -1 : data.axes[axis].places.indexOf(word.slice(word.indexOf('=') + 1));
            if (at >= 0) state.only.set(axis, at);
        }
        makeFixed();
        draw();
    }
    page.section('plot', 'The table as a picture', el('div', {class: 'controls'}, all, some), chart);
    page.section('table', 'The numbers', body);
    const bad = data.points.filter(p => p.state !== 'ok');
    if (bad.length)
        page.section('failures', 'Points without numbers', table({columns: [...data.axes.map((a, i) => ({key: i, label: a.name, value: p => place(p, i)})),
            {key: 'state', label: 'state'}, {key: 'error', label: 'why'}], rows: bad, limit: 50}).node);
    page.section('meaning', 'What it is', el('dl', {class: 'about'}, data.values.map(v => [el('dt', {}, el('code', {}, v.name), v.unit ? ` (${v.unit})` : ''), el('dd', {}, v.meaning || "A mechanism's own counter.")])));
    address.listen(open);
    open(address.read());
};
