/* heddle explain --html: one warp under several mechanisms, to step through. data: {version, title, command, machine, launch,
 * threads, code: {blocks: [{block, first, to: [block], back: [block], code: [[text, line, file, source line]], function}],
 * files: [{name, first, lines: [text]} or null]}, mechanisms: [{name, title, source, first, count, width, steps, lines, cut, full,
 * error}]}. A step: {from, to: cycles, pc, last: PCs, lanes, others, next, fates: [[where, lanes]], said, tables: [line], added}; where is
 * [pc] or [pc, mark], "exit" or "wait"; one without lanes is of other threads. lanes: a hexadecimal digit for four of them, the
 * first lane in its lowest bit. A line of a table: words, [pc] or {l: lanes, o: others}. cut: instructions after which it stops.
 *
 * Step 0 is before the first instruction. What is shown of step k is what its threads ran, and where all stand after it. */
'use strict';
heddlePages.explain = (data, root) => {
    const {el, svg, adopt, fmt, graph, choice, select, address, theme, colour, seriesName} = pieces;
    const mechs = data.mechanisms, several = mechs.length > 1;
    root.classList.add('wide', 'explain');

    // ---- the program ----
    const blocks = new Map(data.code.blocks.map(b => [b.block, b])), places = new Map();
    for (const b of blocks.values()) b.code.forEach((insn, i) => places.set(b.first + i, {block: b, insn}));
    const blockOf = pc => (places.has(pc) ? places.get(pc).block.block : null);
    const blockName = pc => (blockOf(pc) === null ? `PC ${pc}` : `B${blockOf(pc)}`);
    const baseName = file => file.slice(file.lastIndexOf('/') + 1);
    const fileOf = insn => (insn.length > 2 ? data.code.files[insn[2]] : null);
    const placeName = insn => `PTX line ${insn[1]}` + (fileOf(insn) ? ` · ${baseName(fileOf(insn).name)}:${insn[3]}` : '');
    function sourceText(insn) {
        const file = fileOf(insn);
        return file && file.lines ? (file.lines[insn[3] - file.first] || '').trim() : '';
    }

    // ---- lanes ----
    const hasLane = (digits, i) => Boolean(parseInt(digits[i >> 2], 16) >> (i & 3) & 1);
    const lanesIn = (digits, count) => Array.from({length: count}, (_, i) => i).filter(i => hasLane(digits, i));
    function laneWords(lanes, count) {
        if (!lanes.length) return 'no lane';
        if (lanes.length === count && count > 1) return `all ${count} lanes`;
        const runs = [];
        for (const l of lanes) {
            const last = runs[runs.length - 1];
            if (last && last[1] === l - 1) last[1] = l;
            else runs.push([l, l]);
        }
        return (lanes.length > 1 ? 'lanes ' : 'lane ') + runs.map(([a, b]) => (a === b ? a : b === a + 1 ? `${a}, ${b}` : `${a}–${b}`)).join(', ');
    }
    const capital = text => text[0].toUpperCase() + text.slice(1);
    const laneBar = (digits, m, others) => {
        const lanes = lanesIn(digits, m.count), set = new Set(lanes);
        return el('span', {class: m.count > 16 ? 'mask dense' : 'mask', role: 'img', 'aria-label': laneWords(lanes, m.count), title: laneWords(lanes, m.count)},
                  m.count <= 128 ? Array.from({length: m.count}, (_, i) => el('i', {class: (set.has(i) ? 'on' : '') + (i % 8 === 7 ? ' gap' : '')}))
                                 : `${lanes.length} threads`,
                  others ? el('b', {}, `+${others}`) : null);
    };

    // ---- where threads stand after each step: at[lane] a PC, how[lane] one of these ----
    const STANDS = 0, RAN = 1, WAITS = 2, GONE = 3;
    function replay(m) {
        const entry = m.steps.find(s => s.pc !== undefined);
        const states = [{at: new Array(m.count).fill(entry ? entry.pc : 0), how: new Array(m.count).fill(STANDS), edges: []}];
        for (const s of m.steps) {
            s.ran = s.lanes ? lanesIn(s.lanes, m.count) : [];
            const before = states[states.length - 1];
            const at = before.at.slice(), how = before.how.map(h => (h === RAN ? STANDS : h)), edges = [];
            const from = s.pc === undefined ? null : blockOf(s.last === undefined ? s.pc : s.last);
            for (const [where, digits] of s.fates || (s.next && s.lanes ? [[s.next, s.lanes]] : []))
                for (const l of lanesIn(digits, m.count)) {
                    how[l] = where === 'exit' ? GONE : where === 'wait' ? WAITS : RAN;
                    at[l] = typeof where === 'string' ? s.pc : where[0];
                    if (typeof where !== 'string' && blockOf(where[0]) !== from) edges.push(`${from}-${blockOf(where[0])}`);
                }
            states.push({at, how, edges});
        }
        return states;
    }
    // Cycles are counted from the first of a mechanism's own: launches before this one may have taken it longer than another.
    mechs.forEach(m => {
        m.states = replay(m);
        m.last = m.steps.length;
        m.start = Math.min(...m.steps.map(s => (s.from === undefined ? s.to : s.from)));
    });
    // Room for nine tenths of the tables, so that what is below them does not move at every step.
    const lineCounts = mechs.flatMap(m => m.steps.map(s => (s.tables || []).length)).sort((a, b) => a - b);
    const roomLines = Math.min(12, Math.max(2, lineCounts[Math.floor(lineCounts.length * .9)] || 0));
    const span = Math.max(1, ...mechs.flatMap(m => m.steps.map(s => s.to - m.start)));

    // ---- words ----
    const where = ([pc]) => blockName(pc);
    const withBlocks = text => text.replace(/\b(at|from|ahead of) (\d+)\b/g, (all, word, pc) => (blockOf(Number(pc)) === null ? all : `${word} ${pc} (${blockName(Number(pc))})`));
    function fateWords(m, s) {
        const fates = s.fates || [];
        const speak = fates.length > 1 || fates.some(([w]) => typeof w === 'string');
        if (!speak) return s.next && blockOf(s.next[0]) !== blockOf(s.last === undefined ? s.pc : s.last) ? ` On to ${where(s.next)}.` : '';
        return ' ' + fates.map(([w, digits]) => {
            const lanes = lanesIn(digits, m.count), one = lanes.length === 1;
            const verb = w === 'exit' ? (one ? 'exits' : 'exit') : w === 'wait' ? (one ? 'waits' : 'wait') : `${one ? 'goes' : 'go'} to ${where(w)}`;
            return `${capital(laneWords(lanes, m.count))} ${verb}.`;
        }).join(' ');
    }
    function sentence(m, k) {
        if (!k) return [`${capital(laneWords(m.states[0].at.map((_, i) => i), m.count))} stand at ${blockName(m.states[0].at[0])}. Nothing has run yet.`];
        const s = m.steps[k - 1], said = s.said ? el('em', {}, ` ${m.name.split(':')[0]}: ${withBlocks(s.said)}.`) : null;
        if (s.pc === undefined) return ['Other threads changed the tables of these.', said];
        const lanes = s.ran, runs = lanes.length === 1 ? 'runs' : 'run';
        const n = s.last === undefined ? 1 : s.last - s.pc + 1;
        const what = n > 1 ? `${n} instructions of ${blockName(s.pc)}` : el('code', {}, s.added || places.get(s.pc).insn[0]);
        return [`${capital(laneWords(lanes, m.count))}`, s.others ? ` and ${s.others} threads of other warps` : '', ` ${runs} `, what,
                n > 1 ? '.' : ` in ${blockName(s.pc)}.`, fateWords(m, s), said];
    }
    function placeOf(s) {
        const at = s && s.pc !== undefined ? places.get(s.last === undefined ? s.pc : s.last) : null;
        if (!at) return [el('span', {class: 'soft'}, '\u00a0')];
        const text = sourceText(at.insn);
        return [el('span', {class: 'soft'}, `PC ${s.pc}${s.last === undefined ? '' : `–${s.last}`} · ${placeName(at.insn)} `), text ? el('code', {}, text) : null];
    }

    // ---- tables ----
    // A word and the number, place or dash after it are one cell; lanes are one; words without a value are one together.
    function cellsOf(line, m) {
        const cells = [], words = [];
        const add = (label, text, node) =>
            cells.push({text: `${label} ${text}`, node: () => [label ? el('span', {class: 'soft'}, label + ' ') : null, node()]});
        const flush = () => {
            const text = words.splice(0).join(' ');
            if (text) add('', text, () => text.replace('<-', '←'));
        };
        const value = (text, node) => {
            const label = words.pop() || '';
            flush();
            add(label, text, node);
        };
        const isValue = word => words.length && !words[words.length - 1].endsWith(',') &&
            (/^(-|\d+[:,]?)$/.test(word) || words[words.length - 1] === 'occ');
        for (const token of line) {
            if (Array.isArray(token)) value(token.join(' '), () => [`${token[0]} `, el('b', {class: 'block'}, blockName(token[0])), token[1] ? ` ${token[1]}` : null]);
            else if (typeof token === 'object') { flush(); add('', token.l + (token.o || ''), () => laneBar(token.l, m, token.o)); }
            else for (const word of token.split(' ').filter(Boolean)) isValue(word) ? value(word, () => word) : words.push(word);
        }
        flush();
        return cells;
    }
    const parsed = new Map();
    function lineOf(m, number) {
        const key = `${mechs.indexOf(m)}/${number}`;
        if (!parsed.has(key)) {
            const tokens = m.lines[number], first = tokens[0], indent = typeof first === 'string' ? first.length - first.trimStart().length : 0;
            parsed.set(key, {number, indent, cells: cellsOf(tokens, m)});
        }
        return parsed.get(key);
    }
    // Which lines and cells were not there before: lines that are the same are paired first, then those of the same form in order.
    function compareTables(now, before) {
        const left = before.slice(), pairs = now.map(l => {
            const i = left.findIndex(b => b.number === l.number);
            return i < 0 ? null : left.splice(i, 1)[0];
        });
        return now.map((l, i) => {
            if (pairs[i]) return l.cells.map(() => false);
            const k = left.findIndex(b => b.indent === l.indent && b.cells.length === l.cells.length &&
                                     (l.cells.length < 2 || b.cells[0].text.split(' ')[0] === l.cells[0].text.split(' ')[0]));
            const old = k < 0 ? null : left.splice(k, 1)[0];
            return l.cells.map((c, j) => !old || old.cells[j].text !== c.text);
        });
    }
    const tablesAt = (m, k) => {
        for (let i = k; i > 0; i--) if (m.steps[i - 1].tables) return m.steps[i - 1].tables.map(n => lineOf(m, n));
        return [];
    };
    function drawTables(m, k) {
        const now = tablesAt(m, k), changed = compareTables(now, k ? tablesAt(m, k - 1) : []);
        if (!now.length) return [el('p', {class: 'soft'}, 'The tables have none of these threads.')];
        const parts = [];
        let body = null;
        now.forEach((l, i) => {
            const heads = i + 1 < now.length && now[i + 1].indent > l.indent, cell = (c, j) => ({class: changed[i][j] && k ? 'changed' : null});
            if (heads) {
                parts.push(el('div', {class: 'entry', style: {'--indent': l.indent}}, l.cells.map((c, j) => el('span', cell(c, j), c.node()))));
                body = null;
                return;
            }
            if (!body || body.indent !== l.indent) {
                body = {indent: l.indent, node: el('tbody')};
                parts.push(el('table', {style: {'--indent': l.indent}}, body.node));
            }
            body.node.append(el('tr', {}, l.cells.map((c, j) => el('td', cell(c, j), c.node()))));
        });
        return parts;
    }

    // ---- a mechanism ----
    const cellSize = count => (count <= 8 ? 17 : count <= 16 ? 14 : 9), perRow = count => (count <= 16 ? 8 : 16);
    function drawGraph(m) {
        const size = cellSize(m.count), room = m.count <= 64
            ? {width: Math.min(m.count, perRow(m.count)) * size, height: Math.ceil(m.count / perRow(m.count)) * size + 2} : {width: 100, height: 18};
        const nodes = [...blocks.values()].map(b => {
            const insn = b.code.find(i => fileOf(i) && fileOf(i).lines && sourceText(i)) || b.code[0], file = fileOf(insn);
            return {id: b.block, label: `B${b.block}` + (b.function ? ` ${b.function}` : ''), lines: [file ? `${baseName(file.name)}:${insn[3]}` : `PTX line ${insn[1]}`],
                    extra: room, title: b.code.map((i, n) => `${b.first + n}  ${i[0]}`).join('\n')};
        });
        const edges = [...blocks.values()].flatMap(b => b.to.map(to => ({from: b.block, to, class: b.back.includes(to) ? 'back' : ''})));
        const g = graph({nodes, edges, label: `control flow under ${m.name}`, onSelect: id => code.show(blocks.get(id).first)});
        const lines = [...g.node.querySelectorAll('.edge')];
        const view = g.node.querySelector('.scroll'), drawing = g.node.querySelector('svg'), large = drawing.viewBox.baseVal.height > 760;
        if (!large) g.node.classList.add('plain');
        // A large graph has a window of its own, which goes where the threads go.
        function centre(id) {
            const box = g.box(id), scale = drawing.clientWidth / drawing.viewBox.baseVal.width;
            view.scrollTo(box.x * scale + box.width * scale / 2 - view.clientWidth / 2, (box.y + box.height / 2) * scale - view.clientHeight / 2);
        }
        for (const b of blocks.keys()) { // threads are drawn in the middle of the room that is left for them
            const middle = svg('g', {transform: `translate(${((g.box(b).width - room.width) / 2 - 8).toFixed(1)},0)`});
            g.slot(b).append(middle);
        }
        const drawn = new Map();
        let at = null;
        return {node: g.node, settle() { if (at !== null && large) centre(at); }, update(state, ran) {
            for (const b of blocks.keys()) {
                const who = state.at.map((pc, i) => (state.how[i] !== GONE && blockOf(pc) === b ? state.how[i] : '')).join();
                if (drawn.get(b) === who) continue;
                drawn.set(b, who);
                g.slot(b).firstChild.replaceChildren(...standing(m, state, b, size));
            }
            g.mark(ran === null ? [] : [ran]);
            at = ran;
            edges.forEach((e, i) => lines[i].classList.toggle('taken', state.edges.includes(`${e.from}-${e.to}`)));
        }};
    }
    const howNames = ['stands', 'ran', 'waits', 'gone'];
    function standing(m, state, block, size) {
        const lanes = state.at.map((pc, i) => i).filter(i => state.how[i] !== GONE && blockOf(state.at[i]) === block);
        if (m.count > 64) return lanes.length ? [svg('text', {x: 50, y: 13, 'text-anchor': 'middle', class: 'name'}, `${lanes.length} threads`)] : [];
        return lanes.map(i => {
            const x = i % perRow(m.count) * size, y = Math.floor(i / perRow(m.count)) * size;
            return svg('g', {class: `thread ${howNames[state.how[i]]}`, transform: `translate(${x},${y})`},
                       svg('rect', {x: .5, y: .5, width: size - 2, height: size - 2, rx: size > 12 ? 3 : 1}),
                       size > 12 ? svg('text', {x: size / 2 - .5, y: size / 2 + 3.2, 'text-anchor': 'middle'}, String(i)) : null);
        });
    }
    const laneRow = m => {
        const boxes = Array.from({length: m.count}, (_, i) => el('span', {class: 'lane'}, el('b', {}, String(i)), el('small')));
        return {node: el('div', {class: m.count > 32 ? 'lanes many' : m.count > 16 ? 'lanes dense' : 'lanes', 'aria-hidden': 'true'}, boxes), update(state, s) {
            boxes.forEach((box, i) => {
                const ran = s && s.lanes && hasLane(s.lanes, i);
                box.className = 'lane ' + (ran ? 'ran' : howNames[state.how[i] === RAN ? STANDS : state.how[i]]);
                box.lastChild.textContent = state.how[i] === GONE ? '–' : blockName(state.at[i]);
                box.title = `lane ${i}: ` + (ran ? 'ran; ' : '') + (state.how[i] === GONE ? 'has exited' : state.how[i] === WAITS ? `waits in ${blockName(state.at[i])}` : `is at ${blockName(state.at[i])}, PC ${state.at[i]}`);
            });
        }};
    };
    // Lanes x time, on a scale of cycles that all mechanisms share. A press goes to the step of that cycle.
    function drawStrip(m, go) {
        const rows = Math.min(m.count, 64), height = Math.max(4, Math.min(7, Math.floor(112 / rows))) * rows;
        const canvas = el('canvas', {class: 'strip', role: 'img', 'aria-label': `lanes of ${m.name} over time`,
                                     style: {height: `${height}px`}, on: {click: e => {
            const cycle = m.start + e.offsetX / canvas.clientWidth * span, i = m.steps.findIndex(s => s.to >= cycle);
            go(i < 0 ? m.last : i + 1);
        }}});
        const own = seriesName(mechs.indexOf(m));
        let at = 0, width = 1, colours = null; // asking the browser for these at every step would have it lay out the page anew
        function look() {
            width = canvas.clientWidth;
            colours = {hot: colour('hot'), past: colour(own), coming: colour(own, .45), ink: colour('ink'), ground: colour('g1')};
            draw();
        }
        function draw() {
            if (!colours) return;
            const scale = devicePixelRatio || 1, w = canvas.width = Math.max(1, Math.round(width * scale)), h = canvas.height = Math.round(height * scale);
            const pen = canvas.getContext('2d'), row = h / rows, x = c => (c - m.start) / span * w;
            pen.fillStyle = colours.ground;
            const end = m.steps.length ? Math.max(...m.steps.map(s => s.to)) : m.start;
            pen.fillRect(0, 0, x(end), h);
            m.steps.forEach((s, k) => {
                pen.fillStyle = k + 1 === at ? colours.hot : k + 1 < at ? colours.past : colours.coming;
                for (const l of s.ran) if (l < rows) pen.fillRect(x(s.from), l * row + .5, Math.max(1, x(s.to) - x(s.from) - .6), Math.max(1, row - 1));
            });
            if (!at) return;
            pen.fillStyle = colours.ink;
            pen.fillRect(Math.min(w - 2, x(m.steps[at - 1].to)), 0, 2, h);
        }
        theme.listen(look);
        new ResizeObserver(look).observe(canvas);
        return {node: canvas, update(k) { at = k; draw(); }};
    }
    function panel(m, index) {
        const go = k => { lead = index; leads.set(String(lead)); move(k); };
        const strip = drawStrip(m, go), lanes = laneRow(m), picture = drawGraph(m);
        const count = el('span', {class: 'soft n'}), words = el('p', {class: 'words'}), place = el('p', {class: 'place'}), tables = el('div', {class: 'tables'}), report = el('div');
        tables.style.setProperty('--lines', String(roomLines));
        const node = el('section', {class: 'panel', id: `mech-${index}`, 'aria-label': m.name, style: {'--own': `var(--${seriesName(index)})`}},
            el('h2', {}, m.name, ' ', el('span', {class: 'soft', title: m.source}, m.title)), count, strip.node, words, report, place, lanes.node,
            el('div', {class: 'panel-body'}, tables, picture.node));
        if (!several) words.setAttribute('aria-live', 'polite');
        return {node, settle: picture.settle, update(k) {
            const s = k ? m.steps[k - 1] : null, state = m.states[k];
            node.classList.toggle('leads', several && by === 'cycle' && index === lead);
            count.textContent = `step ${k} of ${m.last}` + (s ? ` · cycle${s.from === undefined ? '' : `s ${s.from}–`}${s.from === undefined ? ' ' : ''}${s.to}` : '') +
                (k === m.last && m.last && m.cut === undefined && !m.error ? ' · the end' : '');
            strip.update(k);
            lanes.update(state, s);
            words.replaceChildren(...adopt(el('p'), sentence(m, k)).childNodes);
            place.replaceChildren(...adopt(el('p'), placeOf(s)).childNodes);
            if (k === m.last && m.error) {
                const [first, ...rest] = m.error.split('\n');
                words.append(el('span', {class: 'bad'}, ` ${capital(first)}.`));
                report.replaceChildren(...(rest.length ? [pieces.details('The whole report', el('pre', {}, m.error))] : []));
            } else report.replaceChildren();
            if (k === m.last && m.cut !== undefined)
                words.append(el('span', {class: 'fair'}, m.full ? ` Cut here, after ${fmt.int(m.cut)} instructions: the page would grow too large.`
                                                               : ` Cut here, after ${fmt.int(m.cut)} instructions: --steps shows more.`));
            tables.replaceChildren(...drawTables(m, k));
            picture.update(state, s && s.pc !== undefined ? blockOf(s.pc) : null);
        }};
    }

    // ---- source and instructions ----
    function codeView() {
        const rows = new Map(), list = el('div', {class: 'listing', tabindex: '0', role: 'region', 'aria-label': 'program'});
        // Files of which hardly anything is in the program, as headers, are left out.
        const uses = data.code.files.map((_, i) => [...places.values()].filter(p => p.insn[2] === i).length), most = Math.max(0, ...uses);
        const readable = data.code.files.map((f, i) => [f, i]).filter(([f, i]) => f && f.lines && uses[i] >= most / 4);
        let kind = readable.length ? 'source' : 'ptx';
        const row = (key, number, text) => {
            const node = el('div', {class: 'row'}, el('span', {class: 'marks'}), el('span', {class: 'number'}, String(number)), el('code', {}, text || ' '));
            rows.set(key, node);
            return node;
        };
        function fill() {
            rows.clear();
            list.replaceChildren(...(kind === 'source'
                ? readable.flatMap(([f, i]) => [el('div', {class: 'file'}, baseName(f.name)), ...f.lines.map((t, n) => row(`${i}:${f.first + n}`, f.first + n, t))])
                : [...blocks.values()].flatMap(b => [el('div', {class: 'file'}, `B${b.block}` + (b.function ? ` ${b.function}` : '')),
                                                    ...b.code.map((insn, n) => row(`pc${b.first + n}`, b.first + n, insn[0]))])));
        }
        const keyOf = pc => {
            const at = places.get(pc);
            return !at ? null : kind === 'ptx' ? `pc${pc}` : fileOf(at.insn) ? `${at.insn[2]}:${at.insn[3]}` : null;
        };
        function scroll(node) {
            if (!node) return;
            const top = node.offsetTop - list.offsetTop;
            if (top < list.scrollTop + 20 || top > list.scrollTop + list.clientHeight - 40) list.scrollTop = Math.max(0, top - list.clientHeight / 2);
        }
        function update() {
            for (const node of rows.values()) { node.classList.remove('current'); node.firstChild.replaceChildren(); }
            mechs.forEach((m, i) => {
                const s = at(i) ? m.steps[at(i) - 1] : null, node = s && s.pc !== undefined ? rows.get(keyOf(s.last === undefined ? s.pc : s.last)) : null;
                if (!node) return;
                node.classList.add('current');
                node.firstChild.append(el('i', {title: m.name, style: {'--own': `var(--${seriesName(i)})`}}));
                if (i === lead || !several) scroll(node);
            });
        }
        const which = choice({label: '', options: [['source', 'source'], ['ptx', 'instructions']], value: kind, onChange: v => { kind = v; fill(); update(); }});
        fill();
        return {node: el('aside', {class: 'program'}, readable.length ? which.node : el('h2', {}, 'Instructions'), list), update,
                show(pc) { if (kind !== 'ptx') { kind = 'ptx'; which.set('ptx'); fill(); update(); } scroll(rows.get(`pc${pc}`)); }};
    }

    // ---- stepping ----
    let step = 0, lead = 0, by = 'step', timer = null, speed = '2';
    const lastStep = () => (by === 'cycle' ? mechs[lead].last : Math.max(...mechs.map(m => m.last)));
    // The step of mechanism i that is shown: the same number, or the last one that has ended by the cycle of the one that leads.
    function at(i) {
        if (by === 'step' || i === lead) return Math.min(step, mechs[i].last);
        const cycle = step ? mechs[lead].steps[step - 1].to - mechs[lead].start : -1;
        let k = 0;
        while (k < mechs[i].last && mechs[i].steps[k].to - mechs[i].start <= cycle) k++;
        return k;
    }
    function show(k, keep) {
        step = Math.max(0, Math.min(k, lastStep()));
        slider.max = String(lastStep());
        slider.value = String(step);
        slider.setAttribute('aria-valuetext', `step ${step} of ${lastStep()}`);
        counter.textContent = `step ${step} of ${lastStep()}`;
        panels.forEach((p, i) => p.update(at(i)));
        code.update();
        panels.forEach(p => p.settle()); // after all changes: it asks where things are
        if (!keep) address.write({step, mech: several && (by === 'cycle' || lead) ? mechs[lead].name : null, by: by === 'cycle' ? by : null});
    }
    function pause() {
        clearInterval(timer);
        timer = null;
        playing(false);
    }
    const playing = on => { player.replaceChildren(on ? 'pause' : 'play'); player.setAttribute('aria-pressed', String(on)); };
    function play() {
        if (timer) return pause();
        if (step === lastStep()) show(0);
        timer = setInterval(() => { show(step + 1); if (step === lastStep()) pause(); }, 1000 / Number(speed));
        playing(true);
    }
    const move = k => { pause(); show(k); };
    const button = (text, title, f) => el('button', {type: 'button', title, 'aria-label': title, on: {click: f}}, text);
    const player = el('button', {type: 'button', class: 'play', 'aria-pressed': 'false', title: 'play or pause (space)', on: {click: play}}, 'play');
    const slider = el('input', {type: 'range', min: '0', max: '0', value: '0', 'aria-label': 'step', on: {input: () => move(Number(slider.value))}});
    const counter = el('output', {class: 'n'});
    const speeds = select({label: 'speed', options: [['1', '1 step a second'], ['2', '2'], ['5', '5'], ['20', '20']], value: speed,
                           onChange: v => { speed = v; if (timer) { pause(); play(); } }});
    const leads = choice({label: 'leads', options: mechs.map((m, i) => [String(i), m.name]), value: '0', onChange: i => { lead = Number(i); show(step); }});
    const alike = choice({label: 'align by', options: [['step', 'step'], ['cycle', 'cycle']], value: by, onChange: v => { by = v; leads.node.hidden = v !== 'cycle'; show(step); }});
    leads.node.hidden = true;
    const bar = el('div', {class: 'stepper', role: 'group', 'aria-label': 'steps'},
        button('|◀', 'first step (Home)', () => move(0)), button('◀', 'step back (left arrow)', () => move(step - 1)), player,
        button('▶', 'step forward (right arrow)', () => move(step + 1)), button('▶|', 'last step (End)', () => move(lastStep())),
        slider, counter, speeds.node, several ? [alike.node, leads.node] : null);
    document.addEventListener('keydown', event => {
        const own = event.target.closest('select, input[type="radio"], .listing'), press = event.target.closest('button, summary, [role="button"]');
        if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || own) return;
        const act = {ArrowRight: () => move(step + 1), ArrowLeft: () => move(step - 1), PageDown: () => move(step + 10), PageUp: () => move(step - 10),
                     Home: () => move(0), End: () => move(lastStep()), ' ': press ? null : play}[event.key];
        if (!act) return;
        act();
        event.preventDefault();
    });

    // ---- the page ----
    const page = pieces.layout(root, {title: `${data.title} under ${mechs.length > 6 ? `${mechs.length} mechanisms` : mechs.map(m => m.name).join(', ')}`, version: data.version,
        lead: `${data.threads}, step by step`,
        about: [['machine', data.machine], data.launch ? ['launch', data.launch] : null, ['command', el('code', {}, data.command)]].filter(Boolean)});
    const code = codeView(), panels = mechs.map(panel);
    const swatch = (name, text) => el('span', {}, el('i', {class: `lane ${name}`}), text);
    page.main.append(bar, el('div', {class: 'stage'}, code.node, el('div', {class: 'panels'}, panels.map(p => p.node))),
        el('p', {class: 'key note'}, swatch('ran', 'ran in this step'), swatch('stands', 'stands'), swatch('waits', 'waits at a barrier'), swatch('gone', 'has exited'),
           el('span', {}, el('i', {class: 'changed'}), 'changed in this step')),
        pieces.note('Threads are drawn on the block of code where they stand after the step; the block that ran has a thick frame, the edges that were taken are thick. ',
                    'Tables are those of the mechanism after the step: its page in docs/mechanisms says how to read them. ',
                    'Left and right arrow step, Page Up and Page Down go by ten, Home and End to the ends, space plays. The address keeps the step: it can be linked to.'));
    function follow(where) {
        const i = mechs.findIndex(m => m.name === where.mech);
        lead = i < 0 ? 0 : i;
        by = several && where.by === 'cycle' ? 'cycle' : 'step';
        alike.set(by);
        leads.set(String(lead));
        leads.node.hidden = by !== 'cycle';
        show(Number.parseInt(where.step, 10) || 0, true);
    }
    address.listen(where => { pause(); follow(where); });
    follow(address.read());
};
