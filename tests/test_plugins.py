# SPDX-License-Identifier: BSD-3-Clause
"""Criteria and methods that users and other packages register, and citations."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import ramify
from ramify import criteria, methods
from ramify.criteria import catalogue, hybrids, named, regression

ROOT = Path(__file__).parent.parent
X, Y = load_iris(return_X_y=True)


def power(parent, left, right, *, q=2.0):
    """Decrease of 1 - sum of p to the q."""

    def impurity(n):
        total = n.sum(-1, keepdims=True)
        return total[..., 0] * (1 - ((n / total) ** q).sum(-1))

    return (impurity(parent) - impurity(left) - impurity(right)) / parent.sum()


@pytest.fixture(autouse=True)
def _as_before():
    """Forget after each test what it registers."""
    kept = (
        *(catalogue._ALIASES, catalogue._NAMED, named.FUNCTIONS, regression._ALIASES),
        *(named.REGRESSION_FUNCTIONS, hybrids.HYBRIDS),
        *(methods._METHODS, methods.TREE_METHODS, catalogue._METHODS),
    )
    before = [dict(each) for each in kept]
    yield
    for each, content in zip(kept, before, strict=True):
        each.clear()
        each.update(content)


def test_a_registered_function_is_a_criterion_of_every_estimator():
    criteria.register("power", power, aliases=["pow"])
    wanted = ramify.DecisionTreeClassifier(power).fit(X, Y)
    for name in ("power", "pow"):
        tree = ramify.DecisionTreeClassifier(name).fit(X, Y)
        assert ramify.export_text(tree) == ramify.export_text(wanted)
    forest = ramify.RandomForestClassifier(5, criterion="power", random_state=0)
    same = ramify.RandomForestClassifier(5, criterion=power, random_state=0)
    found, right = (one.fit(X, Y).predict_proba(X) for one in (forest, same))
    np.testing.assert_array_equal(found, right)
    assert "power" in criteria.names()
    assert criteria.get("power").summary == "Decrease of 1 - sum of p to the q."


def test_keyword_only_arguments_are_parameters():
    criteria.register("power", power)
    table = ([6, 4], [[5, 1]], [[1, 3]])
    plain, cubic = criteria.get("power"), criteria.get("power", q=3.0)
    assert plain(*table) == pytest.approx(criteria.gini(*table))
    assert cubic(*table) == pytest.approx(power(*map(np.array, table), q=3.0))
    assert cubic(*table) != plain(*table)
    assert cubic(q=2.0) == plain
    tree = ramify.DecisionTreeClassifier("power", criterion_params={"q": 9.0})
    right = ramify.DecisionTreeClassifier(lambda *table: power(*table, q=9.0))
    texts = {ramify.export_text(one.fit(X, Y)) for one in (tree, right)}
    assert len(texts) == 1
    with pytest.raises(ValueError, match=r"has 'p', which.*it takes: q"):
        criteria.get("power", p=1)


def test_a_registered_name_stands_in_expressions():
    criteria.register("power", power)
    text = "gini + 0.5 * power(q=3.0)"
    assert repr(criteria.parse(text)) == text
    criteria.register("both", "w * gini + power", params={"w": 0.5})
    assert repr(criteria.get("both", w=2)) == "2 * gini + power"
    assert "both" in criteria.names("expressions")


def test_a_function_of_numbers_is_for_regressors():
    @criteria.register("spread", task="regression")
    def spread(parent, left, right):
        n, total = left[:, 0] * right[:, 0], left[:, 0] + right[:, 0]
        means = left[:, 1] / left[:, 0] - right[:, 1] / right[:, 0]
        return n / total * means**2

    data, y = load_diabetes(return_X_y=True)
    trees = [
        ramify.DecisionTreeRegressor(given, max_depth=4).fit(data, y)
        for given in ("spread", spread)
    ]
    assert len({ramify.export_text(tree) for tree in trees}) == 1
    assert "spread" in criteria.names("regression")
    with pytest.raises(ValueError, match="judges numbers, not classes"):
        ramify.DecisionTreeClassifier("spread").fit(X, Y)


@pytest.mark.parametrize("name", ["gini", "mse", "c45", "wodt", "ks", "top"])
def test_names_of_ramify_cannot_be_taken(name):
    with pytest.raises(ValueError, match="of Ramify; choose another"):
        criteria.register(name, power)


def test_a_name_is_not_taken_from_another_criterion_by_accident():
    criteria.register("power", power)
    criteria.register("power", power)  # a cell that is run again
    with pytest.raises(ValueError, match="overwrite=True"):
        criteria.register("power", lambda parent, left, right: left[:, 0])
    criteria.register("power", "gini + entropy", overwrite=True)
    assert repr(criteria.get("power")) == "gini + entropy"


def test_what_is_replaced_leaves_no_alias():
    criteria.register("power", power, aliases=["pow"])
    criteria.register("power", power)
    with pytest.raises(ValueError, match="'pow' is unknown"):
        criteria.get("pow")
    criteria.register("pow", "gini + entropy")
    with pytest.raises(ValueError, match="'pow' is registered already"):
        criteria.register("power", power, aliases=["pow"])
    criteria.register("spread", power, task="regression", aliases=["wide"])
    assert criteria.for_regression("wide").name == "spread"
    assert "wide" not in criteria.names("regression")


def test_a_saved_model_keeps_the_name(tmp_path):
    criteria.register("power", power)
    for given in ("power", criteria.get("power", q=3.0)):
        tree = ramify.DecisionTreeClassifier(given).fit(X, Y)
        ramify.save(tree, tmp_path / "tree.ramify")
        loaded = ramify.load(tmp_path / "tree.ramify")
        assert loaded.criterion == "power"
        np.testing.assert_array_equal(loaded.predict(X), tree.predict(X))
    assert loaded.criterion_params == {"q": 3.0}
    tree = ramify.DecisionTreeClassifier(criteria.parse("gini + power")).fit(X, Y)
    ramify.save(tree, tmp_path / "tree.ramify")
    assert ramify.load(tmp_path / "tree.ramify").criterion == "gini + power"
    criteria.catalogue.forget("power")  # as where the package is not installed
    loaded = ramify.load(tmp_path / "tree.ramify")
    np.testing.assert_array_equal(loaded.predict(X), tree.predict(X))
    with pytest.raises(ValueError, match="power"):
        loaded.fit(X, Y)


def test_compare_and_advise_take_registered_names(tmp_path):
    criteria.register("power", power, reference="Doe (2026), Power")
    tree = ramify.DecisionTreeClassifier("power", max_depth=2)
    methods.register("doe", tree, summary="Small trees.")
    given = {"cv": 2, "cache": tmp_path / "cells", "n_jobs": 2}
    found = ramify.compare(["power", "doe", "gini"], ["iris", "wine"], **given)
    assert not [one for one in found.records if one.error]
    by_method = {
        name: [one.values["accuracy"] for one in found.records if one.method == name]
        for name in ("power", "gini")
    }
    assert by_method["power"] == by_method["gini"]  # the same with q = 2
    advice = ramify.advise(load_iris().data, Y, methods=["power", "doe"], cv=2)
    forest = ramify.RandomForestClassifier(2, method="doe", random_state=0)
    found = ramify.compare({"forest": forest}, ["iris", "wine"], **given)
    assert not found.failures
    assert {"power", "doe"} <= set(advice.to_frame()["name"])


def test_results_are_kept_by_the_code_of_a_function_not_by_its_name(tmp_path):
    given = {"cv": 2, "cache": tmp_path / "cells", "n_jobs": 1}
    criteria.register("power", power)
    first = ramify.compare(["power"], ["iris"], **given)
    worst = criteria.function(lambda parent, left, right: left[:, 0] * 0 + 1)
    criteria.register("power", worst, overwrite=True)
    other = ramify.compare(["power"], ["iris"], **given)
    assert first.records != other.records


def test_methods_of_an_estimator_take_its_parameters():
    tree = ramify.DecisionTreeClassifier("tsallis", criterion_params={"q": 1.4})
    methods.register("doe", tree, reference="Doe (2026), Trees")
    assert methods.make("doe", q=1.6, max_depth=3).get_params()["max_depth"] == 3
    assert methods.make("doe", q=1.6).criterion_params == {"q": 1.6}
    forest = ramify.RandomForestClassifier(3, method="doe", random_state=0).fit(X, Y)
    assert forest.score(X, Y) > 0.9
    assert not methods.get("doe").is_usual
    with pytest.raises(ValueError, match="of Ramify; choose another"):
        methods.register("cart", tree)


def test_methods_may_be_estimators_of_others():
    from sklearn.tree import DecisionTreeClassifier

    methods.register(
        "theirs", DecisionTreeClassifier(max_depth=2, criterion="log_loss")
    )
    made = methods.make("theirs", min_samples_leaf=3)
    assert isinstance(made, DecisionTreeClassifier)
    assert (made.max_depth, made.min_samples_leaf, made.criterion) == (2, 3, "log_loss")


MODULE = """
import ramify
from ramify.criteria import register

@register("doe_gain", reference="Doe (2026), Gains", bibtex="@book{doe}")
def doe_gain(parent, left, right):
    "Doe's gain."
    shares = [side / side.sum(1, keepdims=True) for side in (left, right)]
    return abs(shares[0] - shares[1]).sum(1)

def plain_gain(parent, left, right):
    "Without a decorator."
    return doe_gain(parent, left, right)

doe_tree = ramify.DecisionTreeClassifier("doe_gain", max_depth=2)
"""
ENTRY_POINTS = """
[ramify.criteria]
doe_gain = doe_trees:doe_gain
plain_gain = doe_trees:plain_gain
broken_gain = doe_trees:nothing
gini = doe_trees:plain_gain

[ramify.methods]
doe_tree = doe_trees:doe_tree
"""


@pytest.fixture
def package(tmp_path):
    """Install a package that brings two criteria, a method, and two mistakes."""
    return installed(tmp_path, MODULE, ENTRY_POINTS)


def installed(folder, module, entry_points):
    """Install a package of one module; return the environment that has it."""
    (folder / "doe_trees.py").write_text(module)
    info = folder / "doe_trees-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: doe-trees\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text(entry_points)
    source = str(Path(ramify.__file__).parents[1])
    paths = [str(folder), source, os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def run(package, *arguments):
    command = [sys.executable, *arguments]
    done = subprocess.run(command, env=package, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def test_entry_points_bring_criteria_and_methods(package):
    code = """
import ramify
forest = ramify.RandomForestClassifier(2, method="doe_tree")  # before any listing
d = ramify.datasets.load("iris")
forest.fit(d.X, d.y)
for name in ("doe_gain", "plain_gain"):
    assert name in ramify.criteria.names(), name
    ramify.DecisionTreeClassifier(name).fit(d.X, d.y)
assert ramify.criteria.get("plain_gain").summary == "Without a decorator."
assert ramify.methods.make("doe_tree").max_depth == 2
assert ramify.cite("doe_gain") == "@book{doe}"
assert type(ramify.criteria.get("gini")).__name__ == "Criterion"
try:
    ramify.DecisionTreeClassifier("broken_gain").fit(d.X, d.y)
except ValueError as error:
    print(error)
"""
    done = run(package, "-c", code)
    assert "is an entry point of doe-trees (doe_trees:nothing)" in done.stdout
    assert "'gini' is an entry point of doe-trees" in done.stderr


def test_the_package_of_the_how_to_page_works(tmp_path):
    page = (ROOT / "docs" / "how_to" / "publish_criterion.md").read_text("utf-8")
    (module,) = re.findall(r"```python\n(# doe_trees.py\n.*?)```", page, re.DOTALL)
    (project,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    points = tomllib.loads(project)["project"]["entry-points"]
    listed = "".join(
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in found.items())
        for group, found in points.items()
    )
    environment = installed(tmp_path, module, listed)
    code = """
import ramify
data = ramify.datasets.load("wine")
tree = ramify.DecisionTreeClassifier("doe_gain(q=2.0)").fit(data.X, data.y)
assert tree.score(data.X, data.y) == 1
assert ramify.methods.make("doe_tree", q=3.0).criterion_params == {"q": 3.0}
"""
    run(environment, "-c", code)


def test_entry_points_are_not_loaded_for_built_in_names(package):
    code = """
import sys, ramify
ramify.DecisionTreeClassifier("hellinger").fit([[1.0], [2.0]], [0, 1])
assert "doe_trees" not in sys.modules
"""
    run(package, "-c", code)


def test_the_command_line_knows_entry_points(package, tmp_path):
    data = tmp_path / "iris.csv"
    rows = "\n".join(
        ",".join([*map(str, x), "abc"[y]]) for x, y in zip(X, Y, strict=True)
    )
    data.write_text(f"p,q,r,s,kind\n{rows}\n")
    model = str(tmp_path / "m.ramify")
    for given in (("--criterion", "plain_gain"), ("--method", "doe_tree")):
        of = (str(data), "--target", "kind")
        run(package, "-m", "ramify", "fit", *of, *given, "-o", model)
    listed = run(package, "-m", "ramify", "criteria", "--json").stdout
    assert '"doe_gain"' in listed
    compared = run(
        package,
        *("-m", "ramify", "compare", str(data), "--cv", "2"),
        *("--methods", "cart,plain_gain,doe_tree"),
    )
    assert "plain_gain" in compared.stdout
    assert "doe_tree" in compared.stdout


# --- citations ------------------------------------------------------------------------

NAMES = [
    *ramify.methods.names(),
    *(
        name
        for kind in ("criteria", "uplift", "measures", "expressions", "regression")
        for name in criteria.names(kind)
    ),
]


ENTRY = r"@misc\{[a-z0-9]+,\n  author = .+\n  title = .+\n  year = \{\d{4}\}"


def test_everything_in_the_catalogue_can_be_cited():
    for name in NAMES:
        for entry in ramify.cite(name).split("\n\n"):
            assert re.match(ENTRY, entry), (name, entry)
            assert entry.count("{") == entry.count("}"), name
            # A place in a work is not its title.
            assert not re.search(r"title = \{\{(eqs?\.|chapter|p\.)", entry), entry


def test_the_command_line_cites(tmp_path):
    done = run(dict(os.environ), "-m", "ramify", "cite", "wodt", "iris", "xor")
    assert done.stdout == ramify.cite("wodt", "iris", "xor") + "\n"
    assert "@software{ramify" in ramify.cite()


def test_several_works_are_several_entries_each_once():
    text = ramify.cite("c45_rf", "wodt_rf")
    keys = re.findall(r"@misc\{(\w+),", text)
    wanted = ["breiman2001random", "quinlan1993programs", "quinlan1996improved"]
    assert keys == [*wanted, "yang2019weighted"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("iris", "author = {Fisher}"),
        ("mantaras", "author = {{López de Mántaras}}"),
        ("scaff", "author = {{Pereira Barata} and others}"),
        ("vfc45", "note = {Applied Artificial Intelligence 32(2), 119-137},"),
        ("vfc45", "doi = {10.1080/08839514.2018.1447479},"),
        ("cart_1se", "title = {{Classification and Regression Trees}}"),
        ("friedman2", "year = {1991}"),
    ],
)
def test_entries_say_what_the_reference_says(name, wanted):
    assert wanted in ramify.cite(name)


def test_what_has_no_reference_says_so():
    assert ramify.cite("xor") == "% xor: no published reference is known"
    criteria.register("power", power, reference="my thesis, in print")
    assert ramify.cite("power") == "% power: my thesis, in print"
    with pytest.raises(ValueError, match="did you mean 'wodt' or"):
        ramify.cite("wodtt")
