# SPDX-License-Identifier: BSD-3-Clause
"""Write docs/capabilities.md: which estimator can do what, every cell of it run.

``python tools/make_capability_table.py`` tries each capability on each estimator that
predicts classes or numbers. A cell says "yes", or has the number of the sentence with
which the estimator refused.
"""

import argparse
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import is_classifier, is_regressor

import ramify
import ramify.dask

PAGE = Path(__file__).parents[1] / "docs" / "capabilities.md"
N = 90
EXPORTS = ("text", "json", "python", "c", "javascript", "sql", "onnx", "pmml")


class Refused(Exception):  # noqa: N818  # an answer, not an error
    """Why an estimator cannot do something."""


def frame(kind="plain"):
    """Return columns to learn from."""
    rng = np.random.default_rng(0)
    found = pd.DataFrame(rng.normal(size=(N, 3)).round(1), columns=["a", "b", "c"])
    if kind == "gaps":
        found.loc[::7, "b"] = np.nan
    if kind == "categories":
        found["city"] = pd.Categorical(np.where(found.a > 0, "Oslo", "Bonn"))
    return found


def target(model, n_outputs=1):
    """Return classes or numbers."""
    numbers = frame()["a"].to_numpy() + np.arange(N) % 3
    if is_classifier(model):
        numbers = np.digitize(numbers, [0.5, 1.5])
    return numbers if n_outputs == 1 else np.column_stack([numbers, numbers[::-1]])


def make(cls, **given):
    """Return a small estimator."""
    known = cls().get_params(deep=False)
    for name in given:
        if name not in known:
            raise Refused(f"It has no parameter `{name}`.")
    small = {"n_estimators": 25, "random_state": 0}
    return cls(**{k: v for k, v in small.items() if k in known} | given)


def fitted(cls, kind="plain", **given):
    """Return it fitted."""
    model = make(cls, **given)
    return model.fit(frame(kind), target(model))


def weights(cls):
    """Fit with weights of rows."""
    model = make(cls)
    model.fit(frame(), target(model), sample_weight=np.arange(N) % 3)


def gaps(cls):
    """Fit on missing values."""
    fitted(cls, "gaps")


def categories(cls):
    """Fit on categories as they are."""
    fitted(cls, "categories")


def outputs(cls):
    """Fit several outputs."""
    model = make(cls)
    model.fit(frame(), target(model, 2))


def warm(cls):
    """Add trees to a fitted model."""
    model = fitted(cls, warm_start=True)
    model.set_params(n_estimators=30).fit(frame(), target(model))


def monotone(cls):
    """Constrain a column."""
    model = make(cls, monotonic_cst=[1, 0, 0])
    y = target(model)
    model.fit(frame(), y > 1 if is_classifier(model) else y)


def out_of_bag(cls):
    """Score rows out of bag."""
    extra = {"bootstrap": True} if "bootstrap" in cls().get_params() else {}
    fitted(cls, oob_score=True, **extra)


def confident(cls):
    """Calibrate, and predict intervals or sets."""
    model = fitted(cls).calibrate(frame(), target(make(cls)))
    if is_classifier(model):
        model.predict_set(frame())
    else:
        model.predict_interval(frame())


def confident_out_of_bag(cls):
    """Predict intervals or sets without rows kept back."""
    model = make(
        cls, **({"bootstrap": True} if "bootstrap" in cls().get_params() else {})
    )
    if not hasattr(model, "estimators_samples_") and not hasattr(model, "n_estimators"):
        raise Refused("It has no rows out of bag: one tree sees all rows; `calibrate`.")
    if "Boosted" in cls.__name__:
        raise Refused(
            "It has no rows out of bag: all rounds see all rows; `calibrate`."
        )
    model.fit(frame(), target(model), calibrate="oob")
    (model.predict_set if is_classifier(model) else model.predict_interval)(frame())


def quantiles(cls):
    """Predict quantiles."""
    if is_classifier(cls()):
        raise Refused(
            "It predicts classes, which have no quantiles; see `predict_set`."
        )
    fitted(cls, leaf_rows=True).predict_quantiles(frame())


def one_row(cls):
    """Predict one row."""
    fitted(cls).row_predictor()(frame().iloc[0].tolist())


def saved(cls):
    """Write a file and read it."""
    with tempfile.TemporaryDirectory() as folder:
        ramify.save(fitted(cls), f"{folder}/model.ramify")
        ramify.load(f"{folder}/model.ramify")


def export_to(name):
    """Return the probe of an export."""

    def export(cls):
        """Export."""
        ramify.export(fitted(cls), name, certify=False)

    return export


def explained(cls):
    """Explain some rows."""
    ramify.explain(fitted(cls), frame().head(3))


def pruned(cls):
    """Prune."""
    ramify.prune(fitted(cls), "ccp", alpha=0.01)


def viewed(cls):
    """Make the interactive page."""
    model = fitted(cls)
    ramify.view(model, frame(), target(model))


def streamed(cls):
    """Fit out of core."""
    model = make(cls)
    if not hasattr(model, "fit_stream"):
        raise Refused("It has no `fit_stream`: it chooses among several fits.")
    known = model.get_params(deep=False)
    if "bootstrap" in known and known["bootstrap"] is True:
        model.set_params(bootstrap="poisson")
    if "max_bins" in known and known["max_bins"] is None:
        model.set_params(max_bins=255)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/rows.parquet"
        frame().assign(y=target(model)).to_parquet(path)
        model.fit_stream(path, target="y")


def on_cluster(cls):
    """Find the estimator of a cluster."""
    if not hasattr(ramify.dask, cls.__name__):
        raise Refused("There is no estimator of a cluster for it.")


GROUPS = {
    "Learning": {
        "`sample_weight`": weights,
        "missing values": gaps,
        "categories": categories,
        "several outputs": outputs,
        "`warm_start`": warm,
        "`monotonic_cst`": monotone,
        "`fit_stream`": streamed,
        "`ramify.dask`": on_cluster,
    },
    "Predicting": {
        "`oob_score`": out_of_bag,
        "`calibrate`, intervals or sets": confident,
        "the same out of bag": confident_out_of_bag,
        "`leaf_rows`, quantiles": quantiles,
        "`row_predictor`": one_row,
    },
    "Using": {
        "`save`, `load`": saved,
        **{f"export {name}": export_to(name) for name in EXPORTS},
        "`explain`": explained,
        "`prune`": pruned,
        "`view`": viewed,
    },
}


def estimators():
    """Return the public estimators that predict classes or numbers."""
    found = [getattr(ramify, name) for name in ramify.__all__]
    return [
        one
        for one in found
        if isinstance(one, type)
        and hasattr(one, "fit")
        and (is_classifier(one()) or is_regressor(one()))
    ]


def cell(probe, cls):
    """Try a capability; return "" or the sentence of the refusal."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            probe(cls)
    except Refused as why:
        return str(why)
    except AttributeError as why:
        return f"It has no `{why.name}`." if why.name else str(why)
    except (TypeError, ValueError, NotImplementedError) as why:
        return " ".join(str(why).split()).split(" (n_samples")[0]
    return ""


def page():
    """Run all cells; return the page."""
    sentences: dict[str, int] = {}
    parts = []
    kinds = estimators()
    for title, probes in GROUPS.items():
        heads = list(probes)
        lines = [
            f"| estimator | {' | '.join(heads)} |",
            f"| --- {'| --- ' * len(heads)}|",
        ]
        for cls in kinds:
            cells = []
            for probe in probes.values():
                why = cell(probe, cls).replace(cls.__name__, "the estimator")
                if why:
                    number = sentences.setdefault(why, len(sentences) + 1)
                    cells.append(f"[{number}](#why-not)")
                else:
                    cells.append("yes")
            lines.append(f"| `{cls.__name__}` | {' | '.join(cells)} |")
        parts.append(f"## {title}\n\n" + "\n".join(lines))
    listed = "\n".join(f"{i}. {_escaped(text)}" for text, i in sentences.items())
    return f"""<!-- Written by tools/make_capability_table.py; do not edit. -->

# What each estimator can do

Every cell was tried on a small table: "yes" means that it works, a number that the
estimator refused, with the sentence of that number below. `fit_stream` was tried with
`bootstrap="poisson"` and bins.

{chr(10).join(chr(10) + part for part in parts).strip()}

## Why not

{listed}
"""


def _escaped(text):
    """Return a sentence that Markdown shows as it is."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def main():
    """Write the page, or say that it is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    text = page()
    if parser.parse_args().check:
        is_current = PAGE.exists() and PAGE.read_text("utf-8") == text
        return 0 if is_current else "docs/capabilities.md is stale: run this tool"
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
