# SPDX-License-Identifier: BSD-3-Clause
"""A real browser for tests: Chromium without a window, driven by selenium."""

import contextlib
import shutil
import tempfile
import time

import pytest

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars"),
)


CONTRAST = """
const light = (c) => {
  const [r, g, b] = c.match(/[0-9.]+/g).slice(0, 3).map((x) => {
    const v = x / 255;
    return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (e) => {
  for (let at = e; at; at = at.parentElement) {
    const c = getComputedStyle(at).backgroundColor;
    if (!/, 0\\)$/.test(c)) return c;
  }
  return "rgb(255, 255, 255)";
};
const found = [];
for (const e of document.querySelectorAll("body *")) {
  const isText = (n) => n.nodeType === 3 && n.data.trim();
  const own = [...e.childNodes].some(isText);
  if (!own || !e.getClientRects().length) continue;
  const style = getComputedStyle(e);
  const ink = e instanceof SVGElement ? style.fill : style.color;
  const [a, b] = [light(ink), light(ground(e))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) found.push(e.outerHTML.slice(0, 120));
}
return found"""


@contextlib.contextmanager
def browser():
    """Start Chromium with a fresh profile; skip the test where there is none."""
    selenium = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    helper = shutil.which("chromedriver")
    if program is None or helper is None:
        pytest.skip(
            "chromium is not installed (Debian: apt-get install chromium "
            "chromium-driver)"
        )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = selenium.ChromeOptions()
        options.binary_location = program
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = selenium.Chrome(options=options, service=Service(helper))
        try:
            yield driver
        finally:
            driver.quit()


def resize(driver, width, height):
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {
            "width": width,
            "height": height,
            "deviceScaleFactor": 1,
            "mobile": width < 600,
        },
    )


def prefer(driver, scheme):
    """Say what the reader prefers: "light" or "dark"."""
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )


def complaints(driver):
    """Return what the console says; it should be nothing."""
    return [entry["message"] for entry in driver.get_log("browser")]


class Shown:
    """A page that is open, and what one does with it."""

    def __init__(self, driver, page, folder, size=(1280, 860), scheme="light", at=""):
        self.driver = driver
        resize(driver, *size)
        prefer(driver, scheme)
        complaints(driver)  # forget older ones
        path = page.save(folder / "page.html")
        driver.get("about:blank")
        driver.get(path.as_uri() + at)
        ready = "return document.documentElement.dataset.ready"
        deadline = time.monotonic() + 120  # or it hangs
        while self.run(ready) != "yes":
            assert time.monotonic() < deadline, complaints(driver)
            time.sleep(0.02)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, css):
        return self.driver.find_element("css selector", css)

    def all(self, css):
        return self.driver.find_elements("css selector", css)

    def click(self, css):
        self.find(css).click()

    def press(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def click_node(self, g):
        """Press a node where it is on the screen, as a finger does."""
        from selenium.webdriver.common.action_chains import ActionChains

        x, y = self.run(
            "const s = app.stage, p = s.place(arguments[0]),"
            " box = s.svg.getBoundingClientRect();"
            "return [box.left + p.x + s.pan.x,"
            " box.top + p.y + s.pan.y + Math.min(12, s.height[arguments[0]] / 2)]",
            g,
        )
        action = ActionChains(self.driver)
        action.w3c_actions.pointer_action.move_to_location(round(x), round(y))
        action.w3c_actions.pointer_action.click()
        action.perform()

    def click_at(self, css, x, y):
        """Press a place of an element, counted from its corner."""
        from selenium.webdriver.common.action_chains import ActionChains

        one = self.find(css)
        dx, dy = x - one.rect["width"] / 2, y - one.rect["height"] / 2
        ActionChains(self.driver).move_to_element_with_offset(
            one, dx, dy
        ).click().perform()

    @property
    def panel(self):
        return self.find("#panel").text

    @property
    def nodes(self):
        return [one.get_attribute("aria-label") for one in self.all(".node")]

    def weak_text(self):
        """List what is written in too little contrast for WCAG's level AA."""
        return self.run(CONTRAST)
