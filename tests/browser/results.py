"""heddle results --html."""


def labels(b):
    return b.js('return Object.values(Chart.instances).filter(c => c.canvas.isConnected)[0].data.labels')


def heads(b):
    return [e.text for e in b.all('#table thead th')]


def sweep(b):
    """A database; what is there does not run again."""
    db = b.path('r.sqlite')
    b.heddle('sweep', '--workloads', 'matrix,mu', '--size', 'tiny', '--config', 'tiny', '--mech', 'pdom,dwf,mimd', '--set', 'sm.warp_size=8,16,32', '--db', db, '--quiet')
    return db


def test_results(b):
    db, page = sweep(b), b.path('results.html')
    b.heddle('results', '--db', db, '--rows', 'workload,sm.warp_size', '--cols', 'mech', '--value', 'ipc', '--relative-to', 'pdom', '--mean', 'geometric', '--html', page)
    b.open(page)
    b.equal('rows of two axes, and their mean', labels(b), [f'{w} {s}' for w in ('matrix', 'mu') for s in (8, 16, 32)] + ['geometric mean'])
    shown = b.heddle('results', '--db', db, '--rows', 'workload,sm.warp_size', '--cols', 'mech', '--value', 'ipc', '--relative-to', 'pdom').split('\n')[2:8]
    want = [row.split()[2:] for row in shown]
    have = b.js('return [...document.querySelectorAll("#table tbody tr")].map(r => [...r.children].slice(2).map(c => c.textContent))')
    b.equal('the numbers are those of the command line', have, want)
    b.looks('results')
    b.click('#plot input[value="heat"] + span')
    b.equal('as a heat map', len(b.all('#plot .heatmap tbody tr')), 7)
    b.shot('results-heat')


def test_axes_can_be_changed(b):
    db, page = sweep(b), b.path('list.html')
    b.heddle('results', '--db', db, '--html', page)
    b.open(page)
    b.equal('workloads by mechanisms at first', (labels(b), heads(b)[1:]), (['matrix', 'mu'], ['pdom', 'mimd', 'dwf']))
    b.equal('of the first machine, which a list says', b.js('return [...document.querySelectorAll("#plot select")].pop().selectedOptions[0].text'), '8')
    b.press('#plot .controls select', 'sm')
    b.equal('other rows, from the keyboard', labels(b), ['8', '16', '32'])
    b.equal('the list keeps the focus', b.js('return document.activeElement.value'), 'sm.warp_size')
    b.click('#plot input[value="lines"] + span')
    b.equal('numbers can be lines', b.js('return Object.values(Chart.instances).filter(c => c.canvas.isConnected)[0].config.type'), 'line')
    b.shot('results-lines')
    here = b.js('return location.hash.slice(1)')
    b.open(page, here)
    b.equal('the address leads there again', b.js('return document.querySelector("#plot input:checked").value'), 'lines')
    b.equal('with the same rows', b.column('#table', 0), ['8', '16', '32'])


def chart(b, script):
    return b.js('const chart = Object.values(Chart.instances).filter(c => c.canvas.isConnected)[0]; ' + script)


def seeds(b):
    db = b.path('seeds.sqlite')
    b.heddle('sweep', '--workloads', 'mu,ray', '--size', 'tiny', '--mech', 'pdom,dwf', '--set', 'memory.seed=1,2,3', '--db', db, '--quiet')
    return db


def test_means_and_their_spread(b):
    db, page = seeds(b), b.path('seeds.html')
    asked = ('results', '--db', db, '--rows', 'workload', '--cols', 'mech', '--over', 'memory.seed', '--value', 'ipc')
    b.heddle(*asked, '--html', page)
    b.open(page)
    want = [row.split(None, 1)[1].split('  ') for row in b.heddle(*asked).split('\n')[2:4]]
    have = b.js('return [...document.querySelectorAll("#table tbody tr")].map(r => [...r.children].slice(1).map(c => c.textContent))')
    b.equal('means and their spread are those of the command line', have, [[c.strip() for c in row if c.strip()] for row in want])
    spread = chart(b, 'return chart.data.datasets.map(s => s.spread.map(p => p.y))')
    b.check('every bar has a whisker', all(low < high for row in spread for low, high in row), spread)
    b.check('which is said', 'arithmetic mean over memory.seed; whiskers: smallest to largest' in b.text('#plot figcaption'), b.text('#plot figcaption'))
    b.shot('results-spread')
    by_seed = [float(v) for v in b.column('#table', 1)[0].split()[:1]]
    b.js("""const list = [...document.querySelectorAll('#plot label')].find(l => l.textContent.startsWith('spread')).querySelector('select');
            list.value = 'deviation'; list.dispatchEvent(new Event('change'))""")
    b.equal('the standard deviation instead', b.column('#table', 1), [row.split(None, 1)[1].split('  ')[0].strip() for row in b.heddle(*asked, '--spread', 'deviation', '--only', 'mech=pdom').split('\n')[2:4]])
    b.equal('leaves the mean as it is', [float(b.column('#table', 1)[0].split()[0])], by_seed)


def test_scatter(b):
    db, page = seeds(b), b.path('scatter.html')
    b.heddle('results', '--db', db, '--x', 'sm.lane_activity', '--y', 'ipc', '--html', page)
    b.open(page)
    b.equal('a scatter plot, a colour for each mechanism', chart(b, 'return [chart.config.type, chart.data.datasets.map(s => s.label)]'), ['scatter', ['pdom', 'dwf']])
    want = [[float(v) for v in b.heddle('results', '--db', db, '--rows', 'mech', '--cols', 'workload', '--over', 'memory.seed', '--value', name, '--csv', '-').split('\n')[1].split(',')[1::5]]
            for name in ('sm.lane_activity', 'ipc')]
    have = chart(b, 'return chart.data.datasets[0].data.map(p => [p.name, p.x, p.y])')
    close = [name for name, _, _ in have] == ['mu', 'ray'] and all(abs(a - b) < 1e-9 for i, (_, x, y) in enumerate(have) for a, b in ((x, want[0][i]), (y, want[1][i])))
    b.check('dots are where the numbers put them', close, (have, want))
    b.check('with whiskers both ways', chart(b, 'return chart.data.datasets[1].spread.every(s => s.x[0] < s.x[1] && s.y[0] < s.y[1])'))
    b.shot('results-scatter')
    b.click('#plot input[value="bars"] + span')
    b.equal('bars of the same', labels(b), ['mu', 'ray'])


def test_bands(b):
    db, page = sweep(b), b.path('bands.html')
    b.heddle('results', '--db', db, '--rows', 'sm.warp_size', '--cols', 'mech', '--over', 'workload:geometric', '--value', 'ipc', '--relative-to', 'pdom', '--html', page)
    b.open(page)
    band = chart(b, 'return [chart.config.type, chart.data.datasets[1].label, chart.data.datasets[1].band]')
    row = b.heddle('results', '--db', db, '--rows', 'sm.warp_size', '--cols', 'mech', '--over', 'workload:geometric', '--value', 'ipc', '--relative-to', 'pdom', '--csv', '-').split('\n')[1].split(',')
    b.check('lines over numbers, with a band', band[0] == 'line' and band[1] == 'mimd' and band[2][0][0] == 8 and
            abs(band[2][0][1] - float(row[7])) < 1e-9 and abs(band[2][0][2] - float(row[8])) < 1e-9, (band, row))
    b.check('of the mean that was asked for', 'geometric mean over workload; band' in b.text('#plot figcaption'), b.text('#plot figcaption'))
    b.shot('results-band')
