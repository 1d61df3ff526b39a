"""A headless Chromium, driven through its chromedriver by the WebDriver protocol (https://www.w3.org/TR/webdriver2/)."""

import functools
import json
import re
import shutil
import subprocess
import time
import urllib.request

import pytest

OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync --disable-dev-shm-usage"
).split()
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowUp": "\ue013", "ArrowDown": "\ue015", "Tab": "\ue004"}


@functools.cache
def programs():
    """The paths of a browser and of its driver; tests are skipped where there are none."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("there is no Chromium with its chromedriver")
    return browser, driver


class Browser:
    """One window; what a page said to its console is in ``console()``."""

    def __init__(self, folder, width, height):
        browser, driver = programs()
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        started = next(found for line in self.driver.stdout if (found := re.search(r"started successfully on port (\d+)", line)))
        self.address = f"http://127.0.0.1:{started[1]}/session"
        arguments = [*OPTIONS, f"--user-data-dir={folder}", f"--window-size={width},{height}"]
        wanted = {"goog:chromeOptions": {"args": arguments, "binary": browser}, "goog:loggingPrefs": {"browser": "ALL"}}
        self.address += "/" + self._call("POST", "", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        self._call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setFocusEmulationEnabled", "params": {"enabled": True}})

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, path):
        """Go to a page, and wait until it is the one that is shown: a busy driver answers early, while the last one stands."""
        self._call("POST", "/url", {"url": path.as_uri()})
        end = time.monotonic() + 60
        while self.run("return [location.href, document.readyState]") != [path.as_uri(), "complete"]:
            assert time.monotonic() < end, "the page does not load"
            time.sleep(0.05)

    def run(self, script, *arguments):
        """What a function with this body returns in the page."""
        return self._call("POST", "/execute/sync", {"script": script, "args": arguments})

    def press(self, *keys):
        actions = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def click(self, x, y):
        moves = [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}]
        moves += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})

    def console(self):
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"})]

    def close(self):
        try:
            self._call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.communicate()
