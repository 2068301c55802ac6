"""One headless Chromium for all tests of pages, and what the tests ask of it.

A test file beside this one defines functions test_*(b), b being a Browser. Each runs heddle to write a page, opens it, and says
what must hold: b.check(name, holds). After each function the harness checks by itself that nothing was said on the console and
that no request left the page. Pictures go to build/tests/screenshots; they are for people, no test compares them."""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

LOCAL = ('file:', 'data:', 'blob:', 'about:', 'chrome:', 'devtools:')


def start_chromium():
    options = Options()
    options.binary_location = shutil.which('chromium')
    # The sandbox needs rights that containers do not give; what is opened here is our own.
    for flag in ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars',
                 '--force-color-profile=srgb', '--disable-background-networking', '--disable-component-update',
                 '--host-resolver-rules=MAP * ~NOTFOUND', '--window-size=1280,900'):
        options.add_argument(flag)
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL', 'performance': 'ALL'})
    service = Service(shutil.which('chromedriver'), log_path=os.devnull)
    return webdriver.Chrome(service=service, options=options)


class Browser:
    keys = Keys

    def __init__(self, heddle, shots):
        self.heddle_path, self.shots = heddle, shots
        self.work = tempfile.mkdtemp(prefix='heddle-browser-')
        self.driver = start_chromium()
        self.passed = self.failed = 0
        os.makedirs(shots, exist_ok=True)

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.work, ignore_errors=True)

    # ---- results ----
    def check(self, name, holds, detail=''):
        number = self.passed + self.failed + 1
        print(f"{'ok' if holds else 'not ok'} {number} - {name}", flush=True)
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f'--- {name}: {detail}', file=sys.stderr, flush=True)

    def equal(self, name, have, want):
        self.check(name, have == want, f'{have!r} where {want!r} is expected')

    # ---- pages ----
    def path(self, name):
        return os.path.join(self.work, name)

    def heddle(self, *words):
        """Runs heddle; its exit status must be 0. Returns what it printed."""
        done = subprocess.run([self.heddle_path, *words], capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise RuntimeError(f"heddle {' '.join(words)}: exit status {done.returncode}: {done.stderr}")
        return done.stdout

    def open(self, file, address=''):
        """Opens a page and waits until its script has drawn it. Returns the seconds that took."""
        begin = time.monotonic()
        self.driver.get('about:blank')
        self.driver.get('file://' + os.path.realpath(file) + (f'#{address}' if address else ''))
        while not self.js('return document.documentElement.dataset.ready === "true"'):
            if time.monotonic() - begin > 60:
                raise RuntimeError(f'{file} is not ready after a minute: {self.console()}')
            time.sleep(0.02)
        return time.monotonic() - begin

    def tasks(self):
        """Seconds of the processor that pages took so far; a new process begins at 0."""
        metrics = self.driver.execute_cdp_cmd('Performance.getMetrics', {})['metrics']
        return next(m['value'] for m in metrics if m['name'] == 'TaskDuration')

    def opens(self, name, file):
        """A page is there within two seconds: by the clock, or, where others keep the machine busy, by the time it had of it."""
        self.driver.execute_cdp_cmd('Performance.enable', {'timeDomain': 'threadTicks'})
        best = 60
        for _ in range(3):
            before = self.tasks()
            best = min(best, self.open(file))
            after = self.tasks()
            best = min(best, after - before if after >= before else after)
            if best < 2:
                break
        self.check(f'{name} opens within two seconds', best < 2, best)

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css):
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def text(self, css):
        return self.one(css).text

    def click(self, css):
        self.js('arguments[0].scrollIntoView({block: "center"})', self.one(css))
        self.one(css).click()

    def press(self, css, *keys):
        """Keys to an element that has the focus first."""
        element = self.one(css)
        self.js('arguments[0].focus()', element)
        self.driver.switch_to.active_element.send_keys(*keys)

    def column(self, css, index):
        """The texts of a table's column."""
        return self.js('return [...document.querySelectorAll(arguments[0] + " tbody tr")].map(r => r.children[arguments[1]].textContent)',
                       css, index)

    # ---- how it looks ----
    def media(self, scheme='light', kind=''):
        self.driver.execute_cdp_cmd('Emulation.setEmulatedMedia',
                                    {'media': kind, 'features': [{'name': 'prefers-color-scheme', 'value': scheme}]})
        self.settle()

    def settle(self):
        """Until what changed is on the screen: listeners run before a frame is drawn, the second frame comes after them."""
        self.driver.execute_async_script('requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[0], 20)))')

    def size(self, width, height=900):
        self.driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride',
                                    {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': False})
        self.settle()

    def shot(self, name):
        """A picture of the whole page."""
        self.js('scrollTo(0, 0)')
        self.settle()
        made = self.driver.execute_cdp_cmd('Page.captureScreenshot', {'captureBeyondViewport': True, 'format': 'png'})
        with open(os.path.join(self.shots, name + '.png'), 'wb') as out:
            out.write(base64.b64decode(made['data']))

    def looks(self, name):
        """The four pictures that every page gets, and what must hold of them: light, dark, narrow, on paper."""
        grounds = {}
        for scheme in ('light', 'dark'):
            self.media(scheme)
            self.shot(f'{name}-{scheme}')
            grounds[scheme] = self.js('return getComputedStyle(document.body).backgroundColor')
        self.check(f'{name}: dark where the system is', grounds['light'] == 'rgb(255, 255, 255)' and grounds['dark'] != grounds['light'], grounds)
        self.media('dark', 'print')
        self.equal(f'{name}: on white paper', self.js('return getComputedStyle(document.documentElement).colorScheme'), 'light')
        self.media('light')
        self.size(420)
        self.shot(f'{name}-narrow')
        wide = self.js('return document.documentElement.scrollWidth')
        self.check(f'{name}: nothing is wider than a narrow window', wide <= 420, wide)
        self.size(1280)
        pdf = self.driver.execute_cdp_cmd('Page.printToPDF', {'printBackground': True})
        with open(os.path.join(self.shots, name + '.pdf'), 'wb') as out:
            out.write(base64.b64decode(pdf['data']))

    # ---- what must not happen ----
    def console(self):
        return [entry['message'] for entry in self.driver.get_log('browser')]

    def requests(self):
        """Addresses asked for that are not part of the page."""
        events = [json.loads(entry['message'])['message'] for entry in self.driver.get_log('performance')]
        urls = [e['params']['request']['url'] for e in events if e['method'] == 'Network.requestWillBeSent']
        return [u for u in urls if not u.startswith(LOCAL)]

    def undisturbed(self, name):
        said, asked = self.console(), self.requests()
        self.check(f'{name}: nothing on the console', not said, said)
        self.check(f'{name}: no request to any network', not asked, asked)


def run(modules, heddle, shots):
    b = Browser(heddle, shots)
    try:
        for module in modules:
            for name in [n for n in dir(module) if n.startswith('test_')]:
                title = f"{module.__name__}: {name[5:].replace('_', ' ')}"
                try:
                    b.media('light')
                    b.size(1280)
                    getattr(module, name)(b)
                except Exception:  # pylint: disable=broad-except
                    b.check(title, False, traceback.format_exc())
                b.undisturbed(title)
    finally:
        b.close()
    print(f'1..{b.passed + b.failed}')
    return b.failed == 0
