/* The tables of heddle results' page, as src/lab/store/pivot.c makes them: points laid out by rows and columns; those that differ in
 * nothing but the axes that are averaged share a cell. layout: {rows, cols, over: [axis], overMean, relativeTo, only: Map of axis
 * to place}. */
'use strict';
const resultsTable = (() => {
    const MOST_CELLS = 4e6;
    const keyOf = (point, axes) => axes.map(a => point.at[a]).join();

    // The heads of one direction in order of their places, and which of them a point belongs to.
    function heads(points, axes, label) {
        const byKey = new Map();
        for (const p of points) byKey.set(keyOf(p, axes), p);
        const order = (p, q) => axes.reduce((found, a) => found || p.at[a] - q.at[a], 0);
        const sorted = [...byKey.values()].sort(order);
        const place = new Map(sorted.map((p, i) => [keyOf(p, axes), i]));
        return {labels: sorted.map(p => label(p, axes)), points: sorted, of: p => place.get(keyOf(p, axes))};
    }
    function mean(kind, numbers) {
        if (!numbers.length || (kind !== 'arithmetic' && numbers.some(v => v <= 0))) return null;
        const sum = f => numbers.reduce((s, v) => s + f(v), 0) / numbers.length;
        return kind === 'arithmetic' ? sum(v => v) : kind === 'geometric' ? Math.exp(sum(Math.log)) : 1 / sum(v => 1 / v);
    }
    function deviation(numbers) {
        const middle = mean('arithmetic', numbers);
        return numbers.length > 1 ? Math.sqrt(numbers.reduce((s, v) => s + (v - middle) ** 2, 0) / (numbers.length - 1)) : 0;
    }
    // A cell is a Map from its places on the averaged axes to points; base: the cell to divide by, point by point.
    function summary(cell, base, value, kind) {
        if (!cell) return null;
        const numbers = [];
        for (const [key, p] of cell) {
            const own = p.values[value], by = base ? base.get(key) : null, divisor = by ? by.values[value] : null;
            if (own !== null && !base) numbers.push(own);
            else if (own !== null && divisor) numbers.push(own / divisor);
        }
        const middle = mean(kind, numbers);
        if (middle === null) return null;
        const low = numbers.reduce((m, v) => Math.min(m, v)), high = numbers.reduce((m, v) => Math.max(m, v));
        return {value: low === high ? low : middle, low, high, deviation: low === high ? 0 : deviation(numbers), n: numbers.length, of: cell.size};
    }
    /* {clash: [point, point]}, {large: cells}, or {rows, cols: [label], rowPoints, cells, summary(value, divide) => [[summary or null]]} */
    function make(all, layout, label) {
        const points = layout.only.size ? all.filter(p => [...layout.only].every(([axis, at]) => p.at[axis] === at)) : all;
        const rows = heads(points, layout.rows, label), cols = heads(points, layout.cols, label);
        if (rows.labels.length * cols.labels.length > MOST_CELLS) return {large: rows.labels.length * cols.labels.length};
        const cells = rows.labels.map(() => cols.labels.map(() => null));
        for (const p of points) {
            const row = cells[rows.of(p)], c = cols.of(p), key = keyOf(p, layout.over);
            if (!row[c]) row[c] = new Map();
            if (row[c].has(key)) return {clash: [row[c].get(key), p]};
            row[c].set(key, p);
        }
        const base = layout.relativeTo ? cols.labels.indexOf(layout.relativeTo) : -1;
        return {rows: rows.labels, cols: cols.labels, rowPoints: rows.points, cells,
                summary: (value, divide) => cells.map(row => row.map(cell =>
                    (divide && base >= 0 && !row[base] ? null : summary(cell, divide && base >= 0 ? row[base] : null, value, layout.overMean))))};
    }
    return {make, mean};
})();
