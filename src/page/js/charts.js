/* Charts over Chart.js. Every chart is a <figure> with a caption, a legend of buttons that show and hide a series (a canvas
 * cannot be reached by keyboard), and its numbers as a table behind a line that opens. Colours follow the theme; nothing is
 * animated, so that a picture of a page is always the same.
 *
 *   bars({title, labels, series: [{label, values, colour}], stacked, horizontal, format, axis, reference, mark, max, height, numbers})
 *       One group of bars per label, one bar (stacked: one part) per series. format: of values, a function; axis: what the
 *       values are; reference: a value marked by a line (1 of speed-ups), where bars start; mark: the line alone; numbers: write each value at its
 *       bar. colour: a name of style.css without the dashes ('c3', 'r2'); by default one of c1 to c12 by the series' index.
 *       A series' spread: [[low, high] or null, ...] draws a whisker at each of its bars.
 *   lines({title, series: [{label, points: [[x, y], ...], colour, stepped}], x, axis, format, xFormat, logX, logY, ticks, marks, height, fill})
 *       Points with x growing. Beyond a few thousand points Chart.js' decimation keeps least and most of every pixel.
 *       x, axis: what is on the axes; marks: a dot at every point (few points); ticks: where the x axis has
 *       them, instead of where Chart.js would.
 *       A series' band: [[x, low, high], ...] is shaded.
 *   scatter({title, series: [{label, points: [{x, y, name, xSpread, ySpread}], colour}], x, axis, format, xFormat, logX, logY, mark, height})
 *       A dot for each point; spreads are [low, high] or null. A few dots have their names beside them, all when they are pointed at.
 *   bare: without the table of numbers, where the page has it anyway; a scatter plot always is. All return {node, chart, update()}; chart is Chart.js' own object. */
'use strict';
(() => {
    const {el, fmt, theme, colour, seriesName, table, details} = pieces;

    Chart.defaults.font.family = 'system-ui, "DejaVu Sans", sans-serif';

    // ---- what Chart.js lacks ----
    const referenceLine = {
        id: 'referenceLine',
        beforeDatasetsDraw(chart, _, options) {
            if (typeof options.value !== 'number') return;
            const {ctx, chartArea: area, scales} = chart, across = chart.options.indexAxis === 'y';
            const at = (across ? scales.x : scales.y).getPixelForValue(options.value);
            ctx.save();
            ctx.strokeStyle = options.colour;
            ctx.lineWidth = 1.5;
            ctx.beginPath();
            if (across) { ctx.moveTo(at, area.top); ctx.lineTo(at, area.bottom); }
            else { ctx.moveTo(area.left, at); ctx.lineTo(area.right, at); }
            ctx.stroke();
            ctx.restore();
        },
    };
    function drawNumber(ctx, bar, text, across, below) {
        ctx.textAlign = across ? (below ? 'right' : 'left') : 'center';
        ctx.textBaseline = across ? 'middle' : below ? 'top' : 'bottom';
        const away = below ? -4 : 4;
        if (across) ctx.fillText(text, bar.x + away, bar.y);
        else ctx.fillText(text, bar.x, bar.y - away);
    }
    const barNumbers = {
        id: 'barNumbers',
        afterDatasetsDraw(chart, _, options) {
            if (!options.format) return;
            const {ctx} = chart, across = chart.options.indexAxis === 'y';
            ctx.save();
            ctx.fillStyle = options.colour;
            ctx.font = '11px system-ui, sans-serif';
            chart.data.datasets.forEach((set, i) => {
                if (!chart.isDatasetVisible(i)) return;
                chart.getDatasetMeta(i).data.forEach((bar, k) => {
                    const v = set.data[k];
                    if (Number.isFinite(v)) drawNumber(ctx, bar, options.format(v), across, v < (set.base || 0));
                });
            });
            ctx.restore();
        },
    };

    // How far values lie apart: bands behind lines, whiskers over bars and dots.
    function drawBand({ctx, scales: {x, y}}, band, fill) {
        ctx.fillStyle = fill;
        ctx.beginPath();
        band.forEach(([at, , high], i) => ctx[i ? 'lineTo' : 'moveTo'](x.getPixelForValue(at), y.getPixelForValue(high)));
        for (const [at, low] of [...band].reverse()) ctx.lineTo(x.getPixelForValue(at), y.getPixelForValue(low));
        ctx.fill();
    }
    function drawWhisker(ctx, at, low, high, across) {
        const point = (along, aside) => (across ? [along, at + aside] : [at + aside, along]);
        for (const [from, to] of [[point(low, 0), point(high, 0)], [point(low, -3), point(low, 3)], [point(high, -3), point(high, 3)]]) {
            ctx.moveTo(...from);
            ctx.lineTo(...to);
        }
    }
    const visible = chart => chart.data.datasets.map((set, i) => [set, chart.getDatasetMeta(i).data, i]).filter(([, , i]) => chart.isDatasetVisible(i));
    const spreads = {
        id: 'spreads',
        beforeDatasetsDraw(chart) {
            const {ctx, chartArea: a} = chart;
            ctx.save();
            ctx.beginPath();
            ctx.rect(a.left, a.top, a.right - a.left, a.bottom - a.top);
            ctx.clip();
            for (const [set] of visible(chart)) if (set.band) drawBand(chart, set.band, set.bandColour);
            ctx.restore();
        },
        afterDatasetsDraw(chart, _, options) {
            const {ctx, scales: {x, y}} = chart;
            ctx.save();
            ctx.strokeStyle = options.colour;
            ctx.lineWidth = 1.2;
            ctx.beginPath();
            for (const [set, shapes] of visible(chart))
                (set.spread || []).forEach((s, k) => {
                    if (!s || !shapes[k]) return;
                    if (s.y) drawWhisker(ctx, shapes[k].x, ...s.y.map(v => y.getPixelForValue(v)), false);
                    if (s.x) drawWhisker(ctx, shapes[k].y, ...s.x.map(v => x.getPixelForValue(v)), true);
                });
            ctx.stroke();
            ctx.restore();
        },
    };
    const most = numbers => numbers.reduce((m, v) => (v > m ? v : m), -Infinity), least = numbers => -most(numbers.map(v => -v));
    // An axis that has room for these values, too.
    const reaching = values => (values.length ? {suggestedMin: least(values), suggestedMax: most(values)} : {});

    // ---- shared ----
    const nameOf = (s, i) => s.colour || seriesName(i);
    function scale(name, format, extra) {
        return {title: {display: Boolean(name), text: name || '', color: colour('soft')},
                grid: {color: colour('line'), borderColor: colour('line')},
                ticks: {color: colour('soft'), ...(format ? {callback: v => format(v)} : {})}, ...extra};
    }
    function legend(chart, series) {
        if (series.length < 2) return null;
        return el('div', {class: 'legend', role: 'group', 'aria-label': 'series shown'}, series.map((s, i) => {
            const press = () => {
                const on = !chart.isDatasetVisible(i);
                chart.setDatasetVisibility(i, on);
                chart.update();
                button.setAttribute('aria-pressed', String(on));
            };
            const button = el('button', {type: 'button', 'aria-pressed': 'true', on: {click: press}},
                              el('span', {class: 'swatch', style: {'--swatch': `var(--${nameOf(s, i)})`}}), s.label);
            return button;
        }));
    }
    // The figure, and the chart in it, whose colours are set anew with every change of the theme.
    function figure(options, numbers, make) {
        const canvas = el('canvas', {role: 'img', 'aria-label': options.title});
        const box = el('div', {class: 'canvas', style: {height: (options.height || 280) + 'px'}}, canvas);
        const chart = new Chart(canvas, make());
        const node = el('figure', {class: 'chart'}, el('figcaption', {}, options.title), legend(chart, options.series), box,
                        options.bare ? null : details('the numbers', numbers()));
        let shown = false;
        theme.listen(() => { // until the page has taken it away
            if (shown && !canvas.isConnected) {
                chart.destroy();
                return false;
            }
            shown = canvas.isConnected;
            const made = make();
            chart.options = made.options;
            // The values stay as they are: Chart.js' decimation has put its own in their place.
            made.data.datasets.forEach(({data, ...looks}, i) => Object.assign(chart.data.datasets[i], looks));
            chart.update();
            return true;
        });
        return {node, chart, update: () => chart.update()};
    }
    const common = (options, tooltip) => ({
        responsive: true, maintainAspectRatio: false, animation: false,
        interaction: {mode: 'index', intersect: false},
        plugins: {legend: {display: false}, tooltip},
    });
    const refit = () => { for (const c of Object.values(Chart.instances)) if (c.canvas && c.canvas.isConnected) c.resize(); };
    addEventListener('beforeprint', refit);
    addEventListener('afterprint', refit);

    // ---- bars ----
    function barOptions(o, format) {
        const across = Boolean(o.horizontal);
        const values = scale(o.axis, o.format || fmt.short, {stacked: Boolean(o.stacked), grace: o.numbers ? '8%' : 0, max: o.max});
        const labels = {...scale('', null, {stacked: Boolean(o.stacked)}), grid: {display: false}};
        labels.ticks = {color: colour('ink'), autoSkip: false, maxRotation: 60};
        const options = common(o, {callbacks: {label: c => `${c.dataset.label}: ${format(c.raw)}`}});
        options.interaction.axis = across ? 'y' : 'x';
        options.indexAxis = across ? 'y' : 'x';
        options.scales = across ? {x: values, y: labels} : {x: labels, y: values};
        options.plugins.referenceLine = {value: o.reference === undefined ? o.mark : o.reference, colour: colour('ink')};
        options.plugins.barNumbers = {format: o.numbers ? format : null, colour: colour('ink')};
        options.plugins.spreads = {colour: colour('ink')};
        Object.assign(values, reaching(o.series.flatMap(r => r.spread || []).filter(Boolean).flat()));
        return options;
    }
    function numbersOfBars(o, format) {
        const columns = [{key: 'label', label: ''}, ...o.series.map((s, i) => ({key: i, label: s.label, kind: 'real', format: v => format(v),
                                                                              value: row => row.values[i]}))];
        return table({columns, rows: o.labels.map((label, k) => ({label, values: o.series.map(s => s.values[k])}))}).node;
    }
    pieces.bars = o => {
        const format = o.format || fmt.auto;
        return figure(o, () => numbersOfBars(o, format), () => ({
            type: 'bar',
            data: {labels: o.labels, datasets: o.series.map((s, i) => ({
                label: s.label, data: s.values, backgroundColor: colour(nameOf(s, i)), hoverBackgroundColor: colour(nameOf(s, i)),
                borderWidth: 0, maxBarThickness: 48,
                ...(typeof o.reference === 'number' && !o.stacked ? {base: o.reference} : {}),
                ...(s.spread ? {spread: s.spread.map(v => v && {y: v})} : {}),
            }))},
            options: barOptions(o, format),
            plugins: [referenceLine, barNumbers, spreads],
        }));
    };

    // ---- lines ----
    const at = ticks => axis => { axis.ticks = ticks.map(value => ({value})); };
    function lineOptions(o, format, xFormat) {
        const options = common(o, {callbacks: {title: items => (items.length ? `${o.x || 'x'} ${xFormat(items[0].parsed.x)}` : ''),
                                               label: c => `${c.dataset.label}: ${format(c.parsed.y)}`}});
        options.parsing = false;
        options.normalized = true;
        options.interaction.mode = 'nearest';
        options.interaction.axis = 'x';
        options.scales = {x: scale(o.x, o.xFormat || fmt.short, {type: o.logX ? 'logarithmic' : 'linear', ...(o.ticks ? {afterBuildTicks: at(o.ticks), min: Math.min(...o.ticks), max: Math.max(...o.ticks)} : {})}),
                          y: scale(o.axis, o.format || fmt.short, {type: o.logY ? 'logarithmic' : 'linear', beginAtZero: !o.logY,
                                                                   ...reaching(o.series.flatMap(r => r.band || []).flatMap(b => b.slice(1)))})};
        options.plugins.decimation = {enabled: true, algorithm: 'min-max'};
        return options;
    }
    function numbersOfLines(o, format, xFormat) {
        const xs = [...new Set(o.series.flatMap(s => s.points.map(p => p[0])))].sort((a, b) => a - b);
        const at = o.series.map(s => new Map(s.points));
        const columns = [{key: 'x', label: o.x || 'x', kind: 'real', format: v => xFormat(v)},
                         ...o.series.map((s, i) => ({key: i, label: s.label, kind: 'real', format: v => format(v), value: row => at[i].get(row.x)}))];
        return table({columns, rows: xs.map(x => ({x})), limit: 100}).node;
    }
    pieces.lines = o => {
        const format = o.format || fmt.auto, xFormat = o.xFormat || fmt.auto;
        return figure(o, () => numbersOfLines(o, format, xFormat), () => ({
            type: 'line',
            data: {datasets: o.series.map((s, i) => ({
                label: s.label, data: s.points.map(([x, y]) => ({x, y})), borderColor: colour(nameOf(s, i)), borderWidth: 1.8,
                backgroundColor: colour(nameOf(s, i), o.fill ? 0.25 : 1), fill: Boolean(o.fill), stepped: Boolean(s.stepped),
                pointRadius: o.marks ? 3 : 0, clip: o.marks ? 6 : 0, pointHitRadius: 6, tension: 0,
                ...(s.band ? {band: s.band, bandColour: colour(nameOf(s, i), 0.2)} : {}),
            }))},
            options: lineOptions(o, format, xFormat),
            plugins: [spreads],
        }));
    };

    // ---- scatter plots ----
    const FEW_DOTS = 60;
    const dotNames = {
        id: 'dotNames',
        afterDatasetsDraw(chart, _, options) {
            if (!options.colour) return;
            const {ctx} = chart;
            ctx.save();
            ctx.fillStyle = options.colour;
            ctx.font = '10px system-ui, sans-serif';
            ctx.textBaseline = 'bottom';
            for (const [set, shapes] of visible(chart)) set.data.forEach((p, k) => shapes[k] && ctx.fillText(p.name, shapes[k].x + 5, shapes[k].y - 2));
            ctx.restore();
        },
    };
    function scatterOptions(o, format, xFormat) {
        const dots = o.series.flatMap(s => s.points), reach = key => reaching(dots.flatMap(p => p[key] || []));
        const options = common(o, {callbacks: {label: c => `${c.dataset.label} ${c.raw.name}: ${xFormat(c.raw.x)}, ${format(c.raw.y)}`}});
        options.parsing = false;
        options.interaction = {mode: 'nearest', intersect: true};
        options.layout = {padding: {right: dots.length <= FEW_DOTS ? 40 : 0}};
        options.scales = {x: scale(o.x, o.xFormat || fmt.short, {type: o.logX ? 'logarithmic' : 'linear', grace: o.logX ? 0 : '4%', ...reach('xSpread')}),
                          y: scale(o.axis, o.format || fmt.short, {type: o.logY ? 'logarithmic' : 'linear', grace: o.logY ? 0 : '4%', ...reach('ySpread')})};
        options.plugins.referenceLine = {value: o.mark, colour: colour('ink')};
        options.plugins.spreads = {colour: colour('soft')};
        options.plugins.dotNames = {colour: dots.length <= FEW_DOTS ? colour('soft') : null};
        return options;
    }
    pieces.scatter = o => {
        const format = o.format || fmt.auto, xFormat = o.xFormat || fmt.auto;
        return figure({...o, bare: true}, null, () => ({
            type: 'scatter',
            data: {datasets: o.series.map((s, i) => ({
                label: s.label, data: s.points, spread: s.points.map(p => ({x: p.xSpread, y: p.ySpread})), pointRadius: 4, pointHitRadius: 4,
                backgroundColor: colour(nameOf(s, i)), borderWidth: 0,
            }))},
            options: scatterOptions(o, format, xFormat),
            plugins: [referenceLine, spreads, dotNames],
        }));
    };
})();
