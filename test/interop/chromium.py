"""A headless Chromium with one page, over its debugging pipe."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from zinc_programs import PATIENCE

# A browser starts slowly on a busy machine.
START = 4 * PATIENCE


def chromium_path():
    """None without Debian's package chromium."""
    return shutil.which("chromium")


class Page:
    """Ends with the test: `test` is whatever has an addCleanup."""

    def __init__(self, test, url, width=1280, height=900, dark=False, switches=()):
        # Helpers of a killed browser may still write for a moment.
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        test.addCleanup(folder.cleanup)
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()
        # The browser reads from descriptor 3 and writes to descriptor 4.
        command = (f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}')
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", command, chromium_path(), "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-background-networking", "--disable-component-update", "--no-first-run",
             "--disable-dev-shm-usage", f"--user-data-dir={folder.name}", "--remote-debugging-pipe", *switches,
             "about:blank"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        test.addCleanup(self._kill)
        os.close(to_browser)
        os.close(from_browser)
        self._bytes = b""
        self._last_id = 0
        self._session = None
        self.faults = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Runtime.enable")
        self.call("Log.enable")
        self.show_as(width, height, dark)
        self.open(url)

    def show_as(self, width=1280, height=900, dark=False):
        """On a screen of this size, which is a phone's if it is narrow."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, url):
        self.call("Page.navigate", url=url)

    def call(self, method, **parameters):
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while (found := self._read()).get("id") != self._last_id:
            if found.get("method") == "Runtime.exceptionThrown":
                self.faults.append(found["params"]["exceptionDetails"])
            elif found.get("method") == "Log.entryAdded" and found["params"]["entry"]["level"] == "error":
                self.faults.append(found["params"]["entry"])
        if "error" in found:
            raise AssertionError(f"{method}: {found['error']}")
        return found["result"]

    def _read(self):
        end = time.monotonic() + 2 * START  # wait() takes START at most
        while b"\0" not in self._bytes:
            if not select.select([self._from], [], [], end - time.monotonic())[0]:
                raise AssertionError("Chromium does not answer")
            data = os.read(self._from, 65536)
            if not data:
                raise AssertionError("Chromium has ended")
            self._bytes += data
        line, self._bytes = self._bytes.split(b"\0", 1)
        return json.loads(line)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(result["exceptionDetails"])
        return result["result"].get("value")

    def wait(self, expression, expected):
        """Waits until the expression has the value. The page looks after each change of its document."""
        found = self.evaluate(f"""new Promise((done) => {{
            const value = () => ({expression});
            const expected = {json.dumps(json.dumps(expected, separators=(",", ":")))};
            const look = () => {{
                if (JSON.stringify(value()) === expected) {{
                    changes.disconnect();
                    done(value());
                }}
            }};
            const changes = new MutationObserver(look);
            changes.observe(document, {{subtree: true, childList: true, characterData: true, attributes: true}});
            setTimeout(() => done(value()), {START * 1000});
            look();
        }})""")
        if found != expected:
            raise AssertionError(f"{expression} is {found!r}, not {expected!r}")

    def fill(self, selector, text):
        """Replaces the text of a field, as typing does."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
        self.evaluate("document.activeElement.select()")
        self.call("Input.insertText", text=text)

    def save_screenshot(self, name):
        """Saves it where Bazel keeps the outputs of a test."""
        folder = os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR")
        if folder:
            data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
            with open(os.path.join(folder, name + ".png"), "wb") as file:
                file.write(base64.b64decode(data))

    def _kill(self):
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
