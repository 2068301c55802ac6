"""heddle report: the page that says what control flow costs, and where."""
import os

SELECTED = 'return [...document.querySelectorAll(".code-source tr.mark .code-number")].map(n => n.textContent)'
PTX = 'return [...document.querySelectorAll(".code-panes > .code-pane tr.mark .code-number")].map(n => n.textContent)'
CANVAS = '#time .lanes-box canvas'


def branches(b):
    """Of the first run, as the page's data have them: what causes most first."""
    return b.js('return JSON.parse(document.getElementById("data").textContent).runs[0].branches')


def span(b):
    b.settle()
    return b.js(f'const c = document.querySelector("{CANVAS}"); return Number(c.dataset.to) - Number(c.dataset.from)')


def visible(b, css):
    """Whether an element lies inside its scrolling pane."""
    return b.js('''const e = document.querySelector(arguments[0]), r = e.getBoundingClientRect(), p = e.closest('.code-pane').getBoundingClientRect();
        return r.top >= p.top && r.bottom <= p.bottom''', css)


def test_source_branches_and_graph(b):
    page = b.path('photons.html')
    b.heddle('report', 'examples/photons.ptx', '--mech', 'pdom,dwf', '--html', page)
    b.opens('a report', page)
    b.check('under two megabytes', os.path.getsize(page) < 2000000, os.path.getsize(page))
    b.check('the source is shown', 'd > 0.7f' in b.text('.code-source'))
    first, second = branches(b)[:2]
    b.equal('branches by what they cause', b.column('#branches', 3)[:2], [str(first['line']), str(second['line'])])
    b.click('#branches tbody tr:nth-child(2)')
    b.equal('a branch shows its line of the PTX', b.js(PTX), [str(second['line'])])
    b.equal('and of the source', b.js(SELECTED), [str(second['source'])])
    b.check('which is the one that costs most of those with a line', 'd > 0.7f' in b.text('.code-source tr.mark'))
    b.check('both in view', visible(b, '.code-source tr.mark') and visible(b, '.code-panes > .code-pane tr.mark'))
    b.check('says what it costs', 'Threads that part here cost ' in b.text('.chosen'), b.text('.chosen'))
    b.equal('marks its block in the graph', len(b.all('.graph .node.mark')), 1)
    b.js('document.querySelectorAll(".code-source tr.pick")[5].click()')
    b.equal('a source line has all its lines of the PTX', len(b.js(PTX)) > 1, True)
    b.js('document.querySelector(".graph .node").dispatchEvent(new MouseEvent("click", {bubbles: true}))')
    b.check('a block shows its lines', len(b.js(PTX)) > 5)
    b.press('.code-source tr[tabindex="0"]', b.keys.ARROW_DOWN, b.keys.ENTER)
    b.equal('lines can be chosen by keyboard', len(b.js(SELECTED)), 1)
    b.click('#branches th:nth-child(5) button')
    counts = [int(t.replace(',', '')) for t in b.column('#branches', 4)]
    b.equal('the table sorts', counts, sorted(counts, reverse=True))
    heat = 'return getComputedStyle(document.querySelector(".code-source tr.pick")).getPropertyValue("--heat-share")'
    lost = b.js(heat)
    b.click('#source fieldset:last-of-type label:nth-of-type(2)')
    b.check('heat can be by what a line causes', b.js(heat) != lost)


def test_mechanisms_side_by_side(b):
    page = b.path('photons.html')
    b.heddle('report', 'examples/photons.ptx', '--mech', 'pdom,dwf,mimd', '--html', page)
    b.open(page)
    before = b.text('.tile-value')
    b.press('nav input[value="pdom"]', b.keys.ARROW_RIGHT)
    b.check('another mechanism by the keyboard', b.text('.tile-value') != before, before)
    b.check('which the address keeps', 'mech=dwf' in b.js('return location.hash'))
    b.equal('a column for each mechanism', [e.text for e in b.all('#mechanisms .heatmap thead th')][1:], ['pdom', 'dwf', 'mimd'])
    speedups = [t.rstrip('×') for t in b.column('#mechanisms > .scroll', 2)]
    b.equal('the first is the measure', speedups[0], '1.000')
    b.press('#statistics input[type="search"]', 'lane.active')
    b.equal('statistics can be filtered', b.column('#statistics', 0), ['lane.active'])
    b.check('charts are drawn', len(b.all('canvas')) >= 8 and b.js('return Object.values(Chart.instances).every(c => c.width > 100)'))
    b.looks('report')
    branch = branches(b)[1]
    b.open(page, f'mech=mimd&line={branch["line"]}')
    b.equal('an address leads to a mechanism', b.js('return document.querySelector("nav input:checked").value'), 'mimd')
    b.equal('and a line', b.js(SELECTED), [str(branch['source'])])


def test_a_program_without_line_information(b):
    page = b.path('plain.html')
    b.heddle('report', 'tests/cli/timed.ptx', '--kernel', 'diverge', '--config', 'tiny', '--html', page)
    b.open(page)
    b.check('has its PTX alone', len(b.all('.code-pane')) == 1 and 'no line information' in b.text('#source'))
    b.check('and a graph', len(b.all('.graph .node')) > 2)


def test_lanes_over_time_of_ten_million_issues(b):
    page = b.path('big.html')
    n = 512 * 256
    b.heddle('report', 'examples/collatz.ptx', '--grid', '512', '--arg', f'buf:u32[{n}]=iota', '--arg', f'buf:u32[{n}]', '--arg', f'u32:{n}',
             '--quiet', '--html', page)
    b.opens('a report of a large run', page)
    issues = b.js('return JSON.parse(document.getElementById("data").textContent).runs[0].density.issues')
    b.check('of ten million issues', issues >= 10 ** 7, issues)
    b.check('under two megabytes', os.path.getsize(page) < 2000000, os.path.getsize(page))
    b.settle()
    whole = span(b)
    b.press(CANVAS, '+', '+')
    b.check('+ zooms in', abs(span(b) - whole / 4) <= 2, span(b))
    b.press(CANVAS, '-')
    b.check('- zooms out', abs(span(b) - whole / 2) <= 2, span(b))
    b.press(CANVAS, 'n', 'n', 'n', 'n')
    b.settle()
    b.equal('n shows single issues', b.js(f'return document.querySelector("{CANVAS}").dataset.issues'), 'true')
    b.click('#time .lanes-view fieldset label:nth-of-type(2)')
    b.press(CANVAS, b.keys.ARROW_RIGHT, b.keys.ARROW_DOWN)
    b.check('the cursor says cycle, warp, lanes', all(w in b.text('#time .lanes-read') for w in ('cycle', 'warp 1')), b.text('#time .lanes-read'))
    b.shot('report-closeup')
    b.press(CANVAS, b.keys.HOME)
    b.equal('Home shows all', span(b), whole)
    b.js(f'''const c = document.querySelector("{CANVAS}"), r = c.getBoundingClientRect();
        c.dispatchEvent(new PointerEvent("pointermove", {{bubbles: true, clientX: r.left + 400, clientY: r.top + 40}}))''')
    tip = b.text('#time .lanes-tip')
    b.check('the pointer says PC and source line', 'lanes on average' in tip and 'PC' in tip and 'collatz.cu:' in tip, tip)
    b.js(f'''const c = document.querySelector("{CANVAS}"), r = c.getBoundingClientRect(); c.focus();
        c.dispatchEvent(new WheelEvent("wheel", {{bubbles: true, cancelable: true, deltaY: -100, clientX: r.left + 400, clientY: r.top + 40}}))''')
    b.check('the wheel zooms', span(b) < whole, span(b))
    b.shot('report-large')
