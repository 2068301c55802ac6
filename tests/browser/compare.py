"""heddle compare --html."""


def test_compare(b):
    page = b.path('compare.html')
    b.heddle('compare', '@mu', '@bfs', 'examples/photons.ptx', '--grid', '4', '--mech', 'pdom,dwf,harp,mimd', '--size', 'tiny', '--quiet', '--html', page)
    b.opens('a comparison', page)
    b.equal('a row for each mechanism', [e.text for e in b.all('.heatmap tbody th')], ['pdom', 'dwf', 'harp', 'mimd'])
    b.equal('a column for each program, and their mean', [e.text for e in b.all('.heatmap thead th')][1:], ['@mu', '@bfs', 'photons', 'mean'])
    b.equal('the first mechanism has a speed-up of 1', b.js('return document.querySelector(".heatmap tbody td").textContent'), '1.00')
    b.click('#mechanisms th:nth-child(2) button')
    cycles = [int(t.replace(',', '')) for t in b.column('#mechanisms', 1)]
    b.equal('the table sorts by cycles', cycles, sorted(cycles, reverse=True))
    b.check('charts are drawn', len(b.all('canvas')) >= 4 and b.js('return Object.values(Chart.instances).every(c => c.width > 100)'))
    b.click('#slots .legend button')
    b.equal('a series can be hidden', b.one('#slots .legend button').get_attribute('aria-pressed'), 'false')
    b.equal('and is, in the chart', b.js('return Chart.getChart(document.querySelector("#slots canvas")).isDatasetVisible(0)'), False)
    b.press('#statistics input[type="search"]', 'lane.active')
    b.equal('statistics can be filtered', b.column('#statistics', 0), ['lane.active'])
    bar = 'return Chart.getChart(document.querySelector("#slots canvas")).getDatasetMeta(0).data[0].options.backgroundColor'
    light = b.js(bar)
    b.media('dark')
    b.check('colours of charts follow the theme', b.js(bar) != light, light)
    b.looks('compare')
    b.open(page, 'program=@bfs')
    b.equal('an address leads to a program', b.text('#mechanisms caption'), 'tiny, 14 launches')
