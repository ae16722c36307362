# SPDX-License-Identifier: BSD-3-Clause
"""Save one small model of every kind, for later versions to load: tests/saved/.

    python tools/save_models.py            writes the kinds that this version lacks
    python tools/save_models.py --again    writes all, if this version is unreleased

Each model is two files: the model file, and a JSON file with rows and what the model
says of them. Files of a released version are never written again.
"""

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import ramify

ROOT = Path(__file__).parents[1]
SAVED = ROOT / "tests" / "saved"
METHODS = (
    *("predict", "predict_proba", "decision_function", "apply"),
    "curves_at",  # of survival models: survival at some times
)


def table(seed: int, n_rows: int = 90, gaps: float = 0.0) -> pd.DataFrame:
    """Return numbers and categories, with some values missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n_rows).astype(float),
            "size": np.round(rng.normal(0, 3, n_rows), 2),
            "city": rng.choice(["Bergen", "Oslo", "Paris", "Rome", "Turku"], n_rows),
            "code": rng.integers(0, 4, n_rows).astype(float),
        }
    )
    for column in frame:
        frame.loc[rng.random(n_rows) < gaps, column] = None
    return frame


def numbers_of(frame: pd.DataFrame) -> pd.Series:
    """Return a number of each row that trees can learn."""
    age, size = frame["age"].fillna(40), frame["size"].fillna(0)
    city = frame["city"] if "city" in frame else pd.Series("Oslo", frame.index)
    north = city.isin(["Bergen", "Oslo", "Turku"])
    return np.round(age / 20 + np.where(north, 2 * (size > 0), size / 3), 3)


def classes_of(frame: pd.DataFrame, n: int = 3) -> np.ndarray:
    """Return one of a few labels of each row."""
    rank = numbers_of(frame).rank(method="first") - 1
    return np.array(["high", "low", "middle"])[(rank * n // len(frame)).astype(int)]


AT = [1.0, 3.5, 100.0]  # times

PLAIN, GAPS = table(1), table(2, gaps=0.15)
NUMERIC = ["age", "size", "code"]


def spread(parent, left, right):
    """Judge cuts by how unlike the sides are."""
    left = left / left.sum(axis=1, keepdims=True)
    right = right / right.sum(axis=1, keepdims=True)
    return np.abs(left - right).sum(axis=1)


def of_classes(model: Any, frame: pd.DataFrame, n: int = 3) -> Any:
    """Fit a model to labels."""
    return model.fit(frame, classes_of(frame, n)), frame


def of_numbers(model: Any, frame: pd.DataFrame) -> Any:
    """Fit a model to numbers."""
    return model.fit(frame, numbers_of(frame)), frame


def of_times(model: Any, frame: pd.DataFrame) -> Any:
    """Fit a model to times to an event, some of them censored."""
    times = np.round(10 * np.exp(-numbers_of(frame)), 2)
    return model.fit(frame, (times, frame.index % 3 > 0)), frame


def tree(*args: Any, **kwargs: Any) -> Any:
    """Make a small tree of classes."""
    return ramify.DecisionTreeClassifier(*args, **{"max_depth": 4, **kwargs})


def regression_tree(*args: Any, **kwargs: Any) -> Any:
    """Make a small regression tree."""
    return ramify.DecisionTreeRegressor(*args, **{"max_depth": 4, **kwargs})


def oblique(method: str, **kwargs: Any) -> Any:
    """Make a small tree of hyperplanes."""
    return ramify.ObliqueTreeClassifier(method, max_depth=3, random_state=0, **kwargs)


def method(name: str, **kwargs: Any) -> Any:
    """Make a published method."""
    return ramify.methods.make(name, **{"max_depth": 4, **kwargs})


def small(forest: Callable[..., Any], **kwargs: Any) -> Any:
    """Make a forest of few small trees."""
    return forest(n_estimators=3, max_depth=3, random_state=0, **kwargs)


def samme(name: str) -> Any:
    """Make few small trees of a method, boosted by SAMME."""
    return ramify.BoostedTreesClassifier(
        name, n_estimators=3, max_depth=2, random_state=0
    )


def several(model: Any, values: Callable[[pd.DataFrame], Any]) -> Any:
    """Fit a model of two outputs."""
    y = np.column_stack([values(PLAIN), values(PLAIN)[::-1]])
    return model.fit(PLAIN, y), PLAIN


KINDS: dict[str, Callable[[], tuple[Any, pd.DataFrame]]] = {
    "tree-numeric": lambda: of_classes(tree(), PLAIN[NUMERIC]),
    "tree-two-classes": lambda: of_classes(tree("hellinger"), PLAIN[NUMERIC], 2),
    "tree-no-names": lambda: (
        tree("gain_ratio").fit(PLAIN[NUMERIC].to_numpy(), PLAIN["age"] > 50),
        PLAIN[NUMERIC],
    ),
    "tree-gaps": lambda: of_classes(tree("entropy"), GAPS[NUMERIC]),
    "tree-gap-or-not": lambda: (
        tree().fit(GAPS[NUMERIC], GAPS["size"].isna()),
        GAPS[NUMERIC],
    ),
    "tree-gaps-left": lambda: of_classes(tree(missing="left"), GAPS),
    "tree-subset": lambda: of_classes(tree("ihdw"), PLAIN),
    "tree-one-vs-rest": lambda: of_classes(tree(categories="one_vs_rest"), PLAIN),
    "tree-multiway": lambda: of_classes(method("id3"), PLAIN),
    "tree-unseen-missing": lambda: of_classes(tree(unseen="missing"), GAPS),
    "tree-fractional": lambda: of_classes(method("c45"), GAPS),
    "tree-costs": lambda: of_classes(
        tree(cost_matrix=[[0, 1, 2], [5, 0, 1], [1, 3, 0]], laplace=True), PLAIN
    ),
    "tree-pruned": lambda: of_classes(tree(ccp_alpha=0.02), PLAIN),
    "tree-bins": lambda: of_classes(tree(max_bins=4, threshold="value"), PLAIN),
    "tree-outputs": lambda: several(tree(), classes_of),
    "tree-function": lambda: of_classes(tree(spread), PLAIN[NUMERIC]),
    "tree-expression": lambda: of_classes(
        tree(ramify.criteria.gini + 0.01 * ramify.criteria.bnm), PLAIN[NUMERIC]
    ),
    "tree-bnm-csn": lambda: of_classes(method("bnm_csn"), PLAIN[NUMERIC]),
    "tree-chaid": lambda: of_classes(method("chaid"), GAPS),
    "tree-quest": lambda: of_classes(method("quest"), PLAIN[NUMERIC]),
    "tree-ctree": lambda: of_classes(method("ctree"), GAPS),
    "tree-guide": lambda: of_classes(method("guide"), GAPS),
    "tree-dgmml": lambda: of_classes(method("dgmml"), PLAIN[NUMERIC]),
    "tree-drawn": lambda: of_classes(
        ramify.ExtraTreeClassifier(max_depth=4, random_state=0), GAPS
    ),
    "regression-drawn": lambda: of_numbers(
        ramify.ExtraTreeRegressor(max_depth=4, random_state=0), GAPS
    ),
    "optimal": lambda: of_classes(
        ramify.OptimalTreeClassifier(max_depth=2, all_roots=True), GAPS
    ),
    "optimal-regression": lambda: of_numbers(
        ramify.OptimalTreeRegressor(max_depth=2), PLAIN
    ),
    "oblique-wodt": lambda: of_classes(oblique("wodt"), PLAIN[NUMERIC]),
    "oblique-oc1": lambda: of_classes(oblique("oc1"), GAPS),
    "oblique-dgmml": lambda: of_classes(oblique("dgmml_mdt"), PLAIN[NUMERIC]),
    "oblique-logistic": lambda: of_classes(oblique("logistic"), GAPS),
    "oblique-heterogeneous": lambda: of_classes(oblique("heterogeneous"), PLAIN),
    "regression": lambda: of_numbers(regression_tree(), PLAIN),
    "regression-gaps": lambda: of_numbers(regression_tree(missing="fractional"), GAPS),
    "regression-median": lambda: of_numbers(regression_tree("absolute_error"), GAPS),
    "regression-quantile": lambda: of_numbers(
        regression_tree("quantile", criterion_params={"level": 0.9}), PLAIN
    ),
    "regression-outputs": lambda: several(regression_tree(), numbers_of),
    "lines-m5": lambda: of_numbers(ramify.ModelTreeRegressor(), GAPS),
    "lines-pilot": lambda: of_numbers(ramify.ModelTreeRegressor("pilot"), GAPS),
    "lines-committee": lambda: of_numbers(ramify.CommitteeRegressor(3), GAPS),
    "lines-forest": lambda: of_numbers(
        ramify.RandomForestRegressor(3, method="pilot", random_state=0), GAPS
    ),
    "forest": lambda: of_classes(small(ramify.RandomForestClassifier), GAPS),
    "forest-method": lambda: of_classes(
        small(ramify.RandomForestClassifier, method="c45", voting="hard"), GAPS
    ),
    "forest-oblique": lambda: of_classes(
        small(ramify.RandomForestClassifier, method="wodt"), PLAIN[NUMERIC]
    ),
    "forest-rotation": lambda: of_classes(
        small(ramify.RandomForestClassifier, method="rotation", bootstrap=False), GAPS
    ),
    "forest-extra": lambda: of_classes(small(ramify.ExtraTreesClassifier), PLAIN),
    "forest-bagged": lambda: of_classes(small(ramify.BaggedTreesClassifier), PLAIN),
    "forest-honest": lambda: of_classes(
        small(ramify.RandomForestClassifier, honest=0.5), PLAIN
    ),
    "forest-outputs": lambda: several(small(ramify.RandomForestClassifier), classes_of),
    "forest-numbers": lambda: of_numbers(small(ramify.RandomForestRegressor), GAPS),
    "forest-embedding": lambda: of_numbers(small(ramify.RandomTreesEmbedding), GAPS),
    "forest-numbers-extra": lambda: of_numbers(
        small(ramify.ExtraTreesRegressor), PLAIN
    ),
    "forest-numbers-bagged": lambda: of_numbers(
        small(ramify.BaggedTreesRegressor), GAPS
    ),
    "forest-numbers-honest": lambda: of_numbers(
        small(ramify.RandomForestRegressor, honest=0.5), PLAIN
    ),
    "boosted-two": lambda: of_classes(
        ramify.BoostedTreesClassifier(n_estimators=5, max_depth=2), GAPS, 2
    ),
    "boosted-three": lambda: of_classes(
        ramify.BoostedTreesClassifier(n_estimators=3, max_depth=2), PLAIN
    ),
    "boosted-numbers": lambda: of_numbers(
        ramify.BoostedTreesRegressor(n_estimators=5, max_depth=2), GAPS
    ),
    "boosted-counts": lambda: of_numbers(
        ramify.BoostedTreesRegressor("gamma", n_estimators=5, max_depth=2),
        PLAIN.assign(size=PLAIN["size"].abs()),
    ),
    "survival": lambda: of_times(ramify.SurvivalTree(max_depth=4), GAPS),
    "survival-rates": lambda: of_times(
        ramify.SurvivalTree("full_likelihood", max_depth=4), PLAIN
    ),
    "survival-drawn": lambda: of_times(
        ramify.ExtraSurvivalTree(max_depth=4, random_state=0), GAPS
    ),
    "survival-forest": lambda: of_times(small(ramify.RandomSurvivalForest), GAPS),
    "survival-forest-extra": lambda: of_times(small(ramify.ExtraSurvivalTrees), PLAIN),
    "samme": lambda: of_classes(samme("cart"), GAPS),
    "samme-two": lambda: of_classes(samme("c45"), GAPS, 2),
    "samme-oblique": lambda: of_classes(samme("wodt"), PLAIN[NUMERIC]),
    "samme-by-class": lambda: of_classes(samme("spce"), PLAIN[NUMERIC]),
}


def rows_for(frame: pd.DataFrame) -> pd.DataFrame:
    """Return some rows that the model has seen, and one that is odd in every column."""
    size = None if frame.isna().any(axis=None) else -99.0  # some methods take no gaps
    odd = {"age": 1e6, "size": size, "city": "Atlantis", "code": -3.5}
    last = pd.DataFrame([{name: odd[name] for name in frame}])
    rows = frame.iloc[::6].astype(object)
    return pd.concat([rows, last.astype(object)], ignore_index=True)


def as_fitted(model: Any, rows: pd.DataFrame) -> Any:
    """Return rows as the model saw them: numbers as numbers, with or without names."""
    typed = rows.astype({name: float for name in NUMERIC if name in rows})
    return typed if hasattr(model, "feature_names_in_") else typed.to_numpy()


def answers_of(model: Any, rows: Any) -> dict[str, Any]:
    """Return what a model says of rows, by the name of the method that says it."""
    found = {}
    for name in METHODS:
        leaves = hasattr(model, "tree_") or not hasattr(model, "predict")
        if name == "curves_at":
            if hasattr(model, "predict_survival_function"):
                curves = model.predict_survival_function(rows, times=AT)
                found[name] = curves.tolist()
        elif hasattr(model, name) and (name != "apply" or leaves):
            answer = getattr(model, name)(rows)
            parts = answer if isinstance(answer, list) else [answer]
            plain = [np.asarray(part).tolist() for part in parts]
            found[name] = plain if isinstance(answer, list) else plain[0]
    return found


def is_released(version: str) -> bool:
    """Return whether the changelog has a date for a version."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    return re.search(rf"^## \[{re.escape(version)}\] - \d", text, re.M) is not None


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--again", action="store_true", help="also those that exist")
    again = parser.parse_args().again
    version = re.match(r"\d+\.\d+\.\d+", ramify.__version__)[0]
    if again and is_released(version):
        parser.error(f"{version} is released: what it wrote is written")
    folder = SAVED / version
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in KINDS.items():
        path = folder / f"{name}.json"
        if path.exists() and not again:
            continue
        model, frame = make()
        rows = rows_for(frame)
        ramify.save(model, folder / f"{name}.ramify")
        facts = {
            "kind": type(model).__name__,
            "numeric": [column for column in frame if column in NUMERIC],
            "columns": list(rows),
            "rows": rows.astype(object).where(rows.notna(), None).to_numpy().tolist(),
            "answers": answers_of(model, as_fitted(model, rows)),
        }
        path.write_text(json.dumps(facts) + "\n", encoding="utf-8")
        print(f"{folder.name}/{name}")


if __name__ == "__main__":
    main()
