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
