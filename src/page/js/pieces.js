/* The pieces that all pages are made of. A page is one file: page.c writes the data, the libraries it asked for, this file,
 * charts.js and slots.js (PAGE_CHARTS), graph.js (PAGE_GRAPHS), code.js (PAGE_CODE), lanes.js (PAGE_LANES), then APP-*.js and APP.js, which sets heddlePages.APP = (data, root) => ..., and calls
 * pieces.start(APP). Nothing is loaded from anywhere; nothing depends on the time or on chance.
 *
 * Elements
 *   el(tag, attributes, ...children)    an element. Attributes: names to text; true is "present", null and false "absent";
 *                                       on: {click: f}, style: {'--x': '1'}. Children: nodes, text, arrays, null.
 *   svg(tag, attributes, ...children)   the same for SVG.
 *   tag(name) => el with that tag       never use innerHTML: data may hold any text.
 * The page
 *   layout(root, {title, lead, about, version})   header with the theme switch, contents, footer. Returns
 *       .section(id, title, ...children)   a part with a heading that can be linked to; listed in the contents; returned.
 *       about: [[term, text or node], ...], a list at the top.
 *   tiles([{label, value, note, title}])   a few large numbers side by side.
 *   details(summary, ...children)          something that opens. note(...children): a paragraph in small type.
 *   choice({label, options: [[value, text], ...], value, onChange})   buttons of which one is chosen: {node, value, set(v)}.
 *   select({...the same})                                            a drop-down list.
 *   search({label, onChange(text)})                                  a field to filter by: {node, set(text)}.
 *   address.read() => {key: text}, address.write({key: value or null}), address.listen(f)   what of the page's state is kept
 *       in its address, after '#', so that it can be linked to.
 * Tables
 *   table({columns, rows, caption, sort: {key, descending}, onRow(row), rowClass(row), rowTitle(row), limit})
 *       columns: {key, label, title, kind, value(row), format(value), cell(row) => node, heat: true or row => 0..1, fixed}
 *       kind: 'text', or a name of fmt ('int', 'real', 'percent', ...), which are aligned to the right. Heads are buttons that
 *       sort, unless fixed. Rows with onRow can be reached and chosen by keyboard. limit: rows shown before "show all".
 *       Returns {node, setRows(rows), select(row), rowOf(row) => element}.
 *   heatmap({rows, columns, value(row, column), names, format, caption, corner, from})   rows x columns of coloured numbers; from: the
 *       value without colour (1 for speed-ups; colours then go both ways), else the least one. names: {rows, columns} where they
 *       are numbers: the names by number.
 *   heat(node, fraction)     colours a node's ground, 0..1; -1..0 in the colour of less. null takes it off.
 *   meter(fraction, text)    a bar behind a number, for cells.
 * Numbers: fmt.int 12,345 · fmt.real 1.234 · fmt.fixed(v, n) · fmt.percent(0.12) 12.0 % · fmt.signed +12.0 % · fmt.times 1.23x ·
 *   fmt.short 12.3k · fmt.bytes 12 KiB · fmt.auto. All give "–" for null, undefined and NaN.
 * Theme: auto (the system's), light, dark; kept by the browser. theme.listen(f) calls f whenever the colours change, until it returns false;
 *   colour(name) is what style.css calls --name, as rgb(); seriesName(i) the name of the i-th series' colour. */
'use strict';
const heddlePages = {};
const pieces = (() => {
    // ---- elements ----
    const namespaces = {svg: 'http://www.w3.org/2000/svg'};
    function assign(node, attributes) {
        for (const [key, value] of Object.entries(attributes || {})) {
            if (value === null || value === undefined || value === false) continue;
            if (key === 'on') for (const [type, f] of Object.entries(value)) node.addEventListener(type, f);
            else if (key === 'style') for (const [name, v] of Object.entries(value)) node.style.setProperty(name, v);
            else node.setAttribute(key, value === true ? '' : value);
        }
    }
    function adopt(node, children) {
        for (const child of children.flat(Infinity))
            if (child !== null && child !== undefined && child !== false) node.append(child);
        return node;
    }
    function el(tag, attributes, ...children) {
        const node = document.createElement(tag);
        assign(node, attributes);
        return adopt(node, children);
    }
    function svg(tag, attributes, ...children) {
        const node = document.createElementNS(namespaces.svg, tag);
        assign(node, attributes);
        return adopt(node, children);
    }

    // ---- numbers ----
    const absent = v => v === null || v === undefined || Number.isNaN(v);
    const grouped = text => text.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
    const shown = f => (v, ...rest) => (absent(v) ? '–' : typeof v === 'string' ? v : f(v, ...rest));
    const minus = text => text.replace(/^-/, '−');
    function significant(v, digits) {
        if (!Number.isFinite(v)) return v > 0 ? '∞' : '−∞';
        if (v === 0) return '0';
        const after = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(v))));
        const [whole, part] = v.toFixed(Math.min(after, 12)).split('.');
        const kept = part ? part.replace(/0+$/, '') : '';
        return minus(grouped(whole)) + (kept ? '.' + kept : '');
    }
    function scaled(v, step, units, gap) {
        let i = 0;
        for (v = Number(v); Math.abs(v) >= step && i + 1 < units.length; i++) v /= step;
        return significant(v, 3) + (units[i] ? gap + units[i] : '');
    }
    const fixed = (v, digits) => {
        const [whole, part] = v.toFixed(digits).split('.');
        return minus(grouped(whole)) + (part ? '.' + part : '');
    };
    const fmt = {
        int: shown(v => fixed(v, 0)),
        real: shown((v, digits = 4) => significant(v, digits)),
        fixed: shown((v, digits = 2) => fixed(v, digits)),
        percent: shown((v, digits = 1) => fixed(100 * v, digits) + ' %'),
        signed: shown((v, digits = 1) => (v > 0 ? '+' : '') + fixed(100 * v, digits) + ' %'),
        times: shown((v, digits = 2) => fixed(v, digits) + '×'),
        short: shown(v => scaled(v, 1000, ['', 'k', 'M', 'G', 'T', 'P'], '')),
        bytes: shown(v => scaled(v, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB'], ' ')),
        auto: shown(v => (typeof v !== 'number' ? String(v) : Number.isInteger(v) ? fixed(v, 0) : significant(v, 4))),
    };

    // ---- theme ----
    const store = { // a page opened as a file may not be allowed to keep anything
        get(key) {
            try { return localStorage.getItem(key); } catch { return null; }
        },
        set(key, value) {
            try { localStorage.setItem(key, value); } catch { /* then it is not kept */ }
        },
    };
    const theme = {
        listeners: [],
        value: 'auto',
        listen(f) { theme.listeners.push(f); },
        changed() { theme.listeners = theme.listeners.filter(f => f() !== false); },
        set(value) {
            theme.value = value;
            if (value === 'auto') delete document.documentElement.dataset.theme;
            else document.documentElement.dataset.theme = value;
            store.set('heddle-theme', value);
            theme.changed();
        },
        start() {
            const kept = store.get('heddle-theme');
            theme.set(kept === 'light' || kept === 'dark' ? kept : 'auto');
            matchMedia('(prefers-color-scheme: dark)').addEventListener('change', theme.changed);
            matchMedia('print').addEventListener('change', theme.changed);
        },
    };
    const pixel = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    // A pixel is painted and read: the style may name a colour in ways that a library does not understand.
    function colour(name, alpha) {
        const probe = el('span', {style: {color: `var(--${name})`, display: 'none'}});
        document.body.append(probe);
        pixel.fillStyle = getComputedStyle(probe).color;
        probe.remove();
        pixel.fillRect(0, 0, 1, 1);
        const [r, g, b] = pixel.getImageData(0, 0, 1, 1).data;
        return alpha === undefined ? `rgb(${r}, ${g}, ${b})` : `rgba(${r}, ${g}, ${b}, ${alpha})`;
    }
    const seriesName = i => 'c' + (1 + i % 12);

    // ---- heat ----
    function heat(node, fraction) {
        const there = fraction !== null && Number.isFinite(fraction);
        node.classList.toggle('heat', there && fraction >= 0);
        node.classList.toggle('cool', there && fraction < 0);
        if (there) node.style.setProperty('--heat-share', Math.min(1, Math.abs(fraction)).toFixed(3));
        else node.style.removeProperty('--heat-share');
        return node;
    }
    const meter = (fraction, text) =>
        el('span', {class: 'meter'}, el('span', {class: 'meter-bar', style: {'--share': Math.max(0, Math.min(1, fraction || 0)).toFixed(4)}}),
           el('span', {class: 'meter-text'}, text));

    // ---- tables ----
    const valueOf = (column, row) => (column.value ? column.value(row) : row[column.key]);
    function compare(a, b) {
        if (absent(a) || absent(b)) return absent(a) - absent(b); // what is missing comes last, both ways
        return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', {numeric: true});
    }
    function sorted(rows, column, descending) {
        const keyed = rows.map((row, i) => ({row, i, v: valueOf(column, row)}));
        keyed.sort((a, b) => {
            const order = compare(a.v, b.v);
            return (descending && !absent(a.v) && !absent(b.v) ? -order : order) || a.i - b.i;
        });
        return keyed.map(k => k.row);
    }
    const isNumber = column => Boolean(column.kind && column.kind !== 'text');
    function cellOf(column, row, most) {
        const value = valueOf(column, row);
        const format = column.format || (isNumber(column) ? fmt[column.kind] : fmt.auto);
        const cell = el('td', {class: isNumber(column) ? 'n' : null}, column.cell ? column.cell(row) : format(value, undefined));
        if (column.heat === true && !absent(value)) heat(cell, most ? value / most : 0);
        else if (typeof column.heat === 'function') heat(cell, column.heat(row));
        return cell;
    }
    function headOf(column, state, resort) {
        const th = el('th', {scope: 'col', class: isNumber(column) ? 'n' : null, title: column.title});
        if (column.fixed) return adopt(th, [column.label]);
        const press = () => {
            state.descending = state.key === column.key ? !state.descending : isNumber(column);
            state.key = column.key;
            resort();
        };
        th.append(el('button', {type: 'button', class: 'sort', on: {click: press}}, column.label,
                     el('span', {class: 'arrow', 'aria-hidden': 'true'})));
        return th;
    }
    // Rows that can be chosen: one of them is in the tab order, arrows move between them.
    function rowKeys(event, tr, choose) {
        const target = {ArrowDown: tr.nextElementSibling, ArrowUp: tr.previousElementSibling,
                        Home: tr.parentNode.firstElementChild, End: tr.parentNode.lastElementChild}[event.key];
        if (event.target !== tr) return;
        if (target) target.focus();
        else if (event.key === 'Enter' || event.key === ' ') choose();
        else return;
        event.preventDefault();
    }
    function table(options) {
        const {columns, caption, onRow, limit = Infinity} = options;
        const state = {key: null, descending: false, ...options.sort};
        const elements = new Map();
        let rows = options.rows, all = false, selected = null;
        const body = el('tbody'), more = el('button', {type: 'button', class: 'more', on: {click: () => { all = true; fill(); }}});
        const heads = columns.map(c => headOf(c, state, () => fill()));
        const element = el('table', {class: options.class}, caption ? el('caption', {}, caption) : null,
                           el('thead', {}, el('tr', {}, heads)), body);
        const node = el('div', {class: 'scroll'}, element, more);
        function rowElement(row, most) {
            const tr = el('tr', {class: options.rowClass ? options.rowClass(row) : null, title: options.rowTitle ? options.rowTitle(row) : null},
                          columns.map((c, i) => cellOf(c, row, most[i])));
            if (onRow) {
                assign(tr, {tabindex: '-1', class: [tr.className, 'pick'].join(' ').trim(), on: {
                    click: () => { select(row); onRow(row); },
                    keydown: e => rowKeys(e, tr, () => { select(row); onRow(row); }),
                }});
            }
            elements.set(row, tr);
            return tr;
        }
        function fill() {
            const column = columns.find(c => c.key === state.key);
            const order = column ? sorted(rows, column, state.descending) : rows;
            const seen = all ? order : order.slice(0, limit);
            const most = columns.map(c => (c.heat === true ? Math.max(0, ...rows.map(r => valueOf(c, r) || 0)) : 0));
            elements.clear();
            body.replaceChildren(...seen.map(r => rowElement(r, most)));
            if (onRow && body.firstElementChild) body.firstElementChild.tabIndex = 0;
            heads.forEach((th, i) => {
                if (!columns[i].fixed)
                    th.setAttribute('aria-sort', columns[i].key !== state.key ? 'none' : state.descending ? 'descending' : 'ascending');
            });
            more.hidden = seen.length === order.length;
            more.textContent = `show all ${fmt.int(order.length)} rows`;
            if (selected) select(selected);
        }
        function select(row) {
            selected = row;
            for (const [r, tr] of elements) {
                tr.toggleAttribute('aria-current', r === row);
                if (r === row) tr.setAttribute('aria-current', 'true');
            }
        }
        fill();
        return {node, setRows(r) { rows = r; fill(); }, select, rowOf: row => elements.get(row)};
    }

    // ---- heat maps ----
    function heatScale(numbers, from) {
        const low = Math.min(...numbers), high = Math.max(...numbers);
        if (from === undefined || from === null) return v => (high > low ? (v - low) / (high - low) : 0);
        const span = Math.max(high - from, from - low) || 1;
        return v => (v - from) / span || 0;
    }
    function heatmap({rows, columns, value, names, format = fmt.auto, caption, corner, from}) {
        const rowName = r => String(names ? names.rows[r] : r), columnName = c => String(names ? names.columns[c] : c);
        const numbers = rows.flatMap(r => columns.map(c => value(r, c))).filter(Number.isFinite);
        const scale = heatScale(numbers, from);
        const cell = (r, c) => {
            const v = value(r, c);
            return heat(el('td', {class: 'n', title: `${rowName(r)}, ${columnName(c)}: ${format(v)}`}, format(v)), Number.isFinite(v) ? scale(v) : null);
        };
        return el('div', {class: 'scroll'}, el('table', {class: 'heatmap'}, caption ? el('caption', {}, caption) : null,
            el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, corner || ''), columns.map(c => el('th', {scope: 'col', class: 'n'}, columnName(c))))),
            el('tbody', {}, rows.map(r => el('tr', {}, el('th', {scope: 'row'}, rowName(r)), columns.map(c => cell(r, c)))))));
    }

    // ---- controls ----
    let names = 0;
    function choice({label, options, value, onChange}) {
        const group = `choice-${++names}`;
        const inputs = options.map(([v]) => el('input', {type: 'radio', name: group, value: v, checked: v === value,
                                                        on: {change: () => { self.value = v; onChange(v); }}}));
        const node = el('fieldset', {class: 'choice'}, el('legend', {}, label),
                        options.map(([, text], i) => el('label', {}, inputs[i], el('span', {}, text))));
        const self = {node, value, set(v) {
            self.value = v;
            options.forEach(([o], i) => { inputs[i].checked = o === v; });
        }};
        return self;
    }
    function select({label, options, value, onChange}) {
        const list = el('select', {on: {change: () => { self.value = list.value; onChange(list.value); }}},
                        options.map(([v, text]) => el('option', {value: v, selected: v === value}, text)));
        const self = {node: el('label', {class: 'field'}, el('span', {}, label), list), value,
                      set(v) { self.value = list.value = v; }};
        return self;
    }
    function search({label, onChange}) {
        const input = el('input', {type: 'search', on: {input: () => onChange(input.value)}});
        return {node: el('label', {class: 'field'}, el('span', {}, label), input), set(v) { input.value = v; }};
    }
    const details = (summary, ...children) => el('details', {}, el('summary', {}, summary), children);
    const note = (...children) => el('p', {class: 'note'}, children);
    const tiles = list => el('div', {class: 'tiles'}, list.map(t =>
        el('div', {class: 'tile', title: t.title}, el('div', {class: 'tile-label'}, t.label),
           el('div', {class: 'tile-value'}, t.value), t.note ? el('div', {class: 'tile-note'}, t.note) : null)));

    // ---- the address ----
    const address = {
        read() {
            const text = location.hash.slice(1);
            return text.includes('=') ? Object.fromEntries(new URLSearchParams(text)) : {};
        },
        write(changes) {
            const all = Object.entries({...address.read(), ...changes}).filter(([, v]) => v !== null && v !== undefined);
            history.replaceState(null, '', '#' + new URLSearchParams(all.map(([k, v]) => [k, String(v)])));
        },
        listen(f) { addEventListener('hashchange', () => { if (location.hash.includes('=')) f(address.read()); }); },
    };

    // ---- the page ----
    function themeSwitch() {
        return choice({label: 'colours', options: [['auto', 'auto'], ['light', 'light'], ['dark', 'dark']], value: theme.value,
                       onChange: theme.set}).node;
    }
    function layout(root, {title, lead, about, version}) {
        const contents = el('nav', {'aria-label': 'contents'}), main = el('main');
        const links = el('ul');
        contents.append(links);
        adopt(root, [
            el('header', {}, el('div', {class: 'head'}, el('h1', {}, title), themeSwitch()),
               lead ? el('p', {class: 'lead'}, lead) : null,
               about ? el('dl', {class: 'about'}, about.map(([term, text]) => [el('dt', {}, term), el('dd', {}, text)])) : null),
            contents, main,
            el('footer', {}, `Written by heddle${version ? ' ' + version : ''}. This file needs no network and no other file.`)]);
        return {main, section(id, heading, ...children) {
            links.append(el('li', {}, el('a', {href: '#' + id}, heading)));
            const part = el('section', {id, 'aria-labelledby': id + '-title'}, el('h2', {id: id + '-title'}, heading), children);
            main.append(part);
            return part;
        }};
    }
    function start(app) {
        const data = JSON.parse(document.getElementById('data').textContent);
        const root = document.getElementById('root');
        theme.start();
        heddlePages[app](data, root);
        if (location.hash && !location.hash.includes('=')) { // what the address points to was not there when the page loaded
            const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
            if (target) target.scrollIntoView();
        }
        document.documentElement.dataset.ready = 'true';
    }

    return {el, svg, adopt, assign, tag: name => (...rest) => el(name, ...rest), fmt, theme, colour, seriesName, heat, meter, table,
            heatmap, choice, select, search, details, note, tiles, address, layout, start};
})();
