# SPDX-License-Identifier: BSD-3-Clause
"""The studio in a real browser: one story from rows to SQL, by pointer and by keys."""

import time

import numpy as np
import pandas as pd
import pytest
from browsing import CONTRAST, browser, complaints, prefer, resize

import ramify

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

NAMES = """
const all = "button, input, select, textarea, [role=button]";
return [...document.querySelectorAll(all)]
  .filter((e) => e.getClientRects().length && !e.closest("svg.stage"))
  .filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label")
    || e.placeholder || document.querySelector(`label[for="${e.id}"]`)))
  .map((e) => e.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def chromium():
    with browser() as driver:
        yield driver


def people(n=300):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "income": rng.normal(50, 20, n).round(1),
            "city <b>": rng.choice(["Bonn", "<img src=x onerror=hacked()>", "Rome"], n),
        }
    )
    X.loc[rng.random(n) < 0.1, "income"] = np.nan
    y = np.where((X["age"] > 40) ^ (X["city <b>"] == "Rome"), "good", "bad")
    y[rng.random(n) < 0.1] = "bad"
    return X, y


class Open:
    """A studio that is open in the browser, and what one does with it."""

    def __init__(self, driver, studio):
        self.driver, self.studio = driver, studio
        self.editor = studio.editor
        driver.get("about:blank")
        complaints(driver)
        driver.get(studio.url)
        ready = "return document.documentElement.dataset.ready"
        self.wait(lambda: self.run(ready) == "yes")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, holds):
        deadline = time.monotonic() + 60  # or it hangs
        while not holds():
            assert time.monotonic() < deadline, complaints(self.driver)
            time.sleep(0.02)

    def find(self, css):
        return self.driver.find_element("css selector", css)

    def press(self, css):
        """Press what is found, as soon as it is there."""
        self.wait(lambda: self.driver.find_elements("css selector", css))
        element = self.find(css)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def keys(self, text):
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(text).perform()

    def select(self, css, value):
        self.run(
            "arguments[0].value = arguments[1];"
            "arguments[0].dispatchEvent(new Event('change', {bubbles: true}))",
            self.find(css),
            value,
        )

    def edited(self, act):
        """Do something, and wait until the page shows what it made."""
        before = self.run("return app.version")
        act()
        self.wait(lambda: self.run("return app.version") > before)
        self.wait(lambda: self.run("return !app.isBusy"))
        assert self.find(".toast").is_displayed() is False, self.find(".toast").text
        shown = self.run("return app.order")
        assert shown == [node.number for node in self.editor.state.root.walk()]

    def choose(self, place):
        self.run("app.choose(arguments[0])", place)

    @property
    def panel(self):
        return self.find("#panel").text

    @property
    def bar(self):
        return self.find(".bench").text


@pytest.fixture
def page(chromium):
    resize(chromium, 1280, 860)
    prefer(chromium, "light")
    studio = ramify.studio(
        *people(), validation=0.2, test=0.2, open_browser=False, title="People <i>"
    )
    yield Open(chromium, studio)
    assert complaints(chromium) == []
    assert chromium.execute_script("return window.hacked") is None
    chromium.get("about:blank")
    studio.stop()


def test_a_story_from_rows_to_sql(page, chromium, tmp_path):
    editor = page.editor
    assert page.find("h1").text == "People <i>"
    assert "token" not in chromium.current_url
    assert "1 leaf" in page.bar
    # A split is chosen among the candidates of three criteria.
    page.choose(0)
    assert "Leaf 0" in page.panel
    page.press("[data-action=splits]")
    page.wait(lambda: page.driver.find_elements("css selector", "[data-split]"))
    heads = [e.text for e in chromium.find_elements("css selector", "#panel th button")]
    assert heads[:3] == ["gini", "hellinger", "ihdw"]
    best = editor.candidates(0, ["gini", "hellinger", "ihdw"]).iloc[0]
    page.run("document.querySelector('[data-split]').focus()")
    assert page.find(".preview svg").is_displayed()
    page.edited(lambda: page.press("[data-split]"))
    assert editor.state.root.test.feature == list(people()[0]).index(best["column"])
    assert "2 leaves" in page.bar
    # Its own split, of a child.
    page.choose(1)
    page.press("#panel details summary")
    page.select("[data-own=column]", "0")
    page.run("document.querySelector('[data-own=cut]').value = '28'")
    page.edited(lambda: page.press("[data-action=own-split]"))
    assert editor.nodes["split"][1] == "age <= 28.0"
    # The cut is dragged: counts follow, and the edit is made at the end.
    page.run(
        "const s = document.querySelector('[data-cut=slider]');"
        "s.value = 33; s.dispatchEvent(new Event('input'))"
    )
    page.wait(lambda: "left" in page.find(".live").text)
    assert "gini" in page.find(".live").text
    page.edited(
        lambda: page.run(
            "document.querySelector('[data-cut=slider]')"
            ".dispatchEvent(new Event('change'))"
        )
    )
    assert editor.state.find(1).test.threshold == pytest.approx(33, abs=0.5)
    page.edited(lambda: page.press("[data-action=round]"))
    # A part grows by a criterion; a leaf is set; a note is written.
    page.choose(page.run("return app.order.indexOf(2)"))
    page.select("[data-grow=by]", "criterion hellinger")
    page.edited(lambda: page.press("[data-action=grow]"))
    assert editor._versions.here.arguments["criterion"] == "hellinger"
    leaf = next(n.number for n in editor.state.root.leaves())
    page.choose(page.run("return app.order.indexOf(arguments[0])", leaf))
    page.find("[data-override=why]").send_keys("policy <12>")
    page.edited(lambda: page.press("[data-action=set]"))
    assert "Set by hand: policy <12>" in page.panel
    assert editor.overrides[leaf]["note"] == "policy <12>"
    page.find("#panel textarea").send_keys("young ones")
    page.edited(lambda: page.press("[data-action=note]"))
    assert editor.notes == {leaf: "young ones"}
    page.edited(lambda: page.press("[data-action=lock]"))
    assert "locked" in page.panel
    # Back, forth, and by name.
    page.edited(lambda: page.press("[data-tool=undo]"))
    assert editor.state.locked == frozenset()
    page.edited(lambda: page.press("[data-tool=redo]"))
    page.press("[data-tab=versions]")
    page.find("[aria-label='Name of this version']").send_keys("for the board")
    page.edited(lambda: page.press("[data-action=branch]"))
    assert "for the board" in page.panel
    page.edited(lambda: page.press("[data-version='1']"))
    assert "2 leaves" in page.bar
    page.edited(lambda: page.run("app.edit('switch', {name: 'for the board'})"))
    # Against the machines, face to face.
    page.press("[data-tab=machines]")
    page.press("[data-action=compare]")
    page.wait(lambda: page.driver.find_elements("css selector", ".spot.mine"))
    assert len(chromium.find_elements("css selector", ".spot.f0")) > 1
    page.run("document.querySelector('.spot.f0').dispatchEvent(new Event('click'))")
    page.wait(lambda: len(chromium.window_handles) == 2)
    chromium.switch_to.window(chromium.window_handles[1])
    page.wait(
        lambda: page.run("return document.documentElement.dataset.ready") == "yes"
    )
    assert "by hand" in page.find("body").text
    assert complaints(chromium) == []
    chromium.close()
    chromium.switch_to.window(chromium.window_handles[0])
    # The test is opened once.
    page.press("[data-tool=test]")
    page.edited(lambda: page.press("[data-action=reveal]"))
    assert f"after {editor.sealed['edits']} edits" in page.bar
    assert page.find("[data-tool=test]").is_enabled() is False
    # And the tree leaves as SQL, with its certificate.
    chromium.execute_cdp_cmd(
        "Browser.setDownloadBehavior",
        {"behavior": "allow", "downloadPath": str(tmp_path)},
    )
    page.press("[data-tool=export]")
    page.wait(lambda: "editor.split(0" in page.find(".script").text)
    page.press("[data-action=export]")
    page.wait(lambda: "0 differ" in page.panel)
    page.wait(lambda: list(tmp_path.glob("*.sql")))
    (made,) = tmp_path.glob("*.sql")
    page.wait(lambda: made.read_text())
    assert made.read_text() == ramify.export(editor.model, "sql").artefact
    names = {"X": people()[0], "y": people()[1]}
    exec(editor.script(), names)
    assert ramify.export_text(names["model"]) == ramify.export_text(editor.model)


def test_everything_is_there_by_keys_alone(page):
    from selenium.webdriver.common.keys import Keys

    page.run("document.querySelector('svg.stage').focus()")
    page.keys(Keys.HOME)
    page.keys("s")
    page.wait(lambda: page.run("return document.activeElement.dataset.split || ''"))
    page.edited(lambda: page.keys(Keys.ENTER))
    page.run("document.querySelector('svg.stage').focus()")
    page.keys(Keys.HOME)
    page.keys(Keys.ARROW_DOWN)
    page.keys("g")
    assert page.run("return document.activeElement.dataset.action") == "grow"
    page.edited(lambda: page.keys(Keys.ENTER))
    assert page.editor.n_edits == 2
    page.run("document.querySelector('svg.stage').focus()")
    page.edited(lambda: page.keys("x"))
    assert page.editor._versions.here.operation == "prune"
    page.edited(lambda: page.keys("u"))
    assert page.editor.version == 2
    page.edited(lambda: page.keys("U"))
    assert page.editor.version == 3


def test_what_the_server_refuses_is_said(page):
    page.run("app.edit('split', {node: 0, column: 'agee', threshold: 3})")
    page.wait(lambda: page.find(".toast").is_displayed())
    assert "did you mean 'age'" in page.find(".toast").text
    assert page.editor.n_edits == 0
    complaints(page.driver)  # a refused request is a line of the console


def test_two_pages_do_not_overwrite_each_other(page, chromium):
    first = chromium.current_window_handle
    chromium.switch_to.new_window("tab")
    page.driver.get(page.studio.url)
    ready = "return document.documentElement.dataset.ready"
    page.wait(lambda: page.run(ready) == "yes")
    page.edited(
        lambda: page.run("app.edit('split', {node: 0, column: 'age', threshold: 40})")
    )
    chromium.switch_to.window(first)
    page.wait(lambda: page.run("return app.order.length") == 3)  # it follows
    page.run("app.version = 1; app.edit('prune', {node: 0})")
    page.wait(lambda: "another page" in page.find(".toast").text)
    assert page.run("return app.version") == 2
    assert page.editor.n_edits == 1
    complaints(chromium)
    chromium.switch_to.window(chromium.window_handles[1])
    chromium.close()
    chromium.switch_to.window(first)


def test_a_notebook_s_edit_appears(page):
    page.editor.split(0, "age", threshold=40)
    page.wait(lambda: "2 leaves" in page.bar)
    page.editor.grow("R", max_depth=1)
    page.wait(lambda: "3 leaves" in page.bar)
    assert page.editor.version == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_and_everything_has_a_name(page, chromium, scheme):
    prefer(chromium, scheme)
    page.edited(lambda: page.run("app.edit('grow', {node: 0, max_depth: 2})"))
    page.choose(0)
    page.press("[data-action=splits]")
    page.wait(lambda: page.driver.find_elements("css selector", "[data-split]"))
    for tab in ("node", "versions", "out", "machines"):
        page.press(f"[data-tab={tab}]")
        assert page.run(CONTRAST) == [], tab
        assert page.run(NAMES) == [], tab


def test_on_a_phone_the_tree_stands_above_the_panel(page, chromium):
    page.edited(lambda: page.run("app.edit('grow', {node: 0, max_depth: 2})"))
    resize(chromium, 390, 844)
    page.choose(0)
    place = "return arguments[0].getBoundingClientRect().toJSON()"
    stage, panel = (
        page.run(place, page.find(css)) for css in (".stage-box", "aside.panel")
    )
    assert stage["bottom"] <= panel["top"] + 1
    assert stage["height"] > 150
    assert panel["height"] > 250
    assert panel["width"] <= 390
    assert page.run("return document.documentElement.scrollWidth") <= 390
    page.press("[data-action=splits]")
    page.wait(lambda: page.driver.find_elements("css selector", "[data-split]"))


def test_numbers_are_predicted_too(chromium):
    resize(chromium, 1280, 860)
    X, _ = people()
    studio = ramify.studio(X, X["age"] * 1.5 + 0.25, validation=0.2, open_browser=False)
    page = Open(chromium, studio)
    page.choose(0)
    page.press("[data-action=splits]")
    page.edited(lambda: page.press("[data-split]"))
    page.choose(0)
    page.run(
        "const s = document.querySelector('[data-cut=slider]');"
        "s.value = 33; s.dispatchEvent(new Event('input'))"
    )
    page.wait(lambda: "mean" in page.find(".live").text)
    page.edited(lambda: page.press("[data-action=grow]"))
    assert "training r2" in page.bar.lower()
    assert complaints(chromium) == []
    chromium.get("about:blank")
    studio.stop()
