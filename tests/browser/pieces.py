"""The pieces of src/page/js, by themselves: built in a page by script, then used as a reader would."""
TABLE = '''
const made = pieces.table({columns: [{key: 'name', label: 'name'}, {key: 'n', label: 'count', kind: 'int', heat: true}],
    rows: [{name: 'b10', n: 7}, {name: 'a', n: null}, {name: 'b9', n: 1200}], onRow: row => { window.picked = row.name; }});
made.node.id = 'made';
document.querySelector('main').replaceChildren(made.node);
'''
GRAPH = '''
const made = pieces.graph({label: 'test', onSelect: id => { window.picked = id; },
    nodes: [{id: 0, label: 'B0', lines: ['entry'], heat: 0.1}, {id: 1, label: 'B1', heat: 1, extra: {width: 90, height: 20}}, {id: 2, label: 'B2'}, {id: 3, label: 'B3'}],
    edges: [{from: 0, to: 1, weight: 1, label: 'taken'}, {from: 0, to: 2}, {from: 1, to: 3}, {from: 2, to: 3}, {from: 3, to: 0, class: 'back'}, {from: 3, to: 3}]});
made.slot(1).append(pieces.svg('circle', {cx: 8, cy: 8, r: 5}));
window.made = made;
document.querySelector('main').replaceChildren(made.node);
'''


def blank(b):
    page = b.path('pieces.html')
    b.heddle('compare', 'tests/cli/timed.ptx:diverge', '--config', 'tiny', '--mech', 'pdom,mimd', '--quiet', '--html', page)
    with open(page, encoding='utf-8') as f:
        text = f.read()
    dagre = open('src/page/vendor/dagre.min.js', encoding='utf-8').read()
    graph = open('src/page/js/graph.js', encoding='utf-8').read()
    with open(page, 'w', encoding='utf-8') as f: # a comparison has no graph: give it what a page with one has
        f.write(text.replace('</body>', f'<script>{dagre}</script><script>{graph}</script></body>'))
    b.open(page)


def test_tables_sort_by_mouse_and_keyboard(b):
    blank(b)
    b.js(TABLE)
    b.equal('rows come as given', b.column('#made', 0), ['b10', 'a', 'b9'])
    b.click('#made th:nth-child(2) button')
    b.equal('numbers sort from the largest, what is missing last', b.column('#made', 0), ['b9', 'b10', 'a'])
    b.equal('which assistive technology is told', b.one('#made th:nth-child(2)').get_attribute('aria-sort'), 'descending')
    b.press('#made th:nth-child(2) button', b.keys.ENTER)
    b.equal('Enter turns the order, what is missing still last', b.column('#made', 0), ['b10', 'b9', 'a'])
    b.press('#made th:nth-child(1) button', b.keys.SPACE)
    b.equal('texts sort from A, numbers in them by value', b.column('#made', 0), ['a', 'b9', 'b10'])
    b.equal('one column is sorted', len(b.all('#made th[aria-sort="ascending"], #made th[aria-sort="descending"]')), 1)
    b.press('#made tbody tr', b.keys.ARROW_DOWN, b.keys.ENTER)
    b.equal('rows are chosen by keyboard', b.js('return window.picked'), 'b9')
    b.equal('and marked', b.text('#made tr[aria-current="true"] td'), 'b9')
    b.equal('numbers are grouped, missing ones a dash', b.column('#made', 1), ['–', '1,200', '7'])


def test_numbers(b):
    blank(b)
    shown = b.js('''const f = pieces.fmt; return [f.int(1234567), f.real(0.0123456), f.percent(0.1234), f.signed(0.05), f.signed(-0.05), f.times(1.5),
        f.short(12345678), f.bytes(2048), f.auto(3), f.auto(3.14159), f.int(null), f.real(-1234.5), f.real(0)]''')
    b.equal('numbers as people read them', shown, ['1,234,567', '0.01235', '12.3 %', '+5.0 %', '−5.0 %', '1.50×', '12.3M', '2 KiB', '3', '3.142',
                                                  '–', '−1,235', '0'])


def test_graphs_by_mouse_and_keyboard(b):
    blank(b)
    b.js(GRAPH)
    b.equal('a node for each block', len(b.all('.graph .node')), 4)
    b.equal('an edge for each branch, loops too', len(b.all('.graph .edge path')), 6)
    b.js('document.querySelectorAll(".graph .node")[2].dispatchEvent(new MouseEvent("click", {bubbles: true}))')
    b.equal('a click chooses', b.js('return window.picked'), 2)
    b.js('made.select(0); document.querySelector(".graph .node[tabindex=\'0\']").focus()')
    b.driver.switch_to.active_element.send_keys(b.keys.ARROW_DOWN)
    b.equal('an arrow goes along an edge', b.js('return document.activeElement.querySelector(".name").textContent'), 'B1')
    b.driver.switch_to.active_element.send_keys(b.keys.ENTER)
    b.equal('Enter chooses', b.js('return window.picked'), 1)
    inside = b.js('''const rect = document.querySelectorAll('.graph .node')[1].getBoundingClientRect(), c = document.querySelector('.slot circle').getBoundingClientRect();
        return c.left >= rect.left && c.right <= rect.right && c.top >= rect.top && c.bottom <= rect.bottom''')
    b.check('what is drawn into a node is inside it', inside)
    b.js('made.paint(0, {heat: 0.8, lines: ["12 lanes"]}); made.mark([3])')
    b.equal('nodes can be painted', b.js('return [...document.querySelectorAll(".graph .node")].map(n => n.textContent)')[0], 'B012 lanes')
    b.equal('and marked', b.text('.graph .node.mark'), 'B3')
    b.shot('graph')


def test_the_theme_is_kept(b):
    blank(b)
    ground = 'return getComputedStyle(document.body).backgroundColor'
    b.equal('light by default here', b.js(ground), 'rgb(255, 255, 255)')
    b.press('.head input[value="auto"]', b.keys.ARROW_RIGHT, b.keys.ARROW_RIGHT)
    dark = b.js(ground)
    b.check('dark by the switch, from the keyboard', dark != 'rgb(255, 255, 255)', dark)
    b.driver.refresh()
    b.equal('dark again after loading', b.js(ground), dark)
    b.js('localStorage.clear()')


def test_a_disturbance_would_be_found(b):
    page = b.path('disturbed.html')
    with open(page, 'w', encoding='utf-8') as f:
        f.write('<!DOCTYPE html><html data-ready="true"><img src="http://heddle.invalid/x.png"><script>console.error("planted")</script>')
    b.open(page)
    b.js('return new Promise(done => setTimeout(done, 100))')
    b.check('an error on the console', any('planted' in m for m in b.console()))
    b.equal('a request to a network', b.requests(), ['http://heddle.invalid/x.png'])
