/* Program text with what its lines cost.
 *
 *   codePane({label, pieces: [{first, text}], language, columns: [{label, title}], onSelect(line), onHover(line or null)})
 *       Lines of a text, which may come in pieces with gaps between; language: 'c' or 'ptx', says which words are control flow.
 *       Each line has its number, a bar, the columns' texts, and the code. Lines that have a cost can be reached by
 *       keyboard (arrows, Home, End) and chosen by click or Enter. Returns {node, paint, mark, hover, reveal}:
 *       paint(line => null or {heat: 0..1, parts: [[colour name, 0..1], ...], cells: [text, ...], title})   draws costs anew.
 *       mark(lines)    those lines get the class 'mark'; hover(lines) the class 'hover', until called again.
 *       reveal(line)   scrolls the pane, not the page, so that the line is in its middle. */
'use strict';
(() => {
    const {el, heat} = pieces;
    const words = {
        c: /(\/\/.*$|\/\*.*?(?:\*\/|$))|(\b(?:if|else|for|while|do|switch|case|default|break|continue|goto|return)\b)/g,
        ptx: /(\/\/.*$)|(@!?%\w+|\b(?:bra|brx|call|ret|exit|trap|bar)\b[\w.]*|^\$?\w+:)/g,
    };
    function coloured(text, language) {
        const out = [];
        let last = 0;
        for (const m of text.matchAll(words[language])) {
            out.push(text.slice(last, m.index), el('span', {class: m[1] ? 'comment' : 'flow'}, m[0]));
            last = m.index + m[0].length;
        }
        return [...out, text.slice(last)];
    }
    // Directives and labels for debuggers, and lines with nothing on them, say nothing to a reader.
    const isNoise = (text, language) => language === 'ptx' && /^\s*(\.loc\b|$|\/\/|\$L__(tmp|func_begin|func_end|pc)\w*:)/.test(text);

    const tidy = (text, language) => (language === 'ptx' ? text.replace(/^\t/, '    ').replace(/[ \t]{2,}(?=\S)(?<=\S.*)|(?<=\S)\t/g, ' ') : text.replace(/\t/g, '    '));

    pieces.codePane = ({label, pieces: parts, language, columns, onSelect, onHover}) => {
        const rows = new Map();
        const body = el('tbody');
        let reachable = null;
        const reach = row => {
            if (reachable) reachable.tr.tabIndex = -1;
            reachable = row;
            if (row) row.tr.tabIndex = 0;
        };
        const costly = () => [...rows.values()].filter(r => r.costs);
        function keys(event, row) {
            const list = costly(), at = list.indexOf(row);
            const next = {ArrowDown: list[at + 1], ArrowUp: list[at - 1], Home: list[0], End: list[list.length - 1]}[event.key];
            if (next) { reach(next); next.tr.focus(); }
            else if (event.key === 'Enter' || event.key === ' ') onSelect(row.line);
            else return;
            event.preventDefault();
        }
        function add(line, text) {
            const bar = el('td', {class: 'code-bar', 'aria-hidden': 'true'}), cells = columns.map(() => el('td', {class: 'n'}));
            const tr = el('tr', {class: isNoise(text, language) ? 'noise' : null}, el('th', {scope: 'row', class: 'code-number'}, String(line)), bar, cells,
                          el('td', {class: 'code-text'}, el('code', {}, coloured(tidy(text, language), language))));
            const row = {line, tr, bar, cells, costs: false};
            tr.addEventListener('click', () => { if (row.costs) { reach(row); onSelect(line); } });
            tr.addEventListener('keydown', e => { if (e.target === tr) keys(e, row); });
            tr.addEventListener('mouseenter', () => { if (row.costs && onHover) onHover(line); });
            rows.set(line, row);
            body.append(tr);
        }
        parts.forEach((piece, i) => {
            const lines = piece.text.replace(/\n$/, '').split('\n');
            if (i) body.append(el('tr', {class: 'code-gap'}, el('td', {colspan: String(columns.length + 3)}, '⋯')));
            lines.forEach((text, k) => add(piece.first + k, text.replace(/\r$/, '')));
        });
        const heads = columns.map(c => el('th', {scope: 'col', class: 'n', title: c.title}, c.label));
        const node = el('div', {class: 'code-pane', role: 'region', 'aria-label': label},
                        el('table', {class: 'code-table'}, el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, ''), el('th', {scope: 'col', class: 'code-bar'}, ''), heads,
                                                              el('th', {scope: 'col'}, label))), body));
        node.addEventListener('mouseleave', () => { if (onHover) onHover(null); });

        const classSetter = name => {
            let before = [];
            return lines => {
                for (const r of before) r.tr.classList.remove(name);
                before = lines.map(l => rows.get(l)).filter(Boolean);
                for (const r of before) r.tr.classList.add(name);
            };
        };
        return {
            node, mark: classSetter('mark'), hover: classSetter('hover'),
            has: line => rows.has(line),
            paint(cost) {
                for (const row of rows.values()) {
                    const c = cost(row.line);
                    row.costs = Boolean(c);
                    row.tr.classList.toggle('pick', row.costs);
                    if (c) row.tr.title = c.title; else row.tr.removeAttribute('title');
                    row.tr.removeAttribute('tabindex');
                    if (c) row.tr.tabIndex = -1;
                    heat(row.tr, c ? c.heat : null);
                    row.bar.replaceChildren(...(c ? [el('span', {class: 'code-parts'}, c.parts.map(([name, share]) =>
                        el('span', {style: {width: `${(100 * share).toFixed(2)}%`, background: `var(--${name})`}})))] : []));
                    row.cells.forEach((cell, i) => { cell.textContent = c ? c.cells[i] : ''; });
                }
                reach(costly()[0] || null);
            },
            reveal(line) {
                const row = rows.get(line);
                if (!row) return;
                if (row.costs) reach(row);
                const box = node.getBoundingClientRect(), at = row.tr.getBoundingClientRect();
                node.scrollTop += at.top - box.top - (box.height - at.height) / 2;
            },
        };
    };
})();
