# SPDX-License-Identifier: BSD-3-Clause
"""One page about a tree to print: picture, heaviest rules, accuracy, and limits."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple

import numpy as np

from ramify.plotting.tree import plot_tree
from ramify.survival.target import read_survival_target
from ramify.tree.inspect import Rule, is_regressor, rules
from ramify.tree.intervals import share_interval
from ramify.tree.moment import as_tree
from ramify.viewer.page import Page

__all__ = ["report"]

_N_RULES = 5
_DRAWN_LEAVES = 12
_FEW_ROWS = 10  # in a leaf: its share is hardly known
_UNSURE = 0.8  # share of the predicted class below which a leaf is unsure
_MAX_NAMES = 12

_STYLE = """
@page { size: A4; margin: 14mm; }
body { font: 11pt/1.4 system-ui, sans-serif; color: #1a1a1a; background: #fff;
  max-width: 50rem; margin: 1.5rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; }
h2 { font-size: 1.05rem; margin: 1.1rem 0 .3rem; break-after: avoid; }
p, ul, ol { margin: .3rem 0; }
li { margin: .25rem 0; }
figure { margin: .6rem 0; text-align: center; break-inside: avoid; }
figure svg { max-width: 100%; height: auto; max-height: 24rem; }
.big { font-size: 1.7rem; font-weight: 600; }
.quiet { color: #555; font-size: .92em; }
li, tr { break-inside: avoid; }
@media print { body { margin: 0; max-width: none; padding: 0; } }
"""


class _Score(NamedTuple):
    """A number for the boss, and the sentence that goes with it."""

    number: str
    words: str


def report(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    title: str | None = None,
) -> Page:
    """Make one page about a tree, to print or to send.

    It has a picture, the rules of the five heaviest leaves, the accuracy with its 95 %
    interval, and what the tree does not know. The page needs no other file, no network
    and no script.

    Parameters
    ----------
    model : DecisionTreeClassifier, DecisionTreeRegressor or SurvivalTree
        A fitted tree.
    X : array, data frame or Table, optional
        Rows to draw and to judge it by; rows that it was not grown on are best. If they
        are its training rows, the page says so, and shows the estimate of ``ramify
        fit``, if the model has one.
    y : array of shape (n_rows,), optional
        Their labels or numbers.
    title : str, optional
        Title of the page.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> from ramify.viewer.printed import report
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = ramify.DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2])
    >>> page = report(model, X[1::2], y[1::2])
    >>> "95 % interval" in page.html
    True
    """
    model = as_tree(model)
    if not hasattr(model, "tree_"):
        raise ValueError(
            f"a report is about one fitted tree, and this is a {type(model).__name__}; "
            "give one of its estimators_, or fit a single tree."
        )
    if getattr(model, "n_outputs_", 1) > 1:
        raise ValueError(
            f"the tree predicts {model.n_outputs_} outputs; a report is about one, so "
            "fit a tree for each."
        )
    if X is None and y is not None:
        raise ValueError("y is given without X; pass the rows, too")
    found = rules(model)
    target = getattr(model, "file_", {}).get("target")
    is_survival = model.tree_.curves is not None
    what = f"when {target!r} happens" if is_survival else repr(target)
    title = title or (f"What decides {what}" if target else "A decision tree")
    score = _score(model, X, y)
    n_leaves = len(found)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">{escape(_origin(model, n_leaves))}</p>',
    ]
    if score is not None:
        parts.append("<h2>How good it is</h2>")
        parts.append(f'<p><span class="big">{escape(score.number)}</span></p>')
        parts.append(f"<p>{escape(score.words)}</p>")
    parts.append("<h2>The tree</h2>")
    parts.append(f"<figure>{_picture(model, X, y)}</figure>")
    parts.append(f"<h2>{_heading(n_leaves)}</h2>")
    parts.append(f"<ol>{''.join(map(_item, _heaviest(found), [model] * 5))}</ol>")
    lines = _limits(model, found, X, None if is_survival else y)
    limits = "".join(f"<li>{escape(line)}</li>" for line in lines)
    parts.append(f"<h2>What the tree does not know</h2><ul>{limits}</ul>")
    body = "\n".join(parts)
    html = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style></head>\n"
        f"<body>\n{body}\n</body></html>\n"
    )
    return Page(html, title)


def _origin(model: Any, n_leaves: int) -> str:
    import ramify  # late: the version is a property of the whole package

    day = getattr(model, "file_", {}).get("fitted", {}).get("date")
    n_rows = int(model.tree_.n_node_samples[0])
    leaves = "1 leaf" if n_leaves == 1 else f"{n_leaves} leaves"
    when = f" on {day}" if day else ""
    return (
        f"A decision tree with {leaves}, grown{when} from {n_rows:,} rows and "
        f"{_columns(model.n_features_in_)} by Ramify {ramify.__version__}."
    )


def _columns(n_columns: int) -> str:
    return "1 column" if n_columns == 1 else f"{n_columns} columns"


def _heading(n_leaves: int) -> str:
    if n_leaves <= _N_RULES:
        return "Its rules"
    return f"The rules of the {_N_RULES} heaviest of its {n_leaves} leaves"


def _heaviest(found: Any) -> list[Rule]:
    return sorted(found, key=lambda rule: -rule.support)[:_N_RULES]


def _item(rule: Rule, model: Any) -> str:
    """Write a rule, how many rows it covers, and how sure it is."""
    text = rule.to_text(max_categories=8).rpartition("  (")[0]
    share = rule.support / float(model.tree_.weighted_n_node_samples[0])
    says = f"{rule.n_rows:,} rows ({share:.1%})"
    if rule.outlook is not None:
        says += f": {rule.outlook.to_text()}"
    if rule.impurity is None and not isinstance(rule.confidence, tuple):
        low, high = rule.interval()
        says += f", right for {rule.confidence:.1%} (95 % interval {low:.0%} to "
        says += f"{high:.0%}) of the training rows"
    return f'<li>{escape(text)}<br><span class="quiet">{escape(says)}</span></li>'


# --- how good ------------------------------------------------------------------------


def _score(model: Any, X: Any, y: Any) -> _Score | None:
    known = getattr(model, "file_", {}).get("fitted", {})
    honest = {
        key: value
        for key, value in known.items()
        if key.startswith(("cross-validated", "held-out"))
    }
    is_training = X is not None and _are_training_rows(model, X)
    if honest and (X is None or y is None or is_training):
        (how, value), *_ = honest.items()
        folds = known.get("folds")
        score = _estimated(model, how, float(value), folds)
        return _beside_the_largest_class(model, score)
    if X is None or y is None:
        return None
    n_rows = len(read_survival_target(y)) if _is_survival(model) else len(np.asarray(y))
    where = "on the rows it was grown on, which is better than on others"
    if not is_training:
        where = f"on {n_rows:,} rows that were given for this page"
    if _is_survival(model):
        return _concordance(float(model.score(X, y)), f"It was measured {where}.")
    given, predicted = np.asarray(y), model.predict(X)
    if is_regressor(model):
        errors = np.abs(predicted - given)
        half = 1.96 * float(errors.std(ddof=1)) / n_rows**0.5 if n_rows > 1 else np.nan
        return _Score(
            f"off by {errors.mean():.4g} on average",
            f"Mean absolute error {where} (95 % interval {errors.mean() - half:.4g} to "
            f"{errors.mean() + half:.4g}); R squared {model.score(X, y):.3f}.",
        )
    right = float((predicted == given).mean())
    score = _Score(f"{right:.1%} right", _with_interval(right, n_rows, where))
    return _beside_the_largest_class(model, score)


def _is_survival(model: Any) -> bool:
    return model.tree_.curves is not None


def _concordance(value: float, how: str) -> _Score:
    return _Score(
        f"concordance {value:.3f}",
        "Of two rows of which one is known to have the event first, so often that one "
        f"has the higher risk (Harrell's C; 0.5 is a guess). {how}",
    )


def _beside_the_largest_class(model: Any, score: _Score) -> _Score:
    """Add how often a guess would be right."""
    if is_regressor(model):
        return score
    shares = model.tree_.value[0, 0]
    largest = int(shares.argmax())
    share = float(shares[largest] / shares.sum())
    return score._replace(
        words=f"{score.words} To always say {str(model.classes_[largest])!r} would be "
        f"right for {share:.1%} of the training rows."
    )


def _estimated(model: Any, how: str, value: float, n_folds: int | None) -> _Score:
    """Return the estimate that fit has made."""
    kind = how.split()[0]
    folds = "cross-validation" if n_folds is None else f"{n_folds} folds"
    what = (
        f"by {folds}, each predicted by a tree that was grown on the others"
        if kind == "cross-validated"
        else "on a third of the rows, by a tree that was grown on the others"
    )
    n_rows = int(model.tree_.n_node_samples[0])
    if _is_survival(model):
        return _concordance(value, f"It was estimated when the tree was grown {what}.")
    if how.endswith("R2"):
        return _Score(f"R squared {value:.3f}", f"Estimated when it was grown {what}.")
    n_tested = n_rows if kind == "cross-validated" else n_rows // 3
    where = f"estimated when it was grown {what}"
    return _Score(f"{value:.1%} right", _with_interval(value, n_tested, where))


def _with_interval(share: float, n_rows: int, where: str) -> str:
    low, high = share_interval(share, n_rows)
    return (
        f"95 % interval {float(low):.1%} to {float(high):.1%}: accuracy {where}. About "
        f"{round((1 - share) * 100)} of 100 such rows are predicted wrongly."
    )


def _are_training_rows(model: Any, X: Any) -> bool:
    """Return whether as many rows reach each leaf as in fit."""
    counts = np.bincount(model.apply(X), minlength=model.tree_.node_count)
    is_leaf = model.tree_.children_left < 0
    return bool((counts == model.tree_.n_node_samples)[is_leaf].all())


# --- what it does not know -----------------------------------------------------------


def _limits(model: Any, found: Any, X: Any, y: Any) -> Iterator[str]:
    """Yield what to keep in mind before somebody acts by the tree."""
    used = {int(j) for j in model.tree_.feature[model.tree_.feature >= 0]}
    names = _names(model)
    if hasattr(model.tree_, "terms") or not used:
        used |= set(np.flatnonzero(model.feature_importances_ > 0).tolist())
    unused = [name for j, name in enumerate(names) if j not in used]
    if unused:
        is_or_are = "is" if len(unused) == 1 else "are"
        yield f"It looks at {len(used)} of {len(names)} columns: {_listed(unused)} " + (
            f"{is_or_are} not used, and may change without any effect on it."
        )
    yield from _on_leaves(model, found)
    yield from _on_rows(model, X, y, names)
    yield (
        "It knows no column that is not in the table, and says what goes together, not "
        "what causes what."
    )


def _names(model: Any) -> list[str]:
    schema = model.schema_
    if schema.has_names:
        return list(schema.names)
    return [f"x{j}" for j in range(model.n_features_in_)]


def _on_leaves(model: Any, found: Any) -> Iterator[str]:
    total = float(model.tree_.weighted_n_node_samples[0])
    few = [rule for rule in found if rule.n_rows < _FEW_ROWS]
    if few:
        leaves = "1 leaf has" if len(few) == 1 else f"{len(few)} leaves have"
        share = sum(rule.support for rule in few) / total
        yield (
            f"{leaves} fewer than {_FEW_ROWS} training rows ({share:.1%} of all): what "
            "it says there rests on single cases."
        )
    if is_regressor(model) or isinstance(found[0].confidence, tuple):
        return
    unsure = [rule for rule in found if rule.confidence < _UNSURE]
    if unsure:
        share = sum(rule.support for rule in unsure) / total
        leaves = "1 leaf" if len(unsure) == 1 else f"{len(unsure)} leaves"
        yield (
            f"In {leaves} with {share:.1%} of the rows fewer than {_UNSURE:.0%} have "
            "the predicted class: there it is unsure."
        )
    said = {rule.prediction for rule in found}
    never = [str(label) for label in model.classes_.tolist() if label not in said]
    if never:
        yield f"It never predicts {_listed(never)}."


def _on_rows(model: Any, X: Any, y: Any, names: list[str]) -> Iterator[str]:
    if X is None:
        yield "No rows were given for this page, so it was not tried on any."
        return
    table = np.asarray(model._prepare(X)[0], dtype=np.float64)
    is_missing = np.isnan(table)
    n_lacking = int(is_missing.any(axis=1).sum())
    holes = [names[j] for j in np.flatnonzero(is_missing.any(axis=0)).tolist()]
    if holes:
        yield (
            f"{_listed(holes)} {'has' if len(holes) == 1 else 'have'} missing values: "
            f"{n_lacking:,} of {len(table):,} rows lack something."
        )
    if y is None or is_regressor(model):
        return
    given, predicted = np.asarray(y), model.predict(X)
    wrong = given != predicted
    if wrong.any():
        pairs, counts = np.unique(
            np.array([given[wrong].astype(str), predicted[wrong].astype(str)]),
            axis=1,
            return_counts=True,
        )
        most = int(counts.argmax())
        true, said = pairs[:, most].tolist()
        n_true = int((given.astype(str) == true).sum())
        yield (
            f"Its most frequent mistake: {counts[most]:,} of the {n_true:,} rows of "
            f"{true!r} are taken for {said!r}."
        )


def _listed(names: list[str]) -> str:
    shown = names[:_MAX_NAMES]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return ", ".join(shown) + more


def _picture(model: Any, X: Any, y: Any) -> str:
    """Draw the tree as SVG."""
    from matplotlib import pyplot

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that a font lacks
        ax = plot_tree(model, X, y, max_leaves=_DRAWN_LEAVES)
        figure: Any = ax.figure
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        pyplot.close(figure)
    svg = text.getvalue()
    return svg[svg.index("<svg") :]
