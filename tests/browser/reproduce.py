"""heddle reproduce --html."""


def rows(b):
    return b.js('return [...document.querySelectorAll("#claims > .scroll > table > tbody > tr")].map(r => r.querySelector("code").textContent)')


def test_reproduce(b):
    page = b.path('reproduce.html')
    b.heddle('reproduce', 'harp.barrier-2', 'dwf.oracle-contrived', 'dwf.area', 'harp.area', '--size', 'tiny', '--quiet', '--html', page)
    b.open(page)
    b.equal('the score is on top', b.js('return document.querySelector("main section").id'), 'score')
    b.equal('claims in the order of the table', rows(b), ['harp.barrier-2', 'dwf.oracle-contrived', 'dwf.area', 'harp.area'])
    b.click('#claims th:nth-child(2) button')
    b.equal('sorted by what the paper says', rows(b)[0], 'dwf.oracle-contrived')
    b.equal('a bar for the paper and one for ours', len(b.all('#claims .pair:first-of-type .pair-bar')), 8)
    b.press('#claims select', 'H')
    b.equal('filtered by paper, from the keyboard', sorted(rows(b)), ['harp.area', 'harp.barrier-2'])
    b.check('and the chart with them', b.js('return Object.values(Chart.instances).some(c => c.data.labels.length === 2)'))
    b.equal('how many are left is said', b.text('#claims [role="status"]'), '2 of 4 claims')
    b.equal('the address keeps it', b.js('return location.hash'), '#paper=harp')
    b.open(page, 'claim=dwf.oracle-contrived')
    b.check('an address leads to a claim and opens it', b.one('#claims details[open]').is_displayed())
    b.equal('with its values by workload', b.column('#claims details[open]', 0), ['odd-even'])
    b.open(page, 'verdict=bad&text=area')
    b.equal('an address filters', rows(b), [])
    b.open(page)
    b.looks('reproduce')
