/* heddle results --html: points of sweeps, laid out as tables and charts whose axes the reader chooses. data: {version, title,
 * command, axes: [{name, places: [text in order]}], values: [{name, kind, unit, meaning}], points: [{at: [place by axis], values:
 * [number by value], state and error unless it is fine}], rows, cols, over: [axis], over_mean, spread, relative_to, mean, plot,
 * log_x, log_y}; rows to log_y are what to show first, rows and cols empty where the command line names none. Of a scatter plot
 * the first value is upwards, the second to the right. The tables are those of results-table.js. */
'use strict';
heddlePages.results = (data, root) => {
    const {el, fmt, table, heatmap, layout, select, choice, note, bars, lines, scatter, address} = pieces;
    const axisIndex = new Map(data.axes.map((a, i) => [a.name, i]));
    const page = layout(root, {title: data.title, version: data.version,
        lead: `${fmt.int(data.points.length)} point${data.points.length === 1 ? '' : 's'}; ${data.values.map(v => v.name).join(', ')}`,
        about: [['command', el('code', {}, data.command)]]});
    const place = (point, axis) => data.axes[axis].places[point.at[axis]];
    const label = (point, axes) => axes.map(a => place(point, a)).join(' ');
    const joined = axes => axes.map(a => data.axes[a].name).join(',');

    // ---- what is shown ----
    const first = (names, fallback) => (names.length ? names : [fallback]).map(n => axisIndex.get(n));
    // Seeds are there to be averaged, unless the command line says what is shown.
    const seeds = () => (data.rows.length ? [] : data.axes.filter(a => a.places.length > 1 && a.name.split('.').pop() === 'seed').map(a => a.name));
    const state = {rows: first(data.rows, 'workload'), cols: first(data.cols, 'mech'), value: 0, x: Math.min(1, data.values.length - 1),
                   over: (data.over.length ? data.over : seeds()).map(n => axisIndex.get(n)), overMean: data.over_mean, spread: data.spread,
                   relativeTo: data.relative_to || '', mean: data.mean, plot: data.plot, logX: data.log_x, logY: data.log_y, only: new Map()};
    const others = () => data.axes.map((_, i) => i).filter(i => !state.rows.includes(i) && !state.cols.includes(i) && !state.over.includes(i));
    // Points that share a cell differ in something that is neither shown nor averaged: its first place is chosen, as the lists show.
    function settled() {
        for (;;) {
            const made = resultsTable.make(data.points, state, label);
            const axis = made.clash ? others().find(a => made.clash[0].at[a] !== made.clash[1].at[a]) : undefined;
            if (axis === undefined) return made;
            const chosen = data.points.filter(p => [...state.only].every(([a, at]) => p.at[a] === at));
            state.only.set(axis, chosen.reduce((low, p) => Math.min(low, p.at[axis]), Infinity));
        }
    }

    // ---- numbers ----
    const formatOf = value => (data.values[value].kind === 'real' ? v => fmt.fixed(v, 3) : fmt[data.values[value].kind]);
    // Of means of counts, which are seldom whole.
    const meanFormat = value => (data.values[value].kind === 'int' ? v => (Number.isInteger(v) ? fmt.int(v) : fmt.fixed(v, 3)) : formatOf(value));
    const format = () => (state.relativeTo ? v => fmt.fixed(v, 3) : state.over.length ? meanFormat(state.value) : formatOf(state.value));
    const spreadOf = s => (s && state.over.length && s.n > 1 ? (state.spread === 'range' ? [s.low, s.high] : [s.value - s.deviation, s.value + s.deviation]) : null);
    const positive = (spread, value, log) => (spread && log ? [spread[0] > 0 ? spread[0] : value, spread[1]] : spread);
    const valueOf = s => (s ? s.value : null);

    // ---- pictures ----
    const chosen = () => [...state.only].map(([a, at]) => `${data.axes[a].name} ${data.axes[a].places[at]}`).join(', ');
    const axisName = () => data.values[state.value].name + (state.relativeTo ? ` over that of ${state.relativeTo}` : '');
    const averaged = shape => (state.over.length ? `, ${state.overMean} mean over ${joined(state.over)}${shape ? `; ${shape}: ${state.spread === 'range' ? 'smallest to largest' : 'a standard deviation both ways'}` : ''}` : '');
    const numeric = made => state.rows.length === 1 && made.rows.length > 1 && made.rows.every(t => t.trim() !== '' && Number.isFinite(Number(t)));
    const ranges = (numbers, times) => {
        const there = numbers.filter(v => v !== null), low = there.reduce((m, v) => Math.min(m, v), Infinity), high = there.reduce((m, v) => Math.max(m, v), -Infinity);
        return low > 0 && high >= times * low;
    };
    const log = (asked, numbers, times) => (asked === undefined ? times > 0 && ranges(numbers, times) : asked && ranges(numbers, 0));
    const LIMITS = {bars: ['bars', 3000], heat: ['cells', 20000], lines: ['lines', 60]};
    // What nobody could read is not drawn.
    function tooMany(made) {
        const [what, most] = LIMITS[state.plot] || [], n = state.plot === 'lines' ? made.cols.length : made.rows.length * made.cols.length;
        return what && n > most ? note(`${fmt.int(n)} ${what} are more than anybody can read: choose other rows or columns, average an axis, or choose points by the lists.`) : null;
    }
    function drawLines(made, sums, title) {
        const xs = made.rows.map(Number), logX = log(state.logX, xs, 4), logY = log(state.logY, sums.flat().map(valueOf), 0);
        const series = (name, c) => {
            const at = xs.map((x, r) => [x, sums[r][c]]).filter(p => p[1]);
            return {label: name, points: at.map(([x, s]) => [x, s.value]),
                    ...(state.over.length ? {band: at.map(([x, s]) => [x, ...(positive(spreadOf(s), s.value, logY) || [s.value, s.value])])} : {})};
        };
        return lines({title: title + averaged('band'), bare: true, x: data.axes[state.rows[0]].name, axis: axisName(), marks: true, format: format(), logX, logY, height: 360,
                      ticks: logX && xs.length <= 16 ? xs : undefined, series: made.cols.map(series)}).node;
    }
    // One of those that fall on each other: a browser need not draw what cannot be seen.
    function thinned(dots, logX, logY) {
        if (dots.length <= 5000) return dots;
        const of = (v, isLog) => (isLog ? Math.log(v) : v);
        const end = (f, start, pick) => dots.reduce((m, p) => pick(m, f(p)), start);
        const fx = p => of(p.x, logX), fy = p => of(p.y, logY);
        const x0 = end(fx, Infinity, Math.min), y0 = end(fy, Infinity, Math.min), w = end(fx, -Infinity, Math.max) - x0 || 1, h = end(fy, -Infinity, Math.max) - y0 || 1;
        const seen = new Map();
        for (const p of dots) seen.set(Math.round(1000 * (fx(p) - x0) / w) * 2000 + Math.round(1000 * (fy(p) - y0) / h), p);
        return [...seen.values()];
    }
    function drawScatter(made, sums, title) {
        const across = made.summary(state.x, false);
        const logX = log(state.logX, across.flat().map(valueOf), 100), logY = log(state.logY, sums.flat().map(valueOf), 100);
        const dots = c => made.rows.map((name, r) => ({name, x: across[r][c], y: sums[r][c]})).filter(p => p.x && p.y)
            .map(p => ({name: p.name, x: p.x.value, y: p.y.value, xSpread: positive(spreadOf(p.x), p.x.value, logX), ySpread: positive(spreadOf(p.y), p.y.value, logY)}));
        return scatter({title: `${title} and ${data.values[state.x].name}${averaged('whiskers')}`, x: data.values[state.x].name, axis: axisName(), height: 460,
                        xFormat: state.over.length ? meanFormat(state.x) : formatOf(state.x), format: format(), logX, logY, mark: state.relativeTo ? 1 : undefined,
                        series: made.cols.map((name, c) => ({label: name, points: thinned(dots(c), logX, logY)}))}).node;
    }
    function picture(made, sums) {
        const few = tooMany(made), title = axisName() + (state.only.size ? `; ${chosen()}` : ''), reference = state.relativeTo ? 1 : undefined;
        if (few) return few;
        if (state.plot === 'scatter') return drawScatter(made, sums, title);
        if (state.plot === 'lines') return drawLines(made, sums, title);
        const meanRow = state.mean ? made.cols.map((_, c) => resultsTable.mean(state.mean, sums.map(r => valueOf(r[c])).filter(Number.isFinite))) : null;
        const labels = meanRow ? [...made.rows, `${state.mean} mean`] : made.rows, values = sums.map(r => r.map(valueOf));
        if (meanRow) values.push(meanRow);
        if (state.plot === 'heat')
            return heatmap({rows: labels.map((_, r) => r), columns: made.cols.map((_, c) => c), names: {rows: labels, columns: made.cols}, caption: title + averaged(''),
                            corner: joined(state.rows), format: format(), from: reference, value: (r, c) => values[r][c]});
        return bars({title: title + averaged('whiskers'), bare: true, labels, axis: axisName(), format: format(), height: 360, mark: reference,
                     series: made.cols.map((name, c) => ({label: name, values: values.map(r => r[c]), ...(state.over.length ? {spread: sums.map(r => spreadOf(r[c]))} : {})}))}).node;
    }
    const badPoint = cell => (cell ? [...cell.values()].find(p => p.state) : null);
    // "2.125 2.100..2.150 of 2", as the command line has it.
    function cellText(s) {
        const show = format(), spread = spreadOf(s);
        const apart = !spread ? '' : state.spread === 'range' ? ` ${show(s.low)}..${show(s.high)}` : ` +-${show(s.deviation)}`;
        return show(s.value) + apart + (s.n < s.of ? ` of ${s.n}` : '');
    }
    function numbers(made, sums) {
        const cell = (row, c) => {
            const s = sums[row.r][c], p = badPoint(made.cells[row.r][c]);
            return s ? cellText(s) : p ? el('span', {class: 'bad', title: p.error}, p.state) : fmt.auto(null);
        };
        const columns = [...state.rows.map((axis, k) => ({key: 'axis' + k, label: data.axes[axis].name, value: row => (Number.isNaN(Number(row.at[k])) ? row.at[k] : Number(row.at[k])), cell: row => row.at[k]})),
                         ...made.cols.map((name, c) => ({key: c, label: name, kind: 'real', value: row => valueOf(sums[row.r][c]), cell: row => cell(row, c)}))];
        const rows = made.rows.map((_, r) => ({r, at: state.rows.map(a => place(made.rowPoints[r], a))}));
        return table({columns, rows, caption: axisName() + averaged(''), limit: 200}).node;
    }

    // ---- controls ----
    const chart = el('div'), body = el('div');
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
        state.over = state.over.filter(a => !wanted.includes(a));
        for (const a of [...state.rows, ...state.cols]) state.only.delete(a);
        state.relativeTo = '';
        state.logX = undefined;
    }
    function average(text) {
        state.over = text ? axesOf(text) : [];
        for (const a of state.over) state.only.delete(a);
    }
    const remember = () => address.write({rows: joined(state.rows), cols: joined(state.cols), value: data.values[state.value].name, over: state.relativeTo || null, average: joined(state.over),
                                          by: state.overMean, spread: state.spread, x: data.values[state.x].name, mean: state.mean || null, plot: state.plot, only: [...state.only].map(([a, at]) => `${data.axes[a].name}=${data.axes[a].places[at]}`).join(';') || null});
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
    const means = [['arithmetic', 'arithmetic'], ['geometric', 'geometric'], ['harmonic', 'harmonic']];
    const statistics = data.values.map((v, i) => [String(i), v.name]);
    function makeFixed() {
        fixed.rows = select({label: 'rows', options: listed(state.rows), value: joined(state.rows), onChange: changed(v => choose('rows', v))});
        fixed.cols = select({label: 'columns', options: listed(state.cols), value: joined(state.cols), onChange: changed(v => choose('cols', v))});
        if (data.values.length > 1)
            fixed.value = select({label: 'statistic', options: statistics, value: String(state.value), onChange: changed(v => { state.value = Number(v); state.logY = undefined; })});
        fixed.mean = select({label: 'mean', options: [['', '–'], ...means], value: state.mean, onChange: changed(v => { state.mean = v; })});
        all.replaceChildren(...Object.values(fixed).map(c => c.node));
    }
    // What can be averaged: any axis that is not shown, and all that are now.
    function overLists() {
        const free = data.axes.map((_, i) => i).filter(a => !state.rows.includes(a) && !state.cols.includes(a) && data.axes[a].places.length > 1);
        const options = [['', '–'], ...free.map(a => [data.axes[a].name, data.axes[a].name]), ...(state.over.length > 1 ? [[joined(state.over), joined(state.over)]] : [])];
        if (options.length === 1) return [];
        const list = select({label: 'average over', options, value: joined(state.over), onChange: changed(average)}).node;
        return state.over.length ? [list, select({label: 'by the mean', options: means, value: state.overMean, onChange: changed(v => { state.overMean = v; })}).node,
            select({label: 'spread', options: [['range', 'smallest to largest'], ['deviation', 'standard deviation']], value: state.spread, onChange: changed(v => { state.spread = v; })}).node] : [list];
    }
    function drawControls(made) {
        const plots = [['bars', 'bars'], ...(numeric(made) ? [['lines', 'lines']] : []), ['heat', 'heat map'], ...(data.values.length > 1 ? [['scatter', 'scatter']] : [])];
        const shown = {rows: joined(state.rows), cols: joined(state.cols), value: String(state.value), mean: state.mean};
        for (const key of Object.keys(fixed)) fixed[key].set(shown[key]);
        const focused = [...some.querySelectorAll('select, input')].indexOf(document.activeElement);
        some.replaceChildren(
            select({label: 'divided by', options: [['', '–'], ...made.cols.map(c => [c, c])], value: state.relativeTo, onChange: changed(v => { state.relativeTo = v; state.logY = undefined; })}).node,
            choice({label: 'draw', options: plots, value: state.plot, onChange: changed(v => { state.plot = v; state.logX = state.logY = undefined; })}).node,
            ...(state.plot === 'scatter' ? [select({label: 'to the right', options: statistics, value: String(state.x), onChange: changed(v => { state.x = Number(v); state.logX = undefined; })}).node] : []),
            ...overLists(), ...filters());
        if (focused >= 0) (some.querySelectorAll('select, input')[focused] || some.querySelector('select')).focus();
    }
    const nothing = made => (made.clash ? 'Two points lie in one cell, and differ in none of these axes: their programs differ.'
        : made.large ? `A table of ${fmt.int(made.large)} cells is more than a browser can hold: choose other rows or columns.` : 'There are no points.');
    function draw() {
        const made = settled();
        if (made.clash || made.large || !made.rows.length) {
            chart.replaceChildren(note(nothing(made)));
            body.replaceChildren();
            return;
        }
        if ((state.plot === 'lines' && !numeric(made)) || (state.plot === 'scatter' && data.values.length < 2)) state.plot = 'bars';
        if (state.relativeTo && !made.cols.includes(state.relativeTo)) state.relativeTo = '';
        drawControls(made);
        const sums = made.summary(state.value, true);
        chart.replaceChildren(picture(made, sums));
        body.replaceChildren(numbers(made, sums));
    }

    // ---- the address ----
    function open(from) {
        const known = text => text && text.split(',').every(n => axisIndex.has(n));
        if (known(from.rows)) state.rows = axesOf(from.rows);
        if (known(from.cols)) state.cols = axesOf(from.cols);
        const value = data.values.findIndex(v => v.name === from.value);
        if (value >= 0) state.value = value;
        const x = data.values.findIndex(v => v.name === from.x);
        if (x >= 0) state.x = x;
        if (from.average === '' || known(from.average)) state.over = from.average ? axesOf(from.average) : [];
        for (const [key, to] of [['over', 'relativeTo'], ['by', 'overMean'], ['spread', 'spread'], ['mean', 'mean'], ['plot', 'plot']])
            if (from[key] !== undefined) state[to] = from[key];
        for (const word of (from.only || '').split(';').filter(Boolean)) {
            const axis = axisIndex.get(word.slice(0, word.indexOf('='))), at = axis === undefined ? -1 : data.axes[axis].places.indexOf(word.slice(word.indexOf('=') + 1));
            if (at >= 0) state.only.set(axis, at);
        }
        makeFixed();
        draw();
    }
    page.section('plot', 'The table as a picture', el('div', {class: 'controls'}, all, some), chart);
    page.section('table', 'The numbers', body);
    const bad = data.points.filter(p => p.state);
    if (bad.length)
        page.section('failures', 'Points without numbers', table({columns: [...data.axes.map((a, i) => ({key: i, label: a.name, value: p => place(p, i)})),
            {key: 'state', label: 'state'}, {key: 'error', label: 'why'}], rows: bad, limit: 50}).node);
    page.section('meaning', 'What it is', el('dl', {class: 'about'}, data.values.map(v => [el('dt', {}, el('code', {}, v.name), v.unit ? ` (${v.unit})` : ''), el('dd', {}, v.meaning || "A mechanism's own counter.")])));
    address.listen(open);
    open(address.read());
};
