/* The program in a report: source and PTX with costs, branches, control-flow graphs, and one selection that all of them show.
 *   reportCode(x, page) adds both sections. x.choose(what, jump) then selects {line} of the PTX, {file, source} or {block}; jump: the
 *   page goes to the lines. */
'use strict';
(() => {
    const {el, fmt, table, choice, select, note, meter, graph, codePane, address} = pieces;
    const unique = list => [...new Set(list)];

    // ---- source and PTX ----
    const heats = {lost: ['lost', c => c.lost], causes: ['caused', c => c.causes], slots: ['all slots', c => c.slots]};
    const columns = [{label: 'lost', title: 'share of all slots that this line loses while it issues or is waited for'},
                     {label: 'causes', title: 'share of all slots lost anywhere to divergence at this line'}];
    const withCalls = cost => cost.calls || cost.own;

    function describe(x, cost) {
        const c = withCalls(cost), threads = fmt.fixed(x.over(cost.threads, cost.executions), 1);
        const parts = x.kinds.map((k, i) => [k.name, c.by[i]]).filter(([, v]) => v).sort((a, b) => b[1] - a[1]);
        return [`${fmt.int(cost.executions)} issues of ${threads} threads.`,
                `Slots: ${parts.map(([name, v]) => `${name} ${fmt.percent(x.share(v), 2)}`).join(', ') || 'none'}.`,
                c.causes ? `Threads that part here cost ${fmt.percent(x.share(c.causes), 2)} of all slots.` : '',
                cost.calls ? 'Calls included.' : ''].filter(Boolean).join(' ');
    }
    // What a pane shows of a line, of the costs by key.
    function painter(x, costs, keyOf, heatBy) {
        const value = heats[heatBy][1], list = [...costs.values()].map(withCalls);
        const most = Math.max(0, ...list.map(value)), widest = Math.max(1, ...list.map(c => c.slots));
        const text = v => (x.share(v) >= 0.0005 ? fmt.percent(x.share(v)) : v ? '·' : '');
        return line => {
            const cost = costs.get(keyOf(line));
            if (!cost) return null;
            const c = withCalls(cost);
            return {heat: most ? Math.sqrt(value(c) / most) : 0, title: describe(x, cost), cells: [text(c.lost), text(c.causes)],
                    parts: x.kinds.map((k, i) => [k.colour, c.by[i] / widest]).filter(([, v]) => v > 0)};
        };
    }
    // The files that could be read, those with most slots first.
    function readable(x) {
        const cover = f => x.sum([...x.base.sourceCost].filter(([k]) => k.startsWith(f.file + ':')).map(([, c]) => c.own.slots));
        return x.data.code.files.filter(f => f.text && f.text.length).sort((a, b) => cover(b) - cover(a));
    }
    const hottest = costs => [...costs].reduce((best, one) => (!best || one[1].own.lost > best[1].own.lost ? one : best), null);

    function makePanes(x) {
        const files = readable(x), subject = x.data.subject, box = el('div', {class: 'code-source'});
        const hover = what => panes.hover(what ? x.pcsOf(what) : []);
        const ptx = codePane({label: subject.workload ? 'PTX' : `PTX of ${x.baseName(subject.file)}`, pieces: x.data.code.ptx, language: 'ptx', columns,
                              onSelect: line => x.choose({line}), onHover: line => hover(line === null ? null : {line})});
        const sources = new Map(files.map(f => [f.file, codePane({
            label: x.baseName(f.name), pieces: f.text, language: 'c', columns, onSelect: line => x.choose({file: f.file, source: line}),
            onHover: line => hover(line === null ? null : {file: f.file, source: line})})]));
        const tabs = files.length > 1 ? choice({label: 'file', options: files.map(f => [String(f.file), x.baseName(f.name)]),
                                                value: String(files[0].file), onChange: v => panes.open(Number(v))}) : null;
        const at = pcs => pcs.map(pc => x.places.get(pc)).filter(Boolean);
        const sourceLines = (pcs, file) => unique(at(pcs).filter(p => p.file === file && p.source).map(p => p.source));
        const panes = {
            ptx, sources, tabs, file: null, heatBy: 'lost',
            node: el('div', {class: files.length ? 'code-panes' : 'code-panes one'}, files.length ? box : null, ptx.node),
            open(file) {
                panes.file = file;
                if (tabs) tabs.set(String(file));
                box.replaceChildren(sources.get(file).node);
            },
            each(pcs, what) {
                ptx[what](unique(at(pcs).map(p => p.line)));
                for (const [file, pane] of sources) pane[what](sourceLines(pcs, file));
            },
            hover: pcs => panes.each(pcs, 'hover'),
            mark: pcs => panes.each(pcs, 'mark'),
            paint() {
                ptx.paint(painter(x, x.run.lineCost, line => line, panes.heatBy));
                for (const [file, pane] of sources) pane.paint(painter(x, x.run.sourceCost, line => `${file}:${line}`, panes.heatBy));
            },
            openAtHottest() {
                const line = hottest(x.run.lineCost);
                const source = hottest([...x.run.sourceCost].filter(([k]) => k.startsWith(panes.file + ':') && !k.endsWith(':0')));
                if (line) ptx.reveal(line[0]);
                if (source) sources.get(panes.file).reveal(Number(source[0].split(':')[1]));
            },
        };
        if (files.length) panes.open(files[0].file);
        return panes;
    }
    const keyOfColours = x => el('div', {class: 'legend', 'aria-label': 'colours of the bars'},
        x.kinds.filter((k, i) => x.ended.some(r => r.slots[i])).map(k =>
            el('span', {class: 'slot-key'}, el('span', {class: 'swatch', style: {'--swatch': `var(--${k.colour})`}}), k.name)));
    function linelessText(x) {
        const costs = [...x.run.sourceCost].filter(([k]) => k.endsWith(':0')).map(([, c]) => withCalls(c));
        const of = f => fmt.percent(x.share(x.sum(costs.map(f))));
        return costs.length ? `Instructions to which the compiler gave no source line: ${of(c => c.lost)} lost, ${of(c => c.causes)} caused; the PTX shows them.` : '';
    }
    function sourceSection(x, page, panes, chosen) {
        const heat = choice({label: 'heat', options: Object.entries(heats).map(([k, [text]]) => [k, text]), value: panes.heatBy,
                             onChange: v => { panes.heatBy = v; panes.paint(); }});
        const all = el('input', {type: 'checkbox', on: {change: () => panes.node.classList.toggle('show-noise', all.checked)}});
        const unread = x.data.code.files.filter(f => !f.text).map(f => f.name), lineless = el('p', {class: 'note'});
        page.section('source', panes.file === null ? 'PTX' : 'Source and PTX',
            el('div', {class: 'controls'}, panes.tabs ? panes.tabs.node : null, heat.node,
               el('label', {class: 'field'}, all, el('span', {}, 'all lines of the PTX'))),
            chosen, panes.node, lineless, keyOfColours(x),
            unread.length ? note(`Not readable when the report was made: ${unread.join(', ')}.`) : null,
            x.data.code.files.length ? null
                : note('The PTX has no line information; nvcc -lineinfo and clang -gline-tables-only write it.'));
        x.onRun(() => { panes.paint(); lineless.textContent = linelessText(x); });
    }

    // ---- branches ----
    const branchColumns = x => {
        const {over, share} = x;
        const most = () => x.run.branches[0].cost.causes;
        return [
            {key: 'causes', label: 'causes', kind: 'percent', title: 'share of all slots lost to divergence there',
             value: b => share(b.cost.causes), cell: b => meter(over(b.cost.causes, most()), fmt.percent(share(b.cost.causes)))},
            {key: 'source', label: 'source', value: b => x.sourceName(b) || '', cell: b => x.sourceName(b) || el('span', {class: 'soft'}, 'none')},
            {key: 'text', label: 'PTX', value: b => x.code(b.line), cell: b => el('code', {}, x.code(b.line))},
            {key: 'line', label: 'line', kind: 'int', title: 'of the PTX'},
            {key: 'executions', label: 'executed', kind: 'int', title: 'issues'},
            {key: 'threads', label: 'threads', kind: 'fixed', title: 'of an issue, on average', value: b => over(b.lanes, b.executions), format: v => fmt.fixed(v, 1)},
            {key: 'divergent', label: 'divergent', kind: 'percent', title: 'issues that sent their threads different ways',
             value: b => over(b.divergences, b.executions), heat: b => over(b.divergences, b.executions)},
            {key: 'sides', label: 'sides', kind: 'fixed', value: b => over(b.sides, b.divergences)},
            {key: 'reconverge', label: 'reconverge', kind: 'int', title: 'cycles until the threads are together again, on average',
             value: b => over(b.cycles, b.reconvergences)},
        ];
    };
    function makeBranches(x) {
        const box = el('div'), branches = {node: box, select: () => {}};
        x.onRun(() => {
            const made = table({columns: branchColumns(x), rows: x.run.branches, sort: {key: 'causes', descending: true}, limit: 20,
                                onRow: b => x.choose({line: b.line}, true)});
            branches.select = made.select;
            box.replaceChildren(x.run.branches.length ? made.node : note('None was executed.'));
        });
        return branches;
    }

    // ---- control flow ----
    const mostBlocks = 400;
    const pcsOfBlock = b => Array.from({length: b.end - b.first}, (_, i) => b.first + i);
    function blockFigures(x, f, b) {
        const lines = unique(pcsOfBlock(b).map(pc => f.lines[pc - f.entry])), costs = lines.map(l => x.run.lineCost.get(l)).filter(Boolean);
        const first = lines[0], last = lines[lines.length - 1], head = x.run.lineCost.get(first);
        return {lines: first === last ? `line ${last}` : `lines ${first}–${last}`, times: head ? head.executions : 0,
                lanes: x.over(x.sum(costs.map(c => c.threads)), x.sum(costs.map(c => c.executions)))};
    }
    function sourceRange(x, f, b, file) {
        const here = pcsOfBlock(b).map(pc => x.places.get(pc)).filter(p => p.source && (file === null || p.file === file));
        if (!here.length || !x.fileOf.has(here[0].file)) return null;
        const lines = here.map(p => p.source), from = Math.min(...lines), to = Math.max(...lines), name = x.baseName(x.fileOf.get(here[0].file).name);
        return from === to ? `${name}:${from}` : `${name}:${from}–${to}`;
    }
    function nodeOf(x, f, b, file) {
        const figures = blockFigures(x, f, b), ran = figures.lanes !== null;
        const text = ran ? [`${fmt.fixed(figures.lanes, 1)} of ${x.run.warp} lanes`, `${fmt.short(figures.times)} times`] : ['never'];
        return {id: b.block, label: `B${b.block}`, lines: [sourceRange(x, f, b, file) || figures.lines, ...text], class: ran ? '' : 'never',
                heat: ran ? Math.max(0, 1 - figures.lanes / x.run.warp) : undefined,
                title: `PTX ${figures.lines}${b.loop ? `, in ${b.loop} loop${b.loop > 1 ? 's' : ''}` : ''}`};
    }
    function makeGraph(x, panes) {
        const all = x.data.code.functions, box = el('div');
        const weight = f => x.sum(f.lines.map(line => (x.base.lineCost.get(line) ? x.base.lineCost.get(line).own.slots : 0)));
        const flow = {node: box, func: [...all].sort((a, b) => weight(b) - weight(a))[0], drawn: null};
        flow.draw = () => {
            const f = flow.func;
            flow.drawn = null;
            if (!f) return;
            if (f.blocks.length > mostBlocks) {
                box.replaceChildren(note(`${f.title} has ${f.blocks.length} blocks: too many to draw. 'heddle inspect --dot' writes the graph for Graphviz.`));
                return;
            }
            const first = new Map(f.blocks.map(b => [b.block, b.first]));
            const edges = f.blocks.flatMap(b => b.to.filter(t => first.has(t)).map(t => ({from: b.block, to: t, class: first.get(t) <= b.first ? 'back' : ''})));
            flow.drawn = graph({nodes: f.blocks.map(b => nodeOf(x, f, b, panes.file)), edges, label: `control-flow graph of ${f.title}`,
                                onSelect: block => x.choose({block})});
            box.replaceChildren(flow.drawn.node);
        };
        flow.names = all.length > 1 ? select({label: 'function', options: all.map((f, i) => [String(i), f.title]), value: String(all.indexOf(flow.func)),
                                              onChange: i => { flow.func = all[Number(i)]; flow.draw(); }}) : null;
        flow.show = func => {
            if (!func || func === flow.func) return;
            flow.func = func;
            if (flow.names) flow.names.set(String(all.indexOf(func)));
            flow.draw();
        };
        x.onRun(flow.draw);
        return flow;
    }

    // ---- selection ----
    function nameOf(x, what, first) {
        if (what.block !== undefined) return `Block B${what.block}`;
        if (what.line === undefined) return x.placeName(first);
        return `PTX line ${what.line}${x.sourceName(first) ? ` (${x.sourceName(first)})` : ''}`;
    }
    function makeSelection(x, panes, branches, flow, chosen) {
        let selected = null;
        function show(what) {
            const pcs = x.pcsOf(what), at = pcs.map(pc => x.places.get(pc));
            const cost = what.line !== undefined ? x.run.lineCost.get(what.line) : x.run.sourceCost.get(`${what.file}:${what.source}`);
            panes.mark(pcs);
            flow.show(at[0].func);
            if (flow.drawn) { flow.drawn.mark(unique(at.map(p => p.block))); flow.drawn.select(at[0].block); }
            branches.select(x.run.branches.find(b => pcs.includes(b.pc)) || null);
            chosen.replaceChildren(el('strong', {}, nameOf(x, what, at[0])), cost ? `: ${describe(x, cost)}` : `: ${at.length} instructions.`);
            return at;
        }
        // Brings the lines into view in the panes where the reader did not choose them.
        function reveal(what, at, jump) {
            const home = what.source !== undefined ? what : at.find(p => p.source && p.file === panes.file) || at.find(p => p.source && panes.sources.has(p.file));
            if (home && panes.sources.has(home.file) && (what.source === undefined || jump)) {
                if (home.file !== panes.file) panes.open(home.file);
                panes.sources.get(home.file).reveal(home.source);
            }
            if (what.line === undefined || jump) panes.ptx.reveal(at[0].line);
        }
        x.choose = (what, jump) => {
            if (!x.pcsOf(what).length) return;
            selected = what;
            reveal(what, show(what), jump);
            address.write({line: what.line === undefined ? null : what.line, block: what.block === undefined ? null : what.block,
                           source: what.source === undefined ? null : `${what.file}:${what.source}`});
            if (jump) document.getElementById('source').scrollIntoView();
        };
        x.onRun(() => { if (selected) show(selected); });
    }

    pieces.reportCode = (x, page) => {
        const chosen = el('p', {class: 'chosen', 'aria-live': 'polite'}, 'Select a line, a branch or a block to see what belongs to it.');
        const panes = makePanes(x);
        sourceSection(x, page, panes, chosen);
        const branches = makeBranches(x), flow = makeGraph(x, panes);
        page.section('branches', 'Branches and control flow', el('div', {class: 'beside'},
            el('div', {}, note('By the lane slots lost to their divergence. A row shows its lines above.'), branches.node),
            el('div', {}, flow.names ? el('div', {class: 'controls'}, flow.names.node) : null, flow.node,
               note('The warmer a block, the fewer lanes are active when it issues. Dashed edges go back. ' +
                    'Tab reaches the graph, arrows go along its edges, Enter shows a block\'s lines.'))));
        makeSelection(x, panes, branches, flow, chosen);
        x.openAtHottest = panes.openAtHottest;
    };
})();
