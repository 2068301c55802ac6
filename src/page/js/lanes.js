/* Lanes over time on a canvas: rows of warps (or SMs), time to the right.
 *
 *   lanesOverTime({tracks: [{name, cells}], density, launches: [{name, begin, end}], beats, place(pc) => text, onSelect(pc), label})
 *       density: what report_time.c writes, of the SM that is looked at; tracks: the rows shown, `cells` being their text there;
 *       issues: whether the rows are those of its windows. A point has the colour of how many lanes issue there, and is the
 *       fainter, the fewer of its cycles have an issue. Where a window of single issues is seen closely enough, they take the
 *       place of the points, lane by lane if a row is high enough.
 *       Wheel or + and - zoom, dragging or the arrow keys move, Home shows everything, n and p go to the next and previous
 *       close-up, Enter selects what is under the cursor. Returns {node, redraw()}. */
'use strict';
(() => {
    const {el, fmt, theme, colour, choice} = pieces;
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const valueOf = new Uint8Array(128);
    for (let i = 0; i < 64; i++) valueOf[letters.charCodeAt(i)] = i;

    // ---- data ----
    function decode(text, density) {
        const step = 2 + density.letters, n = text.length / step;
        const cells = {lanes: new Uint8Array(n), level: new Uint8Array(n), pc: new Uint32Array(n)};
        for (let i = 0, at = 0; i < n; i++, at += step) {
            cells.lanes[i] = valueOf[text.charCodeAt(at)];
            cells.level[i] = valueOf[text.charCodeAt(at + 1)];
            for (let k = 2; k < step; k++) cells.pc[i] = cells.pc[i] << 6 | valueOf[text.charCodeAt(at + k)];
        }
        return cells;
    }
    // The inverse of report_time.c's level: straight lines between the powers of two.
    const shareOf = level => {
        if (!level) return 0;
        const v = (level - 63) / 4, whole = Math.floor(v);
        return 2 ** whole * (1 + v - whole);
    };
    const shares = Float64Array.from({length: 64}, (_, i) => shareOf(i));
    function issuesOf(window) {
        const all = [];
        let cycle = window.begin;
        for (let i = 0; i < window.issues.length; i += 4) {
            cycle += window.issues[i];
            all.push({cycle, row: window.issues[i + 1], mask: window.issues[i + 2], pc: window.issues[i + 3]});
        }
        return {begin: window.begin, end: window.end, issues: all};
    }
    function countBits(mask) {
        let n = 0;
        for (; mask; mask &= mask - 1) n++;
        return n;
    }

    // ---- colours: few lanes red, all lanes blue ----
    const stops = {light: ['#b2182b', '#ef8a3c', '#f2d16b', '#67a9cf', '#1f5fae'], dark: ['#e0473e', '#f2944a', '#ecd173', '#6fb7e0', '#5b8ff0']};
    const isDark = () => {
        const [r, g, b] = colour('ground').match(/\d+/g).map(Number);
        return r + g + b < 384;
    };
    function makeScale() {
        const parse = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
        const list = (isDark() ? stops.dark : stops.light).map(parse);
        return Array.from({length: 64}, (_, i) => {
            const at = i / 63 * (list.length - 1), k = Math.min(list.length - 2, Math.floor(at)), f = at - k;
            return list[k].map((v, c) => Math.round(v + f * (list[k + 1][c] - v)));
        });
    }
    const css = ([r, g, b]) => `rgb(${r}, ${g}, ${b})`;

    function legend(width) {
        const bar = el('canvas', {width: '160', height: '12', role: 'img', 'aria-label': 'from one lane, red, to all lanes, blue'});
        const draw = () => {
            const ctx = bar.getContext('2d'), scale = makeScale();
            for (let x = 0; x < 160; x++) { ctx.fillStyle = css(scale[Math.floor(x / 2.5)]); ctx.fillRect(x, 0, 1, 12); }
        };
        draw();
        theme.listen(draw);
        return el('span', {class: 'lanes-legend'}, '1 lane ', bar, ` ${width} lanes`, el('span', {class: 'soft'}, ' · faint: few issues'));
    }
    // Round steps of time, about so many.
    function ticks(from, to, about) {
        const raw = (to - from) / about, power = 10 ** Math.floor(Math.log10(Math.max(raw, 1)));
        const step = Math.max(1, [1, 2, 5, 10].map(m => m * power).find(s => s >= raw) || power);
        const out = [];
        for (let t = Math.ceil(from / step) * step; t <= to; t += step) out.push(t);
        return out;
    }

    const margin = {left: 66, top: 22, bottom: 24, right: 8};
    pieces.lanesOverTime = options => {
        const {density, launches, beats, place, onSelect, label} = options;
        const tracks = options.tracks.map(t => ({name: t.name, cells: decode(t.cells, density)}));
        const windows = options.issues ? density.windows.map(issuesOf) : [];
        const end = Math.max(density.end, 1), full = options.full;
        const view = {from: 0, to: end, row: 0, at: 0, rowHeight: 0, cursor: false};
        let scale = makeScale();
        const rowHeights = {fit: Math.max(5, Math.min(30, Math.floor(400 / Math.max(1, tracks.length)))), lanes: 34, tall: 68};
        view.rowHeight = rowHeights.fit;

        const canvas = el('canvas', {tabindex: '0', role: 'application', 'aria-label': `${label}. Arrow keys move, plus and minus zoom, Home shows all, n and p go to close-ups, Enter selects the line.`});
        const tip = el('div', {class: 'lanes-tip', hidden: true}), live = el('p', {class: 'lanes-read', 'aria-live': 'polite'});
        const box = el('div', {class: 'lanes-box'}, canvas, tip);

        // ---- geometry ----
        const inner = () => canvas.clientWidth - margin.left - margin.right;
        const xOf = t => margin.left + (t - view.from) / (view.to - view.from) * inner();
        const timeAt = x => view.from + (x - margin.left) / inner() * (view.to - view.from);
        const rowAt = y => Math.floor((y - margin.top) / view.rowHeight);
        const perCycle = () => inner() / (view.to - view.from);
        const showsIssues = () => perCycle() >= 1.2;

        // ---- drawing ----
        function columnOf(cells, b0, b1) {
            let weight = 0, lanes = 0, most = 0, pc = 0;
            for (let b = b0; b < b1 && b < cells.level.length; b++) {
                const s = shares[cells.level[b]];
                weight += s;
                lanes += s * cells.lanes[b];
                if (s > most) { most = s; pc = cells.pc[b]; }
            }
            return weight ? {lanes: lanes / weight, share: weight / (b1 - b0), pc} : null;
        }
        function binsAt(t0, t1) {
            const b0 = Math.floor(t0 / density.bin);
            return [b0, Math.max(b0 + 1, Math.ceil(t1 / density.bin))];
        }
        const strength = share => 0.16 + 0.84 * Math.min(1, Math.max(0, 1 + Math.log2(Math.max(share, 1 / 256)) / 8));
        function drawDensity(ctx) {
            const width = inner(), ground = colour('ground').match(/\d+/g).map(Number), gap = view.rowHeight > 7 ? 1 : 0;
            for (let x = 0; x < width; x++) {
                const [b0, b1] = binsAt(timeAt(margin.left + x), timeAt(margin.left + x + 1));
                tracks.forEach((track, row) => {
                    const c = columnOf(track.cells, b0, b1);
                    if (!c) return;
                    const a = strength(c.share), rgb = scale[Math.round(c.lanes)];
                    ctx.fillStyle = css(rgb.map((v, i) => Math.round(ground[i] + a * (v - ground[i]))));
                    ctx.fillRect(margin.left + x, margin.top + row * view.rowHeight, 1, view.rowHeight - gap);
                });
            }
        }
        function drawIssue(ctx, issue, wide) {
            const y = margin.top + issue.row * view.rowHeight, x = xOf(issue.cycle), n = countBits(issue.mask);
            ctx.fillStyle = css(scale[Math.round(63 * n / density.width)]);
            const lane = (view.rowHeight - 2) / density.width;
            if (lane < 0.4) { ctx.fillRect(x, y, wide, view.rowHeight - 1); return; }
            for (let l = 0; l < density.width;) {
                const on = issue.mask >>> l & 1;
                let k = l + 1;
                while (k < density.width && (issue.mask >>> k & 1) === on) k++;
                if (on) ctx.fillRect(x, y + 1 + l * lane, wide, (k - l) * lane);
                l = k;
            }
        }
        const inView = w => w.begin < view.to && w.end > view.from;
        function drawIssues(ctx) {
            const wide = Math.max(1, perCycle() * beats - (perCycle() > 3 ? 1 : 0)), ground = colour('ground'), faint = colour('g1');
            for (const w of windows.filter(inView)) {
                const x0 = Math.max(margin.left, xOf(w.begin)), x1 = Math.min(margin.left + inner(), xOf(w.end));
                ctx.fillStyle = ground;
                ctx.fillRect(x0, margin.top, x1 - x0, tracks.length * view.rowHeight);
                for (const issue of w.issues) {
                    if (issue.cycle + beats < view.from || issue.cycle > view.to) continue;
                    ctx.fillStyle = faint;
                    ctx.fillRect(xOf(issue.cycle), margin.top + issue.row * view.rowHeight, wide, view.rowHeight - 1);
                    drawIssue(ctx, issue, wide);
                }
            }
        }
        function drawTime(ctx, height) {
            ctx.textAlign = 'center';
            ctx.textBaseline = 'top';
            for (const t of ticks(view.from, view.to, Math.max(2, inner() / 110))) {
                ctx.fillStyle = colour('line');
                ctx.fillRect(Math.round(xOf(t)), margin.top, 1, height + 4);
                ctx.fillStyle = colour('soft');
                ctx.fillText(fmt.int(t), Math.min(margin.left + inner() - 20, xOf(t)), margin.top + height + 7);
            }
        }
        // Launches above the rows, and where there are close-ups.
        function drawTop(ctx, height) {
            ctx.textAlign = 'left';
            ctx.textBaseline = 'top';
            let free = 0;
            for (const l of launches) {
                const x = xOf(l.begin), right = xOf(l.end);
                if (right < margin.left || x > margin.left + inner()) continue;
                if (launches.length > 1 && x >= margin.left) {
                    ctx.fillStyle = colour('soft');
                    ctx.fillRect(Math.round(x), margin.top - 8, 1, height + 8);
                }
                const from = Math.max(x, margin.left) + 3, room = Math.min(right, margin.left + inner()) - from;
                if (from < free || ctx.measureText(l.name).width > room) continue;
                ctx.fillStyle = colour('soft');
                ctx.fillText(l.name, from, 2);
                free = from + ctx.measureText(l.name).width + 10;
            }
            ctx.fillStyle = colour('link');
            for (const w of windows.filter(inView)) ctx.fillRect(Math.max(margin.left, xOf(w.begin)), margin.top - 4, Math.max(2, Math.min(margin.left + inner(), xOf(w.end)) - Math.max(margin.left, xOf(w.begin))), 3);
        }
        function drawNames(ctx) {
            ctx.textAlign = 'right';
            ctx.textBaseline = 'middle';
            ctx.fillStyle = colour('soft');
            const every = Math.ceil(12 / view.rowHeight);
            tracks.forEach((t, row) => { if (row % every === 0) ctx.fillText(t.name, margin.left - 6, margin.top + (row + 0.5) * view.rowHeight); });
        }
        function drawCursor(ctx, height) {
            if (!view.cursor) return;
            ctx.strokeStyle = colour('focus');
            ctx.lineWidth = 1.5;
            ctx.strokeRect(xOf(view.at) - 3, margin.top + view.row * view.rowHeight - 1, 6 + Math.max(0, perCycle()), view.rowHeight + 1);
            ctx.fillStyle = colour('focus');
            ctx.fillRect(Math.round(xOf(view.at)), margin.top, 1, height);
        }
        function redraw() {
            const width = box.clientWidth, ratio = window.devicePixelRatio || 1, height = tracks.length * view.rowHeight;
            if (!width) return;
            const tall = height + margin.top + margin.bottom;
            canvas.style.height = tall + 'px';
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(tall * ratio);
            const ctx = canvas.getContext('2d');
            ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
            ctx.font = '11px system-ui, "DejaVu Sans", sans-serif';
            drawTime(ctx, height);
            ctx.save();
            ctx.beginPath();
            ctx.rect(margin.left, margin.top, inner(), height);
            ctx.clip();
            drawDensity(ctx);
            if (showsIssues()) drawIssues(ctx);
            ctx.restore();
            drawTop(ctx, height);
            drawNames(ctx);
            drawCursor(ctx, height);
            canvas.dataset.from = String(Math.round(view.from));
            canvas.dataset.to = String(Math.round(view.to));
            canvas.dataset.issues = String(showsIssues() && windows.some(inView));
        }
        let asked = false;
        const draw = () => { // at most once a frame
            if (asked) return;
            asked = true;
            requestAnimationFrame(() => { asked = false; redraw(); });
        };

        // ---- what is there ----
        function issueAt(t, row) {
            const w = showsIssues() && windows.find(v => v.begin <= t && t < v.end);
            return w ? {window: w, issue: w.issues.findLast(i => i.row === row && i.cycle <= t && t < i.cycle + beats)} : null;
        }
        function lookAt(t, row) {
            const track = tracks[row];
            if (!track || t < 0 || t >= end) return null;
            const exact = issueAt(t, row);
            if (exact) {
                const head = `cycle ${fmt.int(Math.floor(t))}, ${track.name}: `;
                if (!exact.issue) return {text: head + 'no issue', pc: null};
                const n = countBits(exact.issue.mask);
                return {text: `cycle ${fmt.int(exact.issue.cycle)}, ${track.name}: ${n} of ${density.width} lanes, PC ${exact.issue.pc}, ${place(exact.issue.pc)}`, pc: exact.issue.pc, mask: exact.issue.mask};
            }
            const half = 0.5 / perCycle(), [b0, b1] = binsAt(Math.max(0, t - half), t + half);
            const c = columnOf(track.cells, b0, b1), head = `cycles ${fmt.int(b0 * density.bin)} to ${fmt.int(Math.min(end, b1 * density.bin) - 1)}, ${track.name}: `;
            if (!c) return {text: head + 'no issue', pc: null};
            return {text: `${head}${fmt.fixed(c.lanes / 63 * full, 1)} of ${full} lanes on average, an issue in ${fmt.percent(Math.min(1, c.share), c.share < 0.1 ? 1 : 0)} of the ${options.per || 'cycles'}; often PC ${c.pc}, ${place(c.pc)}`, pc: c.pc};
        }
        const maskText = mask => Array.from({length: density.width}, (_, l) => (mask >>> l & 1 ? '█' : '·')).join('');
        function tell(found, x, y) {
            tip.hidden = !found || x === undefined;
            live.textContent = found ? found.text : '';
            if (tip.hidden) return;
            tip.replaceChildren(found.text, ...(found.mask !== undefined ? [el('code', {}, maskText(found.mask))] : []));
            tip.style.left = Math.min(x + 14, Math.max(0, box.clientWidth - tip.offsetWidth - 4)) + 'px';
            tip.style.top = (y + 18) + 'px';
        }

        // ---- moving ----
        const least = 24;
        function show(from, to) {
            const span = Math.min(end, Math.max(Math.min(least, end), to - from));
            view.from = Math.max(0, Math.min(end - span, from));
            view.to = view.from + span;
            draw();
        }
        const zoom = (factor, at) => show(at - (at - view.from) * factor, at + (view.to - at) * factor);
        const pan = part => show(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from));
        function closeUp(step) {
            if (!windows.length) return;
            const middle = (view.from + view.to) / 2, there = windows.filter(w => w.issues.length);
            const next = step > 0 ? there.find(w => w.begin > (showsIssues() ? middle : -1)) : there.findLast(w => w.end < (showsIssues() ? middle : Infinity));
            const w = next || (step > 0 ? there[0] : there[there.length - 1]);
            if (!w) return;
            const span = Math.min(Math.max(w.end - w.begin, least), inner() / 4);
            show(w.begin, w.begin + span);
            view.at = w.begin;
        }
        function moveCursor(dt, dr) {
            const step = Math.max(1, Math.round((view.to - view.from) / 60));
            view.at = Math.max(0, Math.min(end - 1, (view.cursor ? view.at : Math.floor((view.from + view.to) / 2)) + dt * step));
            view.row = Math.max(0, Math.min(tracks.length - 1, view.row + dr));
            view.cursor = true;
            if (view.at < view.from || view.at >= view.to) show(view.at - (view.to - view.from) / 2, view.at + (view.to - view.from) / 2);
            tell(lookAt(view.at, view.row));
            draw();
        }
        const middle = () => (view.cursor && view.at >= view.from && view.at < view.to ? view.at : (view.from + view.to) / 2);
        const actions = {
            ArrowLeft: () => moveCursor(-1, 0), ArrowRight: () => moveCursor(1, 0), ArrowUp: () => moveCursor(0, -1), ArrowDown: () => moveCursor(0, 1),
            '+': () => zoom(0.5, middle()), '=': () => zoom(0.5, middle()), '-': () => zoom(2, middle()), Home: () => show(0, end),
            PageUp: () => pan(-0.5), PageDown: () => pan(0.5), n: () => closeUp(1), p: () => closeUp(-1),
            Enter: () => { const f = lookAt(view.at, view.row); if (view.cursor && f && f.pc !== null) onSelect(f.pc); },
        };
        canvas.addEventListener('keydown', e => {
            if (!actions[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
            actions[e.key]();
            e.preventDefault();
        });
        canvas.addEventListener('wheel', e => {
            if (!e.ctrlKey && !e.shiftKey && document.activeElement !== canvas) return; // the page scrolls until the picture is chosen
            zoom(e.deltaY > 0 ? 1.3 : 1 / 1.3, timeAt(e.offsetX));
            e.preventDefault();
        }, {passive: false});
        let drag = null;
        canvas.addEventListener('pointerdown', e => { drag = {x: e.offsetX, from: view.from, to: view.to, moved: false}; canvas.setPointerCapture(e.pointerId); });
        canvas.addEventListener('pointermove', e => {
            if (drag && Math.abs(e.offsetX - drag.x) > 3) drag.moved = true;
            if (drag && drag.moved) {
                const by = (drag.x - e.offsetX) / inner() * (drag.to - drag.from);
                show(drag.from + by, drag.to + by);
            }
            const there = e.offsetX >= margin.left && e.offsetX < margin.left + inner();
            tell(there ? lookAt(timeAt(e.offsetX), rowAt(e.offsetY)) : null, e.offsetX, e.offsetY);
        });
        canvas.addEventListener('pointerup', e => {
            const f = drag && !drag.moved ? lookAt(timeAt(e.offsetX), rowAt(e.offsetY)) : null;
            drag = null;
            if (!f) return;
            view.at = timeAt(e.offsetX);
            view.row = rowAt(e.offsetY);
            if (f.pc !== null) onSelect(f.pc);
        });
        canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
        canvas.addEventListener('dblclick', e => zoom(0.25, timeAt(e.offsetX)));
        canvas.addEventListener('blur', () => { view.cursor = false; draw(); });

        // ---- around it ----
        const button = (text, title, f) => el('button', {type: 'button', class: 'more', title, 'aria-label': title, on: {click: () => { f(); }}}, text);
        const heights = choice({label: 'rows', options: [['fit', 'low'], ['lanes', 'lanes'], ['tall', 'tall']], value: 'fit',
                                onChange: v => { view.rowHeight = rowHeights[v]; draw(); }});
        const controls = el('div', {class: 'controls'},
            el('span', {class: 'buttons'}, button('+', 'zoom in', actions['+']), button('−', 'zoom out', actions['-']), button('◀', 'earlier', actions.PageUp), button('▶', 'later', actions.PageDown), button('all', 'show all of the run', actions.Home),
               windows.length ? [button('‹ close-up', 'previous close-up', actions.p), button('close-up ›', 'next close-up', actions.n)] : null),
            heights.node, legend(full));
        theme.listen(() => { scale = makeScale(); draw(); });
        new ResizeObserver(draw).observe(box);
        return {node: el('div', {class: 'lanes-view'}, controls, box, live), redraw: draw, show};
    };
})();
