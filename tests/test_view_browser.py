# SPDX-License-Identifier: BSD-3-Clause
"""The page of a tree in a real browser: what one clicks, and what one then sees."""

import base64
import time
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from browsing import Shown, browser, complaints
from sklearn.datasets import load_digits, load_iris

import ramify

EVIL = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


@pytest.fixture(scope="module")
def chromium():
    with browser() as driver:
        yield driver


@pytest.fixture(scope="module")
def iris():
    bunch = load_iris(as_frame=True)
    X, y = bunch.data, bunch.target_names[bunch.target]
    tree = ramify.DecisionTreeClassifier(
        record_candidates=5, candidate_criteria=["entropy"]
    )
    return tree.fit(X, y), X, y


@pytest.fixture(scope="module")
def mixed():
    """A tree over numbers, categories and gaps."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, 400).astype(float),
            "town": np.array(["Oslo", "Bergen", "Rome", "Paris"], dtype=object)[
                rng.integers(0, 4, 400)
            ],
        }
    )
    y = np.where((X["age"] > 40) ^ X["town"].isin(["Oslo", "Rome"]), "yes", "no")
    X.loc[::9, "town"] = None
    X.loc[4::11, "age"] = np.nan
    return ramify.DecisionTreeClassifier(max_depth=4).fit(X, y), X, y


@pytest.fixture
def show(chromium, tmp_path):
    def open_page(page, **options):
        return Shown(chromium, page, tmp_path, **options)

    yield open_page
    assert complaints(chromium) == []
    assert chromium.execute_script("return window.hacked") is None


# --- looking around ------------------------------------------------------------


def test_a_node_is_pressed_and_tells_its_numbers_its_split_and_its_ledger(show, iris):
    shown = show(ramify.view(*iris, title="Iris"))
    assert shown.find("h1").text == "Iris"
    assert len(shown.nodes) == 17
    shown.click_node(0)
    assert "Root 0" in shown.panel
    assert "petal length (cm) ≤ 2.45 → 50 rows" in shown.panel
    assert "What else it could have chosen" in shown.panel
    assert "entropy" in shown.panel
    assert len(shown.all("#panel tr.chosen")) == 1
    shown.click_node(1)
    assert "predicts setosa" in shown.panel
    assert "The rule of this leaf" in shown.panel


def test_the_rule_of_a_leaf_is_copied_as_text_and_as_sql(show, iris):
    shown = show(ramify.view(*iris))
    shown.click_node(1)
    copied = {}
    for one in shown.all("#panel .buttons button"):
        if one.text.startswith("Copy"):
            name = one.text
            one.click()
            time.sleep(0.05)
            copied[name] = one.get_attribute("data-copied")
    assert copied["Copy as text"] == (
        "IF (petal length (cm) ≤ 2.45 or missing) THEN setosa"
        if iris[0].tree_.missing_branch[0] == 0
        else "IF petal length (cm) ≤ 2.45 THEN setosa"
    )
    assert '"petal length (cm)" <= 2.45' in copied["Copy as SQL"]


def test_branches_fold_and_unfold(show, iris):
    shown = show(ramify.view(*iris))
    shown.click_node(2)
    shown.click("#panel [data-action=fold]")
    assert len(shown.nodes) == 3
    assert any("folded, 8 leaves below" in label for label in shown.nodes)
    assert shown.find("#node-2").get_attribute("aria-expanded") == "false"
    assert "+8 leaves" in shown.find("#node-2").text
    shown.click_node(2)  # a press on what is folded opens it
    assert len(shown.nodes) == 17
    shown.click("[data-tool=shallower]")
    shown.click("[data-tool=shallower]")
    assert shown.find(".depth").text == "3/5"
    assert len(shown.nodes) == (iris[0].tree_.depths() <= 3).sum()
    shown.click("[data-tool=all]")
    assert len(shown.nodes) == 17


def test_zooming_shows_more_of_each_node(show):
    X, y = load_digits(return_X_y=True, as_frame=True)
    tree = ramify.DecisionTreeClassifier().fit(X, y)
    shown = show(ramify.view(tree, X, y))
    details = "return [...app.stage.detail].filter((d) => d === arguments[0]).length"
    dots = shown.run(details, 1)
    assert dots > 100
    assert shown.find(".minimap").is_displayed() is False  # all of it is in view
    for _ in range(9):
        shown.click("[data-tool=in]")
    assert shown.run(details, 1) < dots / 2
    assert shown.find(".minimap").is_displayed()
    before = shown.run("return app.stage.pan.x")
    shown.click_at(".minimap", 30, 50)
    assert shown.run("return app.stage.pan.x") != before
    overlap = """
      const boxes = [...document.querySelectorAll(".node")].map(
        (one) => one.getBoundingClientRect());
      let n = 0;
      boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 3 && high > 3) n += 1;
      }));
      return [n, boxes.length]"""
    n_overlaps, n_boxes = shown.run(overlap)
    assert n_boxes > 20
    assert n_overlaps == 0
    shown.click("[data-tool=fit]")
    assert shown.run(details, 1) == dots
    assert shown.run(overlap)[0] == 0


def test_the_search_finds_columns_classes_and_categories(show, mixed, iris):
    shown = show(ramify.view(*iris))
    shown.find("input[type=search]").send_keys("petal width")
    tests = iris[0].tree_.feature == 3
    assert shown.find(".found").text == f"{tests.sum()} nodes"
    assert len(shown.all(".ring.found")) == tests.sum()
    assert len(shown.all(".node.dim")) == 17 - tests.sum()
    shown.press("\ue007")  # Enter goes to the first
    assert "splits by petal width (cm)" in shown.panel
    shown.find("input[type=search]").clear()
    shown.find("input[type=search]").send_keys("setosa")
    assert shown.find(".found").text == "1 node"
    shown = show(ramify.view(*mixed))
    shown.find("input[type=search]").send_keys("bergen")
    assert shown.find(".found").text != "0 nodes"
    assert "town" in shown.run(
        "return [...app.stage.matches].map((g) => app.stage.describe(g)).join()"
    )


def test_gaps_flow_along_dotted_lines(show, mixed):
    shown = show(ramify.view(*mixed))
    assert len(shown.all(".aside.missing")) >= 1
    assert "∅" in shown.find(".stage").text
    before = len(shown.all(".aside"))
    shown.click("[data-tool=missing]")
    assert len(shown.all(".aside")) > before
    assert len(shown.all(".aside.unseen")) >= 1
    shown.click_node(0)
    assert "Missing values go where" in shown.panel


# --- rows ------------------------------------------------------------------------


def test_a_row_is_traced_and_changed(show, iris):
    tree, X, y = iris
    shown = show(ramify.view(tree, X, y))
    shown.click("[data-tab=row]")
    place = "return app.data.rows.index[app.tracer.chosen]"
    shown.run("document.querySelector('#row-choice').selectedIndex = 101")
    shown.run(
        "document.querySelector('#row-choice').dispatchEvent(new Event('change'))"
    )
    row = shown.run(place)
    predicted = tree.predict(X.iloc[[row]])[0]
    assert f"predicted {predicted}" in shown.panel
    assert len(shown.all(".lit.traced")) == shown.run(
        "return app.stage.traced[0].passed.size - 1"
    )
    assert shown.all(".wedge.row")
    # What would change it: make the change, and it is changed.
    assert shown.all("[data-change=found] li")
    shown.click("[data-action=apply]")
    changed = shown.find("#panel .says strong").text
    assert changed != predicted
    values = shown.run("return app.tracer.row")
    assert tree.predict(pd.DataFrame([values], columns=X.columns))[0] == changed
    # Type a value, and the row goes elsewhere.
    field = shown.find("#field-2")
    field.clear()
    field.send_keys("1.0")
    assert shown.find("#panel .says strong").text == "setosa"
    for lock in shown.all(".lock"):
        lock.click()
    assert shown.find("[data-change=none]").text.startswith("No change")
    field = shown.find("#field-2")
    field.clear()
    field.send_keys("much")
    assert field.get_attribute("aria-invalid") == "true"


def test_dates_are_traced_and_changed_as_dates(show):
    days = pd.date_range("2015-01-01", periods=400, freq="D")
    X = pd.DataFrame({"since": days, "x": np.arange(400) % 7.0})
    y = np.where(days < "2015-09-09", "old", "new")
    table = ramify.Table(X, dates="numeric")
    tree = ramify.DecisionTreeClassifier(record_candidates=3).fit(table, y)
    shown = show(ramify.view(tree, table, y))
    shown.click_node(0)
    assert "since < 2015-09-09" in shown.panel
    assert "16687" not in shown.panel
    shown.click("[data-tab=row]")
    field = shown.find("#field-0")
    assert field.get_attribute("value").startswith("2015-")
    field.clear()
    field.send_keys("2015-12-24")
    assert "(is 2015-12-24)" in shown.panel
    assert "before 2015-09-09" in shown.panel  # what would change it
    field.send_keys("x")
    assert field.get_attribute("aria-invalid") == "true"


def test_missing_values_and_new_categories_are_traced(show, mixed):
    tree, X, y = mixed
    shown = show(ramify.view(tree, X, y))
    shown.click("[data-tab=row]")
    for age, town in ((30.0, None), (60.0, "Oslo"), (None, "Timbuktu")):
        code = {None: "nan", "Timbuktu": "-1"}.get(town)
        if code is None:
            code = str(list(tree.schema_.columns[1].categories).index(town))
        shown.run(
            "const set = (id, v, e) => { const f = document.getElementById(id);"
            " f.value = v; f.dispatchEvent(new Event(e)); };"
            "set('field-0', arguments[0], 'input'); set('field-1', arguments[1],"
            " 'change');",
            "" if age is None else str(age),
            code,
        )
        row = pd.DataFrame({"age": [age], "town": [town]}).astype({"age": float})
        assert shown.find("#panel .says strong").text == tree.predict(row)[0]


def test_an_oblique_tree_shows_its_weights_and_traces_rows(show, iris):
    _, X, y = iris
    tree = ramify.methods.make("wodt", random_state=0).fit(X, y)
    shown = show(ramify.view(tree, X, y))
    assert "petal" in shown.find("#node-0").text  # the condition is in the node
    shown.click_node(0)
    assert len(shown.all(".weights li")) == len(tree.tree_.terms(0))
    shown.press("r")
    shown.click("[data-action=apply]")
    values = shown.run("return app.tracer.row")
    told = shown.find("#panel .says strong").text
    assert tree.predict(pd.DataFrame([values], columns=X.columns))[0] == told


def test_a_tree_of_numbers_is_shown_and_traced(show):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] * 2 + np.sin(3 * X[:, 1])
    tree = ramify.DecisionTreeRegressor(max_depth=4).fit(X, y)
    shown = show(ramify.view(tree, X, y))
    assert shown.all(".points")
    assert "R²" in shown.find(".pruned").text
    shown.click("[data-tab=row]")
    values = shown.run("return app.tracer.row")
    told = float(shown.find("#panel .says strong").text.replace("\u2212", "-"))
    assert told == pytest.approx(tree.predict([values])[0], rel=1e-4)


def test_the_tree_is_pruned_as_the_library_prunes(show, iris):
    tree, X, y = iris
    shown = show(ramify.view(tree, X, y))
    alphas = sorted({x for x in shown.run("return app.steps(0)") if x >= 0})
    for alpha in alphas:
        shown.run("app.setPrices([arguments[0]])", alpha)
        smaller = tree.tree_.pruned(alpha * (1 + 1e-4))  # prices have six digits
        n_leaves = smaller.n_leaves
        assert shown.find(".pruned").text.startswith(f"{n_leaves} lea")
        assert len(shown.nodes) == smaller.node_count


# --- keyboard, phone, dark, paper, links ---------------------------------------------


def test_the_keyboard_alone_is_enough(show, iris):
    shown = show(ramify.view(*iris))
    tab, down, right, enter = "\ue004", "\ue015", "\ue014", "\ue007"
    for _ in range(40):
        shown.press(tab)
        if shown.run("return document.activeElement.classList.contains('stage')"):
            break
    assert shown.run("return app.stage.selected") == 0
    shown.press(down)
    assert shown.run("return app.stage.selected") == 1
    shown.press(right)
    assert shown.run("return app.stage.selected") == 2
    chosen = shown.find("svg[role=tree]").get_attribute("aria-activedescendant")
    assert shown.find(f"#{chosen}").get_attribute("aria-selected") == "true"
    shown.press(enter)
    assert len(shown.nodes) == 3
    shown.press(enter)
    assert len(shown.nodes) == 17
    zoom = shown.run("return app.stage.k")
    shown.press("+")
    assert shown.run("return app.stage.k") > zoom
    shown.press("0")
    assert shown.run("return app.stage.k") == pytest.approx(zoom)
    shown.press("/")
    assert shown.run("return document.activeElement.type") == "search"
    shown.press("\ue00c")  # Escape
    shown.press("r")
    assert "Trace a row" in shown.panel


def test_the_page_fits_a_phone(show, iris):
    shown = show(ramify.view(*iris), size=(390, 844))
    sideways = "return document.documentElement.scrollWidth - innerWidth"
    assert shown.run(sideways) <= 0
    stage, panel = shown.find(".stage-box").rect, shown.find(".panel").rect
    assert stage["width"] >= 380
    assert stage["height"] > 250
    assert panel["y"] >= stage["y"] + stage["height"] - 1
    shown.click_node(0)
    assert "Root 0" in shown.panel
    assert shown.run(sideways) <= 0


def test_the_page_is_dark_where_the_reader_prefers_it_or_asks_for_it(show, iris):
    ground = "return getComputedStyle(document.body).backgroundColor"
    page = ramify.view(*iris)
    shown = show(page, scheme="dark")
    assert shown.run(ground) == "rgb(20, 23, 27)"
    shown.click("[data-tool=theme]")
    assert shown.run(ground) == "rgb(255, 255, 255)"
    shown = show(page)
    assert shown.run(ground) == "rgb(255, 255, 255)"


def test_the_page_prints(show, iris):
    shown = show(ramify.view(*iris))
    shown.click_node(1)
    zoom = shown.run("return app.stage.k")
    made = shown.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    pdf = base64.b64decode(made["data"])
    assert pdf[:5] == b"%PDF-"
    assert len(pdf) > 10_000
    assert shown.run("return app.stage.k") == zoom


def test_paper_is_white_also_for_readers_of_the_dark(show, iris):
    shown = show(ramify.view(*iris), scheme="dark")
    shown.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {
            "media": "print",
            "features": [{"name": "prefers-color-scheme", "value": "dark"}],
        },
    )
    ground = "return getComputedStyle(document.body).backgroundColor"
    assert shown.run(ground) == "rgb(255, 255, 255)"
    assert not shown.find(".tools").is_displayed()
    shown.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_a_link_leads_back_to_the_same_view(show, iris):
    page = ramify.view(*iris)
    shown = show(page)
    shown.click_node(2)
    shown.click("[data-tool=in]")
    shown.click("#panel [data-action=fold]")
    shown.find("input[type=search]").send_keys("setosa")
    shown.run("app.tracer.choose(3)")
    time.sleep(0.25)
    state = (
        "const s = app.stage; return [s.selected, [...s.folded], s.k.toFixed(1),"
        " app.search.value, app.tracer.chosen]"
    )
    was = shown.run(state)
    link = shown.run("return location.hash")
    again = show(page, at=link)
    assert again.run(state) == was
    odd = "#node=9999&fold=x.-1&at=a,b,c,d&row=77777&prune=zz&tab=none&values=,,"
    assert "Choose a node" in show(page, at=odd).panel


def test_the_tree_is_saved_as_svg(show, mixed):
    shown = show(ramify.view(*mixed))
    shown.click("[data-tool=in]")
    picture = shown.run("return app.stage.toSVG('A <title> & more')")
    root = ElementTree.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(" not in picture
    assert picture.count("<text") > 5
    assert "Oslo" in picture


def test_everything_has_a_name_and_text_has_contrast(show, iris):
    for scheme in ("light", "dark"):
        shown = show(ramify.view(*iris), scheme=scheme)
        shown.click("[data-tab=row]")
        nameless = shown.run("""
          const named = (e) => (e.getAttribute("aria-label") || e.textContent.trim()
            || e.title || (e.labels && e.labels.length));
          return [...document.querySelectorAll("button, input, select, [tabindex]")]
            .filter((e) => e.id !== "panel" && !named(e)).map((e) => e.outerHTML)""")
        assert nameless == []
        ids = shown.run("return [...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(ids) == len(set(ids))
        assert shown.weak_text() == []
        # Focus goes from the head to the tree to the panel, as they stand.
        order = shown.run("""
          const all = document.querySelectorAll("button, input, select, [tabindex]");
          const list = [...all].filter(
            (e) => e.tabIndex >= 0 && e.getClientRects().length);
          const place = (css) => list.findIndex((e) => e.closest(css));
          return [".tools", ".legend", ".stage-box", ".tabs", "#panel"].map(place)""")
        assert order == sorted(order)
        assert min(order) >= 0


def test_a_tree_in_a_notebook_is_alive_in_its_sandbox(chromium, iris, tmp_path):
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><body>{iris[0]._repr_html_()}", encoding="utf-8")
    complaints(chromium)
    chromium.get(path.as_uri())
    chromium.switch_to.frame(chromium.find_element("tag name", "iframe"))
    deadline = time.monotonic() + 120  # or it hangs
    while not chromium.find_elements("css selector", "[data-ready] .node"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    before = len(chromium.find_elements("css selector", ".node"))
    chromium.find_element("css selector", "[data-tool=shallower]").click()
    chromium.find_element("css selector", "[data-tool=shallower]").click()
    assert len(chromium.find_elements("css selector", ".node")) < before
    assert chromium.execute_script("return window.origin") == "null"
    chromium.switch_to.default_content()
    assert complaints(chromium) == []


# --- hostile and huge ----------------------------------------------------------------


def test_markup_in_names_is_shown_as_text(show):
    rng = np.random.default_rng(0)
    kinds = np.array([EVIL, "</script><b>bold", "'); DROP TABLE x; --"], dtype=object)
    X = pd.DataFrame(
        {EVIL: rng.normal(size=200), "<b>set": kinds[rng.integers(0, 3, 200)]}
    )
    y = np.where((X[EVIL] > 0) ^ (X["<b>set"] == EVIL), EVIL, "<i>other</i>")
    tree = ramify.DecisionTreeClassifier(max_depth=4).fit(X, y)
    shown = show(ramify.view(tree, X, y, title=EVIL))
    assert shown.find("h1").text == EVIL
    for name in ("node", "row", "rules", "about"):
        shown.click_node(0)
        shown.click(f"[data-tab={name}]")
    for g in range(tree.tree_.node_count):
        shown.run("app.choose(arguments[0])", g)
        shown.run("app.stage.hover(...Object.values(app.stage.place(arguments[0])))", g)
        assert "<" in shown.panel
    made = (
        "return document.querySelectorAll('b, i:not([class]):not([style]), img').length"
    )
    assert shown.run(made) == 0
    assert shown.find("title").get_attribute("textContent") == EVIL


def test_odd_names_and_many_classes_do_not_break_the_page(show):
    rng = np.random.default_rng(0)
    names = ["n" * 500, "שלום עולם", "🌳🌲 emoji", "line\nbreak"]
    X = pd.DataFrame(rng.normal(size=(4000, 4)), columns=names)
    y = np.array([f"class {k}" for k in range(2000)])[np.arange(4000) % 2000]
    tree = ramify.DecisionTreeClassifier(max_depth=5).fit(X, y)
    page = ramify.view(tree, X, y)
    assert len(page.html) < 1_000_000
    shown = show(page)
    assert "1 989 more classes" in shown.find(".legend").text.replace("\u202f", " ")
    assert shown.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    shown.click_node(0)
    shown.click("[data-tab=row]")
    assert "No leaf predicts the other" in shown.panel
    assert "🌳" in shown.run("return document.body.textContent")


def test_a_tree_of_one_leaf_has_a_page(show):
    tree = ramify.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    shown = show(ramify.view(tree))
    assert shown.nodes == ["Leaf: a, 2 rows"]
    shown.click_node(0)
    assert "Every row." in shown.panel
    shown.click("[data-tab=row]")
    assert "every leaf predicts a" in shown.panel


@pytest.mark.parametrize("n_nodes", [1000, pytest.param(5000, marks=pytest.mark.slow)])
def test_large_trees_open_and_fold(show, n_nodes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3 * n_nodes, 10))
    y = rng.integers(0, 3, len(X))
    tree = ramify.DecisionTreeClassifier(max_leaf_nodes=n_nodes // 2).fit(X, y)
    page = ramify.view(tree, X, y)
    if n_nodes == 1000:
        assert len(page.html.encode()) < 1_000_000
    shown = show(page)
    shown.click("[data-tool=all]")
    # Where all nodes are too close for pictures, each is a dot: a move in a path.
    n_drawn = shown.run("""
      const count = () => {
        const dots = [...document.querySelectorAll("path.dot:not(.joint)")];
        return dots.reduce(
          (n, one) => n + one.getAttribute("d").split("M").length - 1,
          document.querySelectorAll(".node").length);
      };
      const counts = [count()];
      for (const g of [1, 1, 2, 2]) {
        app.stage.toggle(g);
        counts.push(count());
      }
      return counts""")
    assert n_drawn[0] == tree.tree_.node_count
    assert n_drawn[0] == n_drawn[2] == n_drawn[4]
    assert max(n_drawn[1], n_drawn[3]) < n_drawn[0]
