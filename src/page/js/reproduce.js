/* heddle reproduce --html: the papers' claims beside our figures. data: what --json has ({size, score and score_chosen: {all, PREFIX: {sign, ...}},
 * claims: [{claim, what, source, basis, how, config, paper, bound, ours, verdict, note, remark, waits_for, workloads: [...]}]}), with
 * version, title, command, papers: [{prefix, name, title}], and in every claim and workload the texts of its numbers (paper_text,
 * ours_text, verdict_text) and its unit. */
'use strict';
heddlePages.reproduce = (data, root) => {
    const {el, fmt, table, layout, select, search, details, note, tiles, bars, address} = pieces;
    // How a verdict looks: a colour, and a sign for those who do not see it.
    const marks = {'within a third': 'good', agrees: 'good', off: 'fair', 'sign differs': 'bad', 'no effect': 'bad'};
    const signs = {good: '✓', fair: '~', bad: '✗', none: '–'};
    const order = {good: 3, fair: 2, bad: 1, none: 0};
    const markOf = verdict => marks[verdict] || 'none';
    const mark = (verdict, text) => el('span', {class: markOf(verdict)}, signs[markOf(verdict)] + (text ? ' ' + text : ''));
    const paperOf = claim => claim.claim.split('.')[0];

    const page = layout(root, {title: data.title, version: data.version, lead: `${data.claims.length} claims, programs of size ${data.size}`,
                               about: [['command', el('code', {}, data.command)]]});

    // ---- score ----
    const part = p => (p.of > 0 ? `${fmt.real(p.right)} of ${fmt.int(p.of)}` : '–');
    const share = p => (p.of > 0 ? p.right / p.of : null);
    const all = data.score.all;
    const column = (key, label, title) => ({key, label, title, kind: 'percent', value: r => share(r.score[key]),
                                            cell: r => `${part(r.score[key])}${r.score[key].of > 0 ? ` (${fmt.percent(share(r.score[key]), 0)})` : ''}`});
    page.section('score', 'Score',
        tiles([{label: 'sign right, by value', value: fmt.percent(share(all.sign), 0), note: part(all.sign)},
               {label: 'sign right, by claim', value: fmt.percent(share(all.sign_by_claim), 0), note: part(all.sign_by_claim)},
               {label: 'without even and stays, by value', value: fmt.percent(share(all.sign_moved), 0), note: part(all.sign_moved)},
               {label: 'within a third, by value', value: fmt.percent(share(all.within_a_third), 0), note: part(all.within_a_third)},
               {label: 'within a third, by claim', value: fmt.percent(share(all.within_a_third_by_claim), 0), note: part(all.within_a_third_by_claim)},
               {label: 'predictions', value: fmt.int(all.claims), note: `${all.not_checked} not checked`}]),
        table({columns: [{key: 'basis', label: 'basis'}, {key: 'name', label: 'paper', cell: r => el('span', {title: r.title}, r.name)}, column('sign', 'sign right, by value'),
                         column('sign_by_claim', 'by claim'),
                         column('sign_moved', 'without even and stays, by value'), column('sign_moved_by_claim', 'by claim'), column('within_a_third', 'within a third, by value'), column('within_a_third_by_claim', 'by claim'),
                         {key: 'not_checked', label: 'not checked', kind: 'int', value: r => r.score.not_checked}],
               rows: [['predicted', data.score], ['chosen', data.score_chosen]].flatMap(([basis, score]) =>
                   data.papers.map(p => ({...p, basis, score: score[p.prefix]}))).filter(r => r.score.claims)}).node,
        note('Above: predictions alone. Chosen, which rest on options or programs settled after their effect had been seen, are counted apart; what was ' +
             'fitted, derived or follows from a definition is not. By value: each program\'s value of a table ' +
             'counts one; by claim: a table counts one, by the share of its values that are right. Without even and stays: the same ' +
             'without what the paper says does not change, which a mechanism that does nothing meets as well. Shares and counts have no sign, directions and bounds no size.'),
        el('p', {class: 'note'}, mark('agrees', 'within a third of the number, or with the direction or bound'), ' · ', mark('off', 'the sign is right or there is none, the size is not'),
           ' · ', mark('no effect', 'another sign or direction, beyond a bound; or no effect here'), ' · ', mark(null, 'nothing to compare')));

    // ---- the claims ----
    // Two bars from zero, the paper's above ours, on a scale of their own.
    function pair(claim) {
        const values = [claim.paper, claim.ours].filter(v => typeof v === 'number');
        if (typeof claim.ours !== 'number' || !values.length) return null;
        const low = Math.min(0, ...values), span = Math.max(0, ...values) - low || 1;
        const bar = (v, name) => (typeof v === 'number' ? el('span', {class: 'pair-bar ' + name, style: {
            '--from': ((Math.min(0, v) - low) / span).toFixed(4), '--share': (Math.abs(v) / span).toFixed(4)}}) : null);
        return el('span', {class: 'pair', role: 'img', 'aria-label': `paper ${claim.paper_text}, ours ${claim.ours_text}`},
                  bar(claim.paper, 'theirs'), bar(claim.ours, markOf(claim.verdict)));
    }
    function byWorkload(claim) {
        const rows = claim.workloads, drawn = rows.filter(v => typeof v.ours === 'number');
        const chart = drawn.length > 1 ? bars({title: `${claim.what}: paper beside ours`, labels: drawn.map(v => v.workload), height: 240, axis: claim.unit, format: v => fmt.real(v, 3),
            series: [...(drawn.some(v => typeof v.paper === 'number') ? [{label: 'paper', colour: 'g3', values: drawn.map(v => v.paper)}] : []),
                     {label: 'ours', colour: 'c1', values: drawn.map(v => v.ours)}]}).node : null;
        return [note(`${claim.how}, on ${claim.config}`), chart,
                table({columns: [{key: 'workload', label: 'workload'}, {key: 'paper', label: 'paper', kind: 'real', cell: v => v.paper_text}, {key: 'ours', label: 'ours', kind: 'real', cell: v => v.ours_text},
                                 {key: 'verdict', label: '', value: v => order[markOf(v.verdict)], cell: v => (v.verdict ? mark(v.verdict, v.verdict) : v.error || '')}], rows}).node];
    }
    function opened(claim) {
        const inner = el('div');
        const node = details('by workload', inner);
        node.addEventListener('toggle', () => {
            if (!node.open) return;
            if (!inner.firstChild) inner.append(...byWorkload(claim).filter(Boolean));
            address.write({claim: claim.claim});
        });
        return node;
    }
    const describe = claim => [el('div', {}, claim.what), el('div', {class: 'note'}, el('code', {}, claim.claim), ' ', claim.source),
                               [claim.note, claim.remark].filter(Boolean).map(text => note(text)), claim.workloads.length ? opened(claim) : null];
    const verdictCell = claim => [claim.workloads.some(v => v.verdict) ? el('div', {class: 'signs'}, claim.workloads.map(v => mark(v.verdict))) : null,
        claim.verdict ? mark(claim.verdict, claim.verdict_text) : el('span', {class: 'soft'}, claim.verdict_text)];
    // Of a table of values: the share that is right; of one number: how good it is.
    function goodness(claim) {
        const judged = claim.workloads.filter(v => v.verdict);
        if (claim.verdict) return order[markOf(claim.verdict)];
        return judged.length ? judged.reduce((sum, v) => sum + order[markOf(v.verdict)], 0) / judged.length : null;
    }
    const claims = table({
        columns: [{key: 'claim', label: 'claim', cell: describe},
                  {key: 'paper', label: 'paper', kind: 'real', cell: c => c.paper_text}, {key: 'ours', label: 'ours', kind: 'real', cell: c => c.ours_text},
                  {key: 'pair', label: 'paper, ours', fixed: true, cell: pair},
                  {key: 'ratio', label: 'ours / paper', kind: 'fixed', title: 'our number over the paper\'s', value: c => (c.paper && typeof c.ours === 'number' ? c.ours / c.paper : null)},
                  {key: 'verdict', label: 'verdict', value: goodness, cell: verdictCell}, {key: 'basis', label: 'basis'}],
        rows: data.claims, class: 'claims'});
    const count = el('p', {class: 'note', role: 'status'});

    // ---- the picture ----
    const picture = el('div');
    function draw(rows) {
        const some = rows.filter(c => c.unit === '%' && typeof c.paper === 'number' && typeof c.ours === 'number');
        picture.replaceChildren(some.length ? bars({title: 'Numbers in per cent: the paper\'s beside ours', labels: some.map(c => c.claim), horizontal: true, axis: '%',
            height: 60 + 30 * some.length, format: v => fmt.real(v, 3), series: [{label: 'paper', colour: 'g3', values: some.map(c => c.paper)}, {label: 'ours', colour: 'c1', values: some.map(c => c.ours)}]}).node
            : note('None of these claims has a number in per cent on both sides.'));
    }

    // ---- filters ----
    const wanted = {paper: '', verdict: '', basis: '', text: ''};
    const fits = claim => (!wanted.paper || paperOf(claim) === wanted.paper) && (!wanted.basis || claim.basis === wanted.basis) &&
        (!wanted.verdict || markOf(claim.verdict) === wanted.verdict || claim.workloads.some(v => v.verdict && markOf(v.verdict) === wanted.verdict)) &&
        `${claim.claim} ${claim.what} ${claim.source}`.toLowerCase().includes(wanted.text.toLowerCase());
    function filter() {
        const rows = data.claims.filter(fits);
        claims.setRows(rows);
        draw(rows);
        count.textContent = `${rows.length} of ${data.claims.length} claims`;
    }
    const set = key => value => { wanted[key] = value; address.write({[key]: value || null}); filter(); };
    const there = data.papers.filter(p => data.claims.some(c => paperOf(c) === p.prefix));
    const controls = {
        paper: select({label: 'paper', options: [['', 'all'], ...there.map(p => [p.prefix, p.name])], value: '', onChange: set('paper')}),
        verdict: select({label: 'verdict', options: [['', 'all'], ['good', '✓ right'], ['fair', '~ off'], ['bad', '✗ wrong'], ['none', '– nothing to compare']], value: '', onChange: set('verdict')}),
        basis: select({label: 'basis', options: [['', 'all'], ...[...new Set(data.claims.map(c => c.basis))].map(b => [b, b])], value: '', onChange: set('basis')}),
        text: search({label: 'find', onChange: set('text')}),
    };
    page.section('claims', 'Claims', el('div', {class: 'controls'}, Object.values(controls).map(c => c.node)), count, claims.node);
    page.section('numbers', 'Paper beside ours', picture);

    function open(from) {
        for (const key of Object.keys(wanted)) {
            wanted[key] = from[key] || '';
            controls[key].set(wanted[key]);
        }
        filter();
        const claim = data.claims.find(c => c.claim === from.claim), row = claim && claims.rowOf(claim);
        if (!row) return;
        const part = row.querySelector('details');
        if (part) part.open = true;
        row.scrollIntoView();
    }
    address.listen(open);
    open(address.read());
};
