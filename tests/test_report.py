# SPDX-License-Identifier: BSD-3-Clause
"""The report: complete, escaped, well formed, and alive in a browser."""

import csv
import json
import pickle
import re
import shutil
import subprocess
import time
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from browsing import browser, complaints
from made_up import comparison, random_comparison

import ramify
import ramify.report
from ramify.comparison.pictures import draw
from ramify.viewer.page import SCRIPTS, file_text

EVIL = "<script>alert('&\"')</script> $headline"
VOID = {"meta", "link", "br", "img", "input", "hr"}


@pytest.fixture(scope="module")
def made():
    return random_comparison(7, 6, baseline="cart", n_folds=3)


@pytest.fixture(scope="module")
def page(made):
    return ramify.report.build(made, "ramify compare --baseline cart")


class Reader(HTMLParser):
    """Read a page strictly: every tag is closed where it should be, ids are unique."""

    def __init__(self, page):
        super().__init__()
        self.open, self.ids, self.links, self.words = [], [], [], []
        self.tags = {}
        self.feed(page)
        self.close()
        assert self.open == [], f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        facts = dict(attrs)
        assert len(facts) == len(attrs), f"an attribute twice in {tag}: {attrs}"
        if "id" in facts:
            self.ids.append(facts["id"])
        if facts.get("href", "").startswith("#"):
            self.links.append(facts["href"][1:])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another tag"

    def handle_data(self, data):
        self.words.append(data)


# --- the page --------------------------------------------------------------------


def test_the_page_is_well_formed(page):
    reader = Reader(page)
    assert len(reader.ids) == len(set(reader.ids))
    assert set(reader.links) <= set(reader.ids)
    assert reader.tags["svg"] == 5
    assert reader.tags["script"] == 1


def test_the_page_needs_no_network(page):
    assert not re.search(r'(src|href)="(?!#|data:)|url\((?!#)|@import|fetch\(', page)
    assert not re.search(r"\$[a-z_]+", page.split("<script>")[0])
    outside = set(re.findall(r"https?://[^\"' <]+", page))
    assert outside == {  # names of XML, not addresses
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_the_page_tells_everything(made, page):
    for facts in made.methods:
        assert page.count(facts.name) > 3
    for words in (
        made.verdict.headline,
        "sum over k of p_k (1 - p_k)",  # formula
        "Nobody and Nowhere, 1999",  # reference
        "DecisionTreeClassifier(random_state=0)",  # settings
        "33.3%",  # smallest class
        "Made up.",  # source of the data
        "3 stratified folds, shuffled with seed 0",
        "numpy 2.0",
        "ramify compare --baseline cart",
        "result = ramify.compare(",
        "baseline=&#x27;cart&#x27;",
        "Against cart",
        "p, Wilcoxon-Holm",
    ):
        assert words in page, words


def test_the_baseline_section_shows_every_line(made, page):
    section = page[page.index('<section id="baseline"') :].split("</section>")[0]
    for line in made.verdict.lines:
        row = re.search(rf"<tr><th[^>]*><a[^>]*>{line.method}</a>.*?</tr>", section)
        assert " / ".join(map(str, line.counts)) in row[0]
        shares = " / ".join(f"{100 * p:.0f}" for p in line.posterior)
        assert shares in row[0]
    assert len(made.verdict.lines) == 6


def test_without_a_baseline_there_is_no_such_section():
    page = ramify.report.build(comparison(np.full((3, 2), 0.5)))
    assert 'id="baseline"' not in page
    assert "baseline=" not in page
    assert 'id="failures"' not in page


def test_names_are_escaped_everywhere():
    made = comparison(
        np.random.default_rng(0).uniform(0.6, 0.9, size=(7, 3)),
        [EVIL, "cart", "<b>bold"],
        [f"{EVIL} {i}" for i in range(7)],
        baseline=EVIL,
        failed={(f"{EVIL} 0", "cart")},
    )
    page = ramify.report.build(made, f"ramify compare --methods '{EVIL}'")
    reader = Reader(page)
    assert reader.tags["script"] == 1
    assert "b" not in reader.tags
    assert "".join(reader.words).count(EVIL) > 20


def test_failures_are_listed_with_their_reasons():
    made = comparison(
        np.full((2, 2), 0.5), failed={("d0", "c1")}, folds=[0.0, 0.01, 0.02]
    )
    page = ramify.report.build(made)
    assert "3 of 12 runs failed" in page
    assert "c1 on d0: ValueError: not today (3 folds)" in page
    assert "n/a" in page


def test_repeats_and_earlier_results_are_told():
    made = comparison(np.full((2, 2), 0.5))
    changed = {
        "protocol": ramify.comparison.Protocol(2, 1),
        "n_cached": 3,
        "notes": ("SVC saw one-hot columns.",),
    }
    facts = {name: getattr(made, name) for name in made.__dataclass_fields__}
    page = ramify.report.build(type(made)(**(facts | changed)))
    assert "3 of 8 results were there from an earlier run" in page
    assert "SVC saw one-hot columns." in page


def test_one_method_on_one_data_set_has_a_report():
    page = ramify.report.build(comparison([[0.9]]))
    Reader(page)
    assert "With one method there is nothing to compare" in page


# --- files -----------------------------------------------------------------------


def test_pictures_of_an_earlier_run_do_not_stay(tmp_path):
    ramify.report.write(comparison(np.full((2, 2), 0.5)), tmp_path)
    own = tmp_path / "pictures" / "own.svg"
    own.touch()
    ramify.report.write(comparison(np.full((1, 1), 0.5)), tmp_path)
    found = {path.name for path in own.parent.iterdir()}
    assert found == {"scores.svg", "scores.pdf", "scores.png", "own.svg"}
    made = comparison(np.full((1, 1), 0.5))
    ramify.report.write(made, tmp_path, formats=["pdf"])
    assert {path.name for path in own.parent.iterdir()} == {"scores.pdf", "own.svg"}


def test_write_gives_report_numbers_and_pictures(made, tmp_path):
    report = ramify.report.write(made, tmp_path / "new" / "folder", "ramify compare")
    assert report == tmp_path / "new" / "folder" / "report.html"
    folder = report.parent
    page = report.read_text("utf-8")
    assert page == ramify.report.build(made, "ramify compare")
    rows = list(
        csv.DictReader((folder / "results.csv").read_text("utf-8").splitlines())
    )
    assert len(rows) == 7 * 6 * 3
    found = {path.name for path in (folder / "pictures").iterdir()}
    names = ("critical_difference", "ranks", "scores", "size", "time")
    assert found == {f"{n}.{ending}" for n in names for ending in ("svg", "pdf", "png")}
    for name in names:
        ElementTree.parse(folder / "pictures" / f"{name}.svg")
    assert "average rank" in (folder / "datasets.tex").read_text("utf-8")


def test_a_real_comparison_has_a_report(tmp_path):
    result = ramify.compare(["gini", "ihd"], ["iris", "wine"], cv=3, n_jobs=1)
    page = ramify.report.write(result, tmp_path).read_text("utf-8")
    Reader(page)
    assert ramify.criteria.get("ihd").reference.split(",")[0] in page


# --- the pages of trees ------------------------------------------------------------

METHODS = ("cart", "wodt", "spce", "cart_rf")


@pytest.fixture(scope="module")
def grown():
    return ramify.compare(METHODS, ["iris", "passengers"], cv=2, n_jobs=1)


def linked(report):
    """List the files that a report links to."""
    return set(re.findall(r'href="(trees/[^"]+)"', report.read_text("utf-8")))


def test_every_single_tree_has_a_page_on_every_data_set(grown, tmp_path):
    seen = []
    report = ramify.report.write(
        grown, tmp_path, progress=lambda done, total, what: seen.append((done, total))
    )
    Reader(report.read_text("utf-8"))
    assert linked(report) == {
        f"trees/{data}-{name}.html"
        for data in ("iris", "passengers")
        for name in METHODS[:3]
    }
    assert seen == [(i, 6) for i in range(1, 7)]
    script = (tmp_path / "trees" / "tree.js").read_text("utf-8").strip()
    alone = "\n".join(map(file_text, SCRIPTS))
    assert alone in script
    assert alone in grown.view("cart").html
    for place in linked(report):
        page = (tmp_path / place).read_text("utf-8")
        Reader(page)
        assert '<script src="tree.js"></script>' in page
        assert script not in page
    written = re.search(
        r'id="page-data">(.*?)</script>',
        (tmp_path / "trees" / "iris-cart.html").read_text("utf-8"),
        re.DOTALL,
    )
    told = json.loads(written[1])
    assert told["title"] == "cart on iris"
    assert told["classes"] == ["setosa", "versicolor", "virginica"]
    tree = ramify.methods.get("cart").make().set_params(random_state=0)
    data = ramify.datasets.load("iris")
    tree.fit(data.table(), data.y)  # the same rows, all of them
    assert told["trees"][0]["left"] == tree.tree_.children_left.tolist()


def test_pages_of_trees_are_made_once(grown, tmp_path):
    ramify.report.write(grown, tmp_path)
    folder = tmp_path / "trees"
    mark = "not made again"
    (folder / "iris-cart.html").write_text(mark, encoding="utf-8")
    (folder / "iris-wodt.html").unlink()
    (folder / "own.html").touch()
    seen = []
    ramify.report.write(
        grown, tmp_path, progress=lambda done, total, what: seen.append(what)
    )
    assert seen == ["trees: wodt on iris"]
    assert (folder / "iris-cart.html").read_text("utf-8") == mark
    part = ramify.report.write(grown.only(["cart"]), tmp_path, fresh=True)
    assert {path.name for path in folder.iterdir()} == {
        *("iris-cart.html", "passengers-cart.html"),
        *("tree.js", "pages.json", "own.html"),
    }
    assert (folder / "iris-cart.html").read_text("utf-8") != mark
    assert len(linked(part)) == 2
    assert not linked(ramify.report.write(grown, tmp_path, trees=False))
    (folder / "pages.json").write_text("[broken", encoding="utf-8")
    assert len(linked(ramify.report.write(grown, tmp_path))) == 6


def test_large_slow_and_many_trees_have_no_page(grown, tmp_path, monkeypatch):
    def files(name, value):
        with monkeypatch.context() as patch:
            patch.setattr(f"ramify.comparison.trees.{name}", value)
            return linked(ramify.report.write(grown, tmp_path / name, fresh=True))

    on_iris = {f"trees/iris-{name}.html" for name in METHODS[:3]}
    assert files("MAX_ROWS", 150) == on_iris
    assert files("MAX_PAGES", 3) == on_iris
    assert files("MAX_PAGES", 1) == on_iris  # one for each method, come what may
    assert files("MAX_SECONDS", 0.0) == set()
    assert "trees/iris-cart.html" in files("MAX_NODES", 30)
    assert "trees/passengers-cart.html" not in files("MAX_NODES", 30)


def test_strange_names_are_safe_in_links_and_pages(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.random((40, 2))
    y = np.where(X[:, 0] > 0.5, "<b>", "&amp;")
    methods = {EVIL: "gini", EVIL.upper(): "entropy", "../../x": "ihd"}
    result = ramify.compare(methods, {"../<i>": (X, y)}, cv=2, n_jobs=1)
    report = ramify.report.write(result, tmp_path)
    Reader(report.read_text("utf-8"))
    assert len(linked(report)) == 3
    for place in linked(report):
        assert re.fullmatch(r"trees/[a-z0-9_-]+\.html", place)
        reader = Reader((tmp_path / place).read_text("utf-8"))
        assert reader.tags["script"] == 2
        assert "b" not in reader.tags


def test_pages_of_own_functions_and_of_numbers(tmp_path):
    def spread(parent, left, right):
        return (left**2).sum(1) / left.sum(1) + (right**2).sum(1) / right.sum(1)

    result = ramify.compare({"own": spread}, ["iris"], cv=2)
    assert linked(ramify.report.write(result, tmp_path)) == {"trees/iris-own.html"}
    numbers = ramify.compare(
        ["squared_error", "squared_error_boosted"], ["diabetes"], cv=2, n_jobs=1
    )
    assert linked(ramify.report.write(numbers, tmp_path)) == {
        "trees/diabetes-squared_error.html"
    }
    assert not (tmp_path / "trees" / "iris-own.html").exists()


def test_a_comparison_shows_its_trees(grown):
    assert grown.view("wodt").title == "wodt on iris"
    assert "<script src" not in grown.view("cart_rf", "passengers").html
    assert grown.view("spce").title == "spce on iris: setosa against the rest"
    with pytest.raises(ValueError, match="method='carr' was not compared; use one of"):
        grown.view("carr")
    with pytest.raises(ValueError, match="dataset='wine' was not compared"):
        grown.view("cart", "wine")
    kept = pickle.loads(pickle.dumps(grown))
    assert kept == grown
    with pytest.raises(ValueError, match="numbers only"):
        kept.view("cart")


# --- in a browser ----------------------------------------------------------------

IN_BROWSER = """
<script>
"use strict";
const told = {};
const table = document.querySelector("#ranking table");
const heads = [...table.tHead.rows[0].cells];
const column = (i) => [...table.tBodies[0].rows].map((row) => row.cells[i].innerText);
const press = (i) => {
  heads[i].querySelector("button").click();
  return [heads[i].getAttribute("aria-sort"), column(0), column(i)];
};
told.heads = heads.map((head) => head.innerText);
told.first = column(0);
told.byName = press(0);
told.byNameAgain = press(0);
told.byAccuracy = press(2);
told.byLeaves = press(4);
told.marked = heads.filter((head) => head.hasAttribute("aria-sort")).length;
const button = heads[1].querySelector("button");
button.focus();
told.focused = document.activeElement === button;
told.pictures = [...document.querySelectorAll("figure svg")].map((svg) => {
  const box = svg.getBoundingClientRect();
  return [box.width, box.height];
});
told.ink = getComputedStyle(document.body).color;
told.textInk = getComputedStyle(document.querySelector("svg text")).fill;
told.sideways = document.documentElement.scrollWidth - innerWidth;
const out = document.createElement("pre");
out.id = "told";
out.textContent = JSON.stringify(told);
document.body.append(out);
</script></body>
"""


def browse(page, folder, *options):
    """Open a page in headless Chromium; give what the script in it tells."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("chromium is not installed (Debian: apt-get install chromium)")
    path = Path(folder) / "report.html"
    path.write_text(page.replace("</body>", IN_BROWSER), encoding="utf-8")
    done = subprocess.run(
        [
            program,
            *("--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            *("--disable-background-networking", "--enable-logging=stderr"),
            f"--user-data-dir={Path(folder) / 'profile'}",
            *options,
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    assert "CONSOLE" not in done.stderr
    told = re.search(r'<pre id="told">(.*?)</pre>', done.stdout, re.DOTALL)
    assert told, "the script did not run"
    text = told[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return json.loads(text)


def test_the_page_sorts_and_shows_in_a_browser_without_an_error(made, page, tmp_path):
    told = browse(page, tmp_path, "--window-size=1200,900")
    summary = made.summary()
    shown = [
        row["method"] + (" (baseline)" if row["method"] == "cart" else "")
        for row in summary
    ]
    assert told["first"] == shown
    direction, names, _ = told["byName"]
    assert (direction, names) == ("ascending", sorted(shown))
    direction, names, _ = told["byNameAgain"]
    assert (direction, names) == ("descending", sorted(shown, reverse=True))
    for key, metric, way in (
        ("byAccuracy", "accuracy", "descending"),
        ("byLeaves", "leaves", "ascending"),
    ):
        direction, names, numbers = told[key]
        assert direction == way
        sign = -1 if way == "descending" else 1
        order = sorted(range(len(summary)), key=lambda i: sign * summary[i][metric])
        assert names == [shown[i] for i in order]
        assert [sign * float(number) for number in numbers] == sorted(
            sign * float(number) for number in numbers
        )
    assert told["marked"] == 1
    assert told["focused"]
    assert len(told["pictures"]) == 5
    assert all(width > 600 and height > 60 for width, height in told["pictures"])
    assert told["textInk"] in ("rgb(31, 35, 40)", "rgb(95, 103, 113)")
    assert told["sideways"] <= 0


def test_the_page_is_dark_where_the_reader_prefers_that(page, tmp_path):
    told = browse(page, tmp_path, "--blink-settings=preferredColorScheme=0")
    assert told["ink"] == "rgb(228, 232, 236)"
    assert told["textInk"] in ("rgb(228, 232, 236)", "rgb(152, 162, 173)")


@pytest.mark.slow
def test_a_wide_comparison_fits_a_phone(made, tmp_path):
    """Tables and pictures scroll by themselves; the page does not."""
    long = tuple(f"a_method_with_a_rather_long_name_{j}" for j in range(5))
    wide = random_comparison(30, 12, n_folds=2, baseline=long[1], extra=long)
    page = ramify.report.build(wide, pictures=draw(made))
    told = browse(page, tmp_path, "--window-size=500,900")
    assert len(told["first"]) == 30
    assert told["sideways"] <= 0


def test_a_link_of_the_report_opens_the_tree(grown, tmp_path):
    """From disk, with the script that all pages share."""
    report = ramify.report.write(grown, tmp_path)
    with browser() as driver:
        driver.get(report.as_uri())
        label = "[aria-label$='the tree of wodt on iris']"
        driver.find_element("css selector", f"#numbers {label}").click()
        deadline = time.monotonic() + 120  # or it hangs
        while not driver.execute_script(
            "return document.documentElement.dataset.ready === 'yes'"
        ):
            assert time.monotonic() < deadline, complaints(driver)
            time.sleep(0.02)
        assert driver.current_url.endswith("trees/iris-wodt.html")
        words = driver.find_element("css selector", "body").text
        assert "wodt on iris" in words
        assert "Choose a node" in words
        assert "virginica" in words
        # What is saved as SVG takes its looks from here.
        rules = "return document.styleSheets[0].cssRules.length"
        assert driver.execute_script(rules) > 50
        assert complaints(driver) == []
