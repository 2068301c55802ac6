/* Graphs: dagre says where nodes and edges go, this draws them as SVG.
 *
 *   graph({nodes, edges, label, onSelect(id), direction})
 *       nodes: {id, label, lines: [text, ...], heat: 0..1, class, title, extra: {width, height}}. The label is the first line;
 *           extra leaves room below the text, into which the caller draws (slot). edges: {from, to, label, class, title,
 *           weight: 0..1}; weight is the thickness; class 'back' is dashed. direction: 'TB' (default) or 'LR'.
 *       Nodes are buttons: Tab reaches the graph, arrows go along edges (down and up) and to the neighbours of the row (left and
 *       right), Enter selects. Returns {node, select(id), paint(id, {heat, class, lines}), slot(id) => <g>, box(id), mark(ids)}.
 *       slot's origin is the upper left corner of the room the node asked for; box(id): {x, y, width, height} of the node.
 *       mark(ids): those nodes get the class 'mark', all others lose it. */
'use strict';
(() => {
    const {el, svg, heat, choice} = pieces;
    const charWidth = 7.3, lineHeight = 16, pad = 8;
    const linesOf = node => [node.label === undefined ? String(node.id) : node.label, ...(node.lines || [])];

    function size(node) {
        const lines = linesOf(node), extra = node.extra || {width: 0, height: 0};
        return {width: Math.max(40, ...lines.map(t => t.length * charWidth), extra.width) + 2 * pad,
                height: lines.length * lineHeight + extra.height + 2 * pad};
    }
    function arrange({nodes, edges, direction = 'TB'}) {
        const g = new dagre.graphlib.Graph({multigraph: true});
        g.setGraph({rankdir: direction, nodesep: 28, ranksep: 36, edgesep: 14, marginx: 12, marginy: 12});
        for (const n of nodes) g.setNode(String(n.id), size(n));
        edges.forEach((e, i) => g.setEdge(String(e.from), String(e.to),
                                          {width: (e.label || '').length * charWidth, height: e.label ? lineHeight : 0, labelpos: 'c'}, String(i)));
        dagre.layout(g);
        return g;
    }
    // Through the midpoints of dagre's corners, so that an edge bends instead of breaking.
    function curve(points) {
        const [first, ...rest] = points, last = rest[rest.length - 1];
        let d = `M${first.x.toFixed(1)},${first.y.toFixed(1)}`;
        for (let i = 0; i + 1 < rest.length; i++) {
            const mid = i + 2 < rest.length ? {x: (rest[i].x + rest[i + 1].x) / 2, y: (rest[i].y + rest[i + 1].y) / 2} : last;
            d += `Q${rest[i].x.toFixed(1)},${rest[i].y.toFixed(1)} ${mid.x.toFixed(1)},${mid.y.toFixed(1)}`;
        }
        return rest.length === 1 ? d + `L${last.x.toFixed(1)},${last.y.toFixed(1)}` : d;
    }
    // dagre's own extent leaves out where edges bend.
    function extent(g, edges) {
        const {width, height} = g.graph();
        const xs = edges.flatMap((e, i) => g.edge({v: String(e.from), w: String(e.to), name: String(i)}).points.map(p => p.x));
        const left = Math.floor(Math.min(0, ...xs.map(x => x - 6))), right = Math.ceil(Math.max(width, ...xs.map(x => x + 6)));
        return {left, width: right - left, height: Math.ceil(height)};
    }
    let graphs = 0;
    function drawEdge(g, edge, i, arrow) {
        const placed = g.edge({v: String(edge.from), w: String(edge.to), name: String(i)});
        const width = 1.2 + 3.3 * (edge.weight || 0);
        return svg('g', {class: ['edge', edge.class || ''].join(' ').trim()}, edge.title ? svg('title', {}, edge.title) : null,
                   svg('path', {d: curve(placed.points), 'marker-end': `url(#${arrow})`, 'stroke-width': width.toFixed(2)}),
                   edge.label ? svg('text', {x: placed.x, y: placed.y + 4, 'text-anchor': 'middle'}, edge.label) : null);
    }
    function textOf(lines, width) {
        return lines.map((line, k) => svg('text', {x: width / 2, y: pad + 12 + k * lineHeight, 'text-anchor': 'middle',
                                                   class: k ? 'small' : 'name'}, line));
    }
    function drawNode(g, node) {
        const at = g.node(String(node.id)), x = at.x - at.width / 2, y = at.y - at.height / 2;
        const texts = svg('g', {}, textOf(linesOf(node), at.width));
        const slot = svg('g', {class: 'slot', transform: `translate(${pad},${pad + linesOf(node).length * lineHeight})`});
        const group = svg('g', {class: ['node', node.class || ''].join(' ').trim(), role: 'button', tabindex: '-1', transform: `translate(${x},${y})`,
                                'aria-label': [...linesOf(node), node.title || ''].join(', ')},
                          node.title ? svg('title', {}, node.title) : null,
                          svg('rect', {width: at.width, height: at.height, rx: 6}), texts, slot);
        if (node.heat !== undefined) heat(group, node.heat);
        return {node, group, texts, slot, classes: (node.class || '').split(' ').filter(Boolean), box: {x, y, width: at.width, height: at.height}};
    }
    // Where an arrow key leads: along an edge, or to the nearest node of the same row.
    function neighbour(key, id, edges, drawn) {
        if (key === 'ArrowDown') return (edges.find(e => e.from === id && e.to !== id) || {}).to;
        if (key === 'ArrowUp') return (edges.find(e => e.to === id && e.from !== id) || {}).from;
        const here = drawn.get(id).box, sign = {ArrowLeft: -1, ArrowRight: 1}[key];
        if (!sign) return undefined;
        const beside = [...drawn].filter(([, d]) => Math.abs(d.box.y - here.y) < here.height && sign * (d.box.x - here.x) > 0);
        beside.sort((a, b) => sign * (a[1].box.x - b[1].box.x));
        return beside.length ? beside[0][0] : undefined;
    }
    function zoom(picture, width, height) {
        const apply = value => {
            const scale = Number(value);
            picture.style.maxWidth = scale ? 'none' : '100%';
            picture.setAttribute('width', String(width * (scale || 1)));
            picture.setAttribute('height', String(height * (scale || 1)));
            picture.style.height = scale ? '' : 'auto';
        };
        apply(0);
        return choice({label: 'size', options: [['0', 'fit'], ['0.5', '½'], ['1', '1'], ['2', '2']], value: '0', onChange: apply}).node;
    }

    pieces.graph = options => {
        const {nodes, edges, label, onSelect = () => {}} = options;
        const g = arrange(options), {left, width, height} = extent(g, edges), arrow = `arrow-${++graphs}`;
        const drawn = new Map(nodes.map(n => [n.id, drawNode(g, n)]));
        const picture = svg('svg', {viewBox: `${left} 0 ${width} ${height}`, class: 'graph', role: 'group', 'aria-label': label},
            svg('defs', {}, svg('marker', {id: arrow, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8,
                                           markerUnits: 'userSpaceOnUse', orient: 'auto-start-reverse'}, svg('path', {d: 'M0,0L8,4L0,8z'}))),
            edges.map((e, i) => drawEdge(g, e, i, arrow)), [...drawn.values()].map(d => d.group));
        const reach = id => { for (const [k, d] of drawn) d.group.setAttribute('tabindex', k === id ? '0' : '-1'); };
        const select = id => {
            for (const [k, d] of drawn) {
                d.group.classList.toggle('selected', k === id);
                d.group.setAttribute('aria-pressed', String(k === id));
            }
            if (drawn.has(id)) reach(id);
        };
        for (const [id, d] of drawn) {
            const choose = () => { select(id); onSelect(id); };
            d.group.addEventListener('click', choose);
            d.group.addEventListener('keydown', event => {
                const next = neighbour(event.key, id, edges, drawn);
                if (next !== undefined) { reach(next); drawn.get(next).group.focus(); }
                else if (event.key === 'Enter' || event.key === ' ') choose();
                else return;
                event.preventDefault();
            });
        }
        if (nodes.length) reach(nodes[0].id);
        const paint = (id, {heat: share, class: name, lines}) => {
            const d = drawn.get(id);
            if (share !== undefined) heat(d.group, share);
            if (name !== undefined) {
                d.group.classList.remove(...d.classes);
                d.classes = name.split(' ').filter(Boolean);
                d.group.classList.add(...d.classes);
            }
            if (lines) d.texts.replaceChildren(...textOf([linesOf(d.node)[0], ...lines], d.box.width));
        };
        return {node: el('div', {class: 'graph-box'}, zoom(picture, width, height), el('div', {class: 'scroll'}, picture)), select, paint,
                slot: id => drawn.get(id).slot, box: id => drawn.get(id).box,
                mark(ids) { for (const [k, d] of drawn) d.group.classList.toggle('mark', ids.includes(k)); }};
    };
})();
