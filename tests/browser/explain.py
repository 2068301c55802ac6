"""heddle explain --html."""
import os
import re
import time

FOUR = ('--set', 'sm.warp_size=4', '--set', 'sm.simd_width=4')


def page(b, name, *words):
    file = b.path(name)
    b.heddle('explain', *words, '--html', file)
    return file


def keys(b, *pressed):
    b.js('document.activeElement.blur()')
    b.driver.switch_to.active_element.send_keys(*pressed)


def step(b):
    return int(b.js('return document.querySelector(".stepper output").textContent').split()[1])


def tables(b, panel):
    """The lanes of each line of the tables that has some, drawn as the text form does."""
    return b.js('''return [...document.querySelectorAll(arguments[0] + " .tables tr")].map(row =>
        [...row.querySelectorAll(".mask i")].map(i => i.classList.contains("on") ? "#" : ".").join(""))''', panel)


def standing(b, panel):
    """{block: lanes on it}, as they are drawn in the graph."""
    return b.js('''return Object.fromEntries([...document.querySelectorAll(arguments[0] + " .graph .node")].map(n =>
        [n.querySelector(".name").textContent.split(" ")[0], [...n.querySelectorAll(".thread text")].map(t => t.textContent).join(" ")])
        .filter(([, lanes]) => lanes))''', panel)


def test_stepping(b):
    file = page(b, 'diamond.html', 'pdom,nrec', 'examples/diamond.ptx', *FOUR)
    b.opens('a small program', file)
    b.equal('a panel for each mechanism', [e.text.split()[0] for e in b.all('.panel h2')], ['pdom', 'nrec'])
    b.equal('begins before the first step', (step(b), standing(b, '#mech-0')), (0, {'B0': '0 1 2 3'}))
    keys(b, b.keys.ARROW_RIGHT * 3)
    b.equal('the arrow steps', step(b), 3)
    b.equal('the first branch: three go to B3, one to B1', standing(b, '#mech-0'), {'B3': '0 1 2', 'B1': '3'})
    b.equal('the stack of Figure 3.1 (c)', tables(b, '#mech-0'), ['####', '...#', '###.'])
    b.check('what changed is marked', b.all('#mech-0 .tables .changed'))
    b.check('the sentence says it', 'Lanes 0–2 go to B3.' in b.text('#mech-0 .words') and 'pdom: diverge 2 ways' in b.text('#mech-0 .words'), b.text('#mech-0 .words'))
    b.check('with instruction, PTX and source line', 'bra B3' in b.text('#mech-0 .words') and
            re.fullmatch(r'PC 5 · PTX line \d+ · diamond.cu:\d+ if .*', b.text('#mech-0 .place')), b.text('#mech-0 .place'))
    b.equal('the edges taken are drawn so', len(b.all('#mech-0 .edge.taken')), 2)
    b.equal('and the block that ran', b.text('#mech-0 .graph .node.mark .name'), 'B0 diamond')
    b.check('the line of the source', 'i % 4 == 3' in b.text('.listing .row.current'))
    keys(b, b.keys.ARROW_RIGHT * 2)
    b.equal('the stack of Figure 3.1 (d)', tables(b, '#mech-0'), ['####', '...#', '###.', '.##.', '#...'])
    keys(b, b.keys.ARROW_LEFT * 2)
    b.equal('back to where it was', (step(b), tables(b, '#mech-0')), (3, ['####', '...#', '###.']))
    b.check('the address keeps the step', b.js('return location.hash') == '#step=3')
    keys(b, b.keys.END)
    b.check('the end: all have exited', standing(b, '#mech-0') == {} and standing(b, '#mech-1') == {} and 'exit' in b.text('#mech-0 .words'))
    keys(b, b.keys.HOME)
    b.equal('and home again', step(b), 0)
    b.click('.stepper button[title^="step forward"]')
    b.equal('buttons do the same', step(b), 1)
    keys(b, ' ')
    b.equal('space plays', b.one('.play').get_attribute('aria-pressed'), 'true')
    begin = time.monotonic()
    while step(b) < 3 and time.monotonic() - begin < 10:
        time.sleep(0.05)
    keys(b, ' ')
    at = step(b)
    time.sleep(0.7)
    b.check('and stops', at >= 3 and step(b) == at and b.one('.play').get_attribute('aria-pressed') == 'false', at)
    b.press('.stepper input[type="range"]', b.keys.END)
    b.equal('the slider goes to the end', b.js('return arguments[0].value === arguments[0].max', b.one('.stepper input')), True)
    b.open(file, 'step=5')
    b.looks('explain-diamond')


def test_links(b):
    file = page(b, 'collatz.html', 'pdom,dwf,mp,volta', 'examples/collatz.ptx')
    b.check('is small', os.path.getsize(file) < 400000, os.path.getsize(file))
    b.open(file, 'step=14&mech=dwf&by=cycle')
    b.check('a link leads to a step of a mechanism', b.text('#mech-1 .n').startswith('step 14 of '), b.text('#mech-1 .n'))
    ends = [int(e.text.split('–')[1].split()[0]) for e in b.all('.panel > .n')]
    b.check('the others are at that cycle', max(ends) == ends[1], ends)
    b.js('location.hash = "#step=20"')
    b.settle()
    b.equal('another link leads elsewhere', (step(b), b.text('#mech-3 .n').split(' · ')[0][:7]), (20, 'step 20'))
    b.js('document.querySelector("fieldset.choice input[value=cycle]").click()')
    b.check('steps are aligned by cycle', 'by=cycle' in b.js('return location.hash'))
    b.js('document.querySelectorAll(".stepper fieldset")[1].querySelectorAll("input")[2].click()')
    b.check('another mechanism leads', 'mech=mp' in b.js('return location.hash') and 'leads' in b.one('#mech-2').get_attribute('class'))
    b.js('''const c = document.querySelector("#mech-0 .strip"), r = c.getBoundingClientRect();
        c.dispatchEvent(new MouseEvent("click", {bubbles: true, clientX: r.left + r.width / 2, clientY: r.top + 5}));''')
    b.check('the strip leads to its cycle', 'mech=pdom' in b.js('return location.hash') and step(b) > 20, step(b))
    b.click('.program fieldset label:last-of-type')
    b.check('instructions instead of the source', len(b.all('.listing .row')) == 36 and len(b.all('.listing .row.current')) >= 1)
    b.open(file, 'step=30')
    b.looks('explain-collatz')


def test_failures(b):
    file = b.path('lock.html')
    try:
        b.heddle('explain', 'pdom,volta', 'tests/cli/timed.ptx:lock', '--grid', '1', '--block', '8', '--arg', 'buf:u32[2]', '--set', 'gpu.watchdog=5000',
                 '--steps', '300000', '--html', file)
        b.check('a deadlock is exit status 1', False)
    except RuntimeError as e:
        b.check('a deadlock is exit status 1', 'exit status 1' in str(e) and 'under pdom' in str(e), e)
    b.open(file)
    keys(b, b.keys.END)
    b.check('and the page is there and says it', 'deadlock' in b.text('#mech-0 .words'), b.text('#mech-0 .words'))
    b.check('beside a mechanism that runs on', 'deadlock' not in b.text('#mech-1 .words'))
    file = page(b, 'cut.html', 'pdom', 'examples/photons.ptx', '--steps', '50')
    b.open(file, 'step=9999')
    b.check('a page says where it was cut', 'after 50 instructions: --steps shows more' in b.text('.words'), b.text('.words'))
    b.check('of one mechanism nothing is aligned', not b.all('.stepper fieldset'))


def test_large(b):
    file = page(b, 'large.html', 'pdom,harp', '@hmmer', '--steps', '600')
    b.opens('a program of many blocks', file)
    keys(b, b.keys.PAGE_DOWN * 5)
    b.equal('Page Down goes by ten', step(b), 50)
    inside = b.js('''const view = document.querySelector("#mech-0 .graph-box .scroll").getBoundingClientRect();
        const ran = document.querySelector("#mech-0 .graph .node.mark").getBoundingClientRect();
        return ran.top >= view.top && ran.bottom <= view.bottom && view.height < 700''')
    b.check('the graph has a window that follows the threads', inside)
    file = page(b, 'later.html', 'pdom,mp', '@nw', '--kernel', 'nw_lower_right', '--launch', '1', '--steps', '200')
    b.open(file, 'step=20&mech=mp&by=cycle')
    b.check('cycles of a later launch are counted from its own first', b.text('#mech-0 .n').startswith(('step 2', 'step 1')), b.text('#mech-0 .n'))
    b.shot('explain-launch')
