# SPDX-License-Identifier: BSD-3-Clause
"""Published methods that grow one tree: name → estimator, parameters, reference."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import is_regressor

from ramify import criteria
from ramify.criteria import catalogue
from ramify.criteria.entry_points import EntryPoints
from ramify.estimators.tree.classifier import DecisionTreeClassifier
from ramify.estimators.tree.model_tree import ModelTreeRegressor
from ramify.estimators.tree.model_tree_parameters import LINE_METHODS
from ramify.estimators.tree.oblique import ObliqueTreeClassifier
from ramify.estimators.tree.oblique_parameters import method_params
from ramify.estimators.tree.one_vs_rest import OneVsRestTreeClassifier
from ramify.estimators.validation.parameters import splitter_params
from ramify.messages import did_you_mean

__all__ = [
    "PLUGINS",
    "TREE_METHODS",
    "Method",
    "are_alike",
    "method_of",
    "note",
    "unknown_method",
]

# Methods of other packages.
PLUGINS = EntryPoints("ramify.methods")


@dataclass(frozen=True)
class Method:
    """A published way to grow trees, as parameters of an estimator.

    Attributes
    ----------
    name : str
        Short name.
    summary : str
        What it does, in one sentence.
    reference : str
        Where it was published.
    parameters : mapping
        What is passed to the estimator; all else is the estimator's default.
    estimator : type
        The estimator that runs it.
    interpretation : bool
        Whether this is Ramify's reading of a paper whose formulas are not available;
        it does not claim to reproduce that paper.
    multiclass : {"native", "ova"}
        How more than two classes are handled: by the tree itself, or by one tree per
        class against the rest (`ramify.estimators.tree.one_vs_rest`).
    is_usual : bool
        Whether a comparison that names no methods takes it: of each family those that
        stand for it.
    bibtex : str
        What `ramify.cite` returns, if the reference is not enough.
    task : {"classes", "numbers", "both"}
        What is predicted.
    """

    name: str
    summary: str
    reference: str
    parameters: Mapping[str, Any]
    estimator: type[Any] = DecisionTreeClassifier
    interpretation: bool = False
    multiclass: str = "native"
    is_usual: bool = True
    bibtex: str = ""
    task: str = "classes"

    @property
    def settings(self) -> dict[str, Any]:
        """The method's own parameters and their values, such as k, w2 or alpha."""
        tree = {**self.parameters}
        own: dict[str, Any] = {}
        for place, known in self._own(tree).items():
            own |= known | (tree.get(place) or {})
        taken = inspect.signature(self.estimator).parameters  # by the estimator
        return {name: value for name, value in own.items() if name not in taken}

    def make(self, **overrides: Any) -> Any:
        """Return an estimator that is ready to be fitted.

        Parameters
        ----------
        **overrides
            Parameters of the estimator, or of the method (see `settings`): those of its
            criterion go into ``criterion_params``, those of its splitter into
            ``splitter_params``, those of an oblique method into ``method_params``. A
            method that is defined for two classes takes
            ``multiclass="ova"|"native"``.
        """
        way = self._multiclass(overrides)
        tree = copy.deepcopy(dict(self.parameters))
        if "criterion" in overrides:  # the preset numbers are not for another criterion
            tree.pop("criterion_params", None)
        tree_keys = inspect.signature(self.estimator).parameters
        if "random_state" not in tree_keys:  # it draws nothing, and needs no seed
            overrides.pop("random_state", None)
        tree |= {key: value for key, value in overrides.items() if key in tree_keys}
        rest = {key: overrides[key] for key in overrides if key not in tree_keys}
        for place, known in self._own(tree).items():
            own = {key: rest.pop(key) for key in list(rest) if key in known}
            if own:
                tree[place] = {**(tree.get(place) or {}), **own}
        if rest:
            raise TypeError(self._why_unknown(next(iter(rest)), tree_keys))
        if "criterion" in tree and "criterion_params" in tree_keys:
            catalogue.resolve(tree["criterion"], tree.get("criterion_params"))
        made = self.estimator(**tree)
        return OneVsRestTreeClassifier(made) if way == "ova" else made

    def _multiclass(self, overrides: dict[str, Any]) -> str:
        if self.multiclass == "native":
            return "native"
        way = overrides.pop("multiclass", self.multiclass)
        if way not in ("ova", "native"):
            raise ValueError(f"multiclass={way!r} is unknown; use 'ova' or 'native'")
        return str(way)

    def _own(self, tree: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return what can be set, by the parameter of the estimator that holds it."""
        taken = inspect.signature(self.estimator).parameters
        if issubclass(self.estimator, ModelTreeRegressor):
            settings = LINE_METHODS[self.parameters["method"]]
            return {
                "method_params": {key: usual for key, (usual, _) in settings.items()}
            }
        if "criterion_params" not in taken:  # an estimator of another package
            return {}
        own = {
            "criterion_params": catalogue.parameters_of(tree.get("criterion", "gini"))
        }
        if "method" in tree:
            plain = self.estimator(method=tree["method"])
            return own | {"method_params": method_params(plain)}
        if "splitter" not in taken:
            return own
        plain = self.estimator(splitter=tree.get("splitter", "best"))
        return own | {"splitter_params": splitter_params(plain)}

    def _why_unknown(self, key: str, tree_keys: Mapping[str, Any]) -> str:
        own = self.settings
        extra = [] if self.multiclass == "native" else ["multiclass"]
        hint = did_you_mean(key, [*own, *extra, *tree_keys])
        listing = ", ".join([*own, *extra])
        have = f"its own are {listing}" if listing else "it has none of its own"
        return (
            f"method {self.name!r} has no parameter {key!r}{hint} ({have}; it takes "
            f"those of {self.estimator.__name__}, too)"
        )


def method_of(name: str, given: Any) -> Method:
    """Return an estimator as a method: its class, and what differs from defaults."""
    if isinstance(given, Method):
        return replace(given, name=name)
    kind = given if isinstance(given, type) else type(given)
    if not hasattr(kind, "fit") or not hasattr(kind, "get_params"):
        raise TypeError(
            f"{given!r} is no method; give an estimator with fit and get_params, or a "
            "ramify.methods.Method"
        )
    if is_regressor(given() if isinstance(given, type) else given):
        raise TypeError(f"{kind.__name__} predicts numbers; a method predicts classes")
    parameters = {}
    if not isinstance(given, type):
        defaults = inspect.signature(kind).parameters
        parameters = {
            key: value
            for key, value in given.get_params(deep=False).items()
            if repr(value) != repr(defaults[key].default)
        }
    said = (inspect.getdoc(kind) or "").partition("\n\n")[0]
    return Method(name, " ".join(said.split()), "", parameters, estimator=kind)


def are_alike(one: Method, other: Method) -> bool:
    """Return whether two methods have the same estimator and parameters."""

    def description(method: Method) -> tuple[str, str, str]:
        kind = method.estimator
        return kind.__module__, kind.__qualname__, repr(dict(method.parameters))

    return description(one) == description(other)


def unknown_method(name: str, known: Collection[str]) -> ValueError:
    """Say that there is no method of that name, and which may be meant."""
    if PLUGINS.why_not(name):
        return ValueError(f"method {name!r} {PLUGINS.why_not(name)}")
    hint = did_you_mean(name, known, "{} ")
    return ValueError(
        f"method {name!r} is unknown; {hint}ramify.methods.names() lists them."
    )


def _by_criterion(name: str, criterion: str, **parameters: Any) -> Method:
    """Return a method that is a criterion and perhaps a few parameters."""
    known = criteria.get(criterion)
    return Method(
        name,
        known.summary,
        known.reference,
        {"criterion": criterion, **parameters},
    )


def _oblique(
    name: str,
    summary: str,
    reference: str,
    criterion: str = "entropy",
    interpretation: bool = False,
    **parameters: Any,
) -> Method:
    """Return a method that splits by hyperplanes."""
    return Method(
        name,
        summary,
        reference,
        {"method": name, "criterion": criterion, **parameters},
        estimator=ObliqueTreeClassifier,
        interpretation=interpretation,
    )


def _by_expression(
    name: str,
    expression: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    multiclass: str = "native",
) -> Method:
    """Return a method that is a named expression of criteria and measures."""
    known = criteria.registered(expression or name)
    return Method(
        name,
        known.summary,
        known.reference,
        {"criterion": known.name, **(parameters or {})},
        interpretation=known.interpretation,
        multiclass=multiclass,
    )


# What the paper on structure and purity does: thresholds are values of the data, and
# a node whose chosen cut leaves a child of fewer than two rows becomes a leaf.
_WODT_PAPER = "Yang, Shen, Gao (2019), Weighted Oblique Decision Trees"
_OC1_PAPER = (
    "Murthy, Kasif, Salzberg (1994), A System for Induction of Oblique Decision Trees"
)
_CART_BOOK = (
    "Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees, "
    "chapter 5"
)
_CO2_PAPER = (
    "Norouzi et al. (2015), CO2 Forest: Improved Random Forest by Continuous "
    "Optimization of Oblique Splits"
)
_ROTATION_PAPER = (
    "Rodríguez, Kuncheva, Alonso (2006), Rotation Forest: A New Classifier Ensemble "
    "Method"
)
_STRUCTURE = {"threshold": "value", "leaf_rule": "give_up", "min_samples_leaf": 2}
_C45_RULES = {"threshold_cost": True, "average_gain": True, "min_branch": True}

_C45 = {
    "criterion": "gain_ratio",
    "criterion_params": _C45_RULES,
    "categories": "multiway",
    "missing": "fractional",
    "unseen": "parent",
}


def _j48(
    name: str, summary: str, parameters: dict[str, Any], interpretation: bool = False
) -> Method:
    """Return C4.5 with the branches and thresholds of J48, and its pruning."""
    return Method(
        name,
        summary,
        "Quinlan (1993), C4.5: Programs for Machine Learning; Witten, Frank, Hall "
        "(2011), Data Mining",
        {
            **_C45,
            "categories": "multiway_all",
            "threshold": "data",
            "prune": "ebp",
            **parameters,
        },
        interpretation=interpretation,
    )


# Those that others stand for in a comparison that names no methods: of linear fits
# ridge and logistic do, of tests ctree, of a method its plain form.
_UNUSUAL = (
    *("j48", "c45_r8", "c44", "vfc45", "cart_1se", "rpart", "spes2", "guide"),
    *("wodt_l1", "oc1r", "cart_lcr", "co2r", "random_sparse", "cca", "svm", "mpsvm"),
    *("hhcart", "pptree", "cart_elc", "heterogeneous", "rotation"),
)


def _as_published(method: Method) -> Method:
    """Let a node without gain be a leaf, which all published methods do."""
    parameters = {**method.parameters, "zero_gain": "stop"}
    is_usual = method.name not in _UNUSUAL
    return replace(method, parameters=parameters, is_usual=is_usual)


TREE_METHODS: dict[str, Method] = {
    method.name: _as_published(method)
    for method in (
        Method(
            "id3",
            "Information gain, one branch per category, no pruning.",
            "Quinlan (1986), Induction of Decision Trees",
            {"criterion": "entropy", "categories": "multiway"},
        ),
        Method(
            "c45",
            "Gain ratio with the rules of release 8, one branch per category, "
            "fractional missing values; not pruned.",
            "Quinlan (1993), C4.5: Programs for Machine Learning; Quinlan (1996), "
            "Improved Use of Continuous Attributes in C4.5",
            _C45,
        ),
        _j48("j48", "WEKA's default tree: C4.5 pruned by error-based pruning.", {}),
        _j48(
            "c45_r8",
            "The tree of Quinlan's own program, pruned with its error bound (an "
            "interpretation: that program was not run).",
            {"prune_params": {"bound": "c45"}},
            interpretation=True,
        ),
        Method(
            "c44",
            "C4.5 without collapsing and pruning, with Laplace-smoothed leaves: for "
            "probabilities and AUC.",
            "Provost, Domingos (2003), Tree Induction for Probability-Based Ranking",
            {**_C45, "laplace": True},
        ),
        Method(
            "vfc45",
            "Very Fast C4.5: C4.5 with the mean and the median of a column in the node "
            "as its only candidate thresholds.",
            "Cherfi, Nouira, Ferchichi (2018), Very Fast C4.5 Decision Tree Algorithm, "
            "Applied Artificial Intelligence 32(2), 119-137, "
            "doi:10.1080/08839514.2018.1447479",
            {**_C45, "splitter": "central"},
        ),
        _by_criterion("cart", "gini"),
        Method(
            "cart_1se",
            "CART as in the book: Gini, pruned to the smallest tree within one "
            "standard error of the best by ten-fold cross-validation.",
            _CART_BOOK.replace("chapter 5", "chapters 3 and 11"),
            {"criterion": "gini", "prune": "ccp_cv"},
        ),
        Method(
            "rpart",
            "The default tree of R's rpart: Gini, minsplit = 20, cp = 0.01; no "
            "surrogates.",
            "Therneau, Atkinson (1997), An Introduction to Recursive Partitioning "
            "Using the RPART Routines",
            {
                "criterion": "gini",
                "min_samples_split": 20,
                "min_samples_leaf": 7,
                "max_depth": 30,
                "prune": "ccp",
                "prune_params": {"cp": 0.01, "risk": "error", "links": "rpart"},
            },
        ),
        _by_criterion("misclassification", "misclassification"),
        _by_criterion("twoing", "twoing"),
        _by_criterion("cart_measure", "cart_measure"),
        _by_criterion("dcsm", "dcsm"),
        _by_criterion("hddt", "hellinger", laplace=True),
        _by_criterion("ccpdt", "ccp_entropy"),
        _by_criterion("ihd", "ihd"),
        _by_criterion("ihdw", "ihdw"),
        Method(
            "chaid",
            "Merges categories that do not differ significantly, and splits the column "
            "with the smallest adjusted p-value into all its groups.",
            "Kass (1980), An Exploratory Technique for Investigating Large Quantities "
            "of Categorical Data",
            {"splitter": "chaid"},
        ),
        Method(
            "quest",
            "Selects the column by tests of means and spreads, and its threshold by "
            "quadratic discriminant analysis.",
            "Loh, Shih (1997), Split Selection Methods for Classification Trees",
            {"splitter": "quest"},
        ),
        Method(
            "ctree",
            "Conditional inference: selects the column by the p-value of a permutation "
            "test, splits it by the same statistic, and stops when nothing is "
            "significant.",
            "Hothorn, Hornik, Zeileis (2006), Unbiased Recursive Partitioning: A "
            "Conditional Inference Framework",
            {"splitter": "ctree", "min_samples_split": 20, "min_samples_leaf": 7},
        ),
        Method(
            "guide",
            "Selects the column by chi-square tests of a few groups of its values, and "
            "its cut by Gini.",
            "Loh (2009), Improving the Precision of Classification Trees",
            {"splitter": "guide", "criterion": "gini"},
        ),
        Method(
            "dgmml",
            "Selects the column whose class means lie farthest apart relative to the "
            "spread within classes, and splits it between the classes.",
            "Li, Chen (2022), A Novel Splitting Criterion Inspired by Geometric Mean "
            "Metric Learning for Decision Tree",
            {"splitter": "dgmml"},
        ),
        _by_expression("bnm", "bnm_gini", _STRUCTURE),
        _by_expression("csn", "csn_gini", _STRUCTURE),
        _by_expression("bnm_csn", None, _STRUCTURE),
        _by_expression("segment_c45"),
        _by_expression("spes"),
        _by_expression("spes2"),
        _by_expression("spce", multiclass="ova"),
        _by_expression("adadt"),
        _by_expression("cv_id3"),
        _by_expression("fr_id3"),
        _by_expression("isat"),
        _by_expression("scaff"),
        _oblique(
            "wodt",
            "Minimises the entropy of the children under soft (sigmoid) assignment of "
            "rows, then splits by the sign of the linear combination.",
            _WODT_PAPER,
        ),
        _oblique(
            "wodt_l1",
            "WODT with an L1 penalty, so that splits combine few columns.",
            _WODT_PAPER + "; the penalty is its stated future work",
        ),
        _oblique(
            "oc1",
            "Hill climbing, one coefficient at a time, from the best axis-parallel "
            "split, with random perturbations and restarts.",
            _OC1_PAPER,
        ),
        _oblique("oc1r", "OC1 with random starts only.", _OC1_PAPER),
        _oblique(
            "cart_lc",
            "Changes one coefficient at a time, from the best axis-parallel split, "
            "until a cycle no longer improves it.",
            _CART_BOOK,
        ),
        _oblique("cart_lcr", "CART-LC with a random start.", _CART_BOOK),
        _oblique(
            "co2",
            "Gradient descent on an upper bound of the loss of a single split, from "
            "the best axis-parallel split.",
            _CO2_PAPER,
        ),
        _oblique("co2r", "CO2 with a random start.", _CO2_PAPER),
        _oblique(
            "dgmml_mdt",
            "Weights each column by the distance of its class means relative to the "
            "spread within classes, and splits the linear combination between the "
            "classes.",
            "Li, Chen (2022), A Novel Splitting Criterion Inspired by Geometric Mean "
            "Metric Learning for Decision Tree",
            criterion="gini",
        ),
        _oblique(
            "fisher",
            "Splits along Fisher's linear discriminant of two classes or two groups of "
            "classes (an interpretation: the paper's formulas are not available).",
            "López-Chau et al. (2013), Fisher's decision tree",
            interpretation=True,
        ),
        _oblique(
            "random_sparse",
            "Uses the best of random directions that combine few columns.",
            "Breiman (2001), Random Forests; Tomita et al. (2020), Sparse Projection "
            "Oblique Randomer Forests",
        ),
        _oblique(
            "ridge",
            "Splits along the ridge regression of each class against the rest on "
            "standardised columns; the best one wins.",
            "Menze et al. (2011), On Oblique Random Forests",
        ),
        _oblique(
            "logistic",
            "Splits along the penalised logistic regression of each class against the "
            "rest; the best one wins.",
            "Truong (2009), Fast Growing and Interpretable Oblique Trees via Logistic "
            "Regression Models",
        ),
        _oblique(
            "svm",
            "Splits along the linear SVM (squared hinge) of each class against the "
            "rest; the best one wins.",
            "Montañana, Gámez, Puerta (2021), STree: A Single Multi-class Oblique "
            "Decision Tree Based on Support Vector Machines",
        ),
        _oblique(
            "mpsvm",
            "Splits along the bisector of two planes, each close to one group of "
            "classes and far from the other.",
            "Manwani, Sastry (2012), Geometric Decision Tree; Zhang, Suganthan (2015), "
            "Oblique Decision Tree Ensemble via Multisurface Proximal Support Vector "
            "Machine",
        ),
        _oblique(
            "hhcart",
            "Splits after a Householder reflection that aligns a class's principal "
            "axis with a coordinate axis.",
            "Wickramarachchi et al. (2016), HHCART: An Oblique Decision Tree",
        ),
        _oblique(
            "cca",
            "Splits along the canonical correlation directions of columns and classes.",
            "Rainforth, Wood (2015), Canonical Correlation Forests",
        ),
        _oblique(
            "pptree",
            "Projection pursuit: splits along the discriminant of two groups of "
            "classes, separated at the largest gap of the best overall projection.",
            "Lee, Cook, Park, Lee (2013), PPtree: Projection Pursuit Classification "
            "Tree",
        ),
        _oblique(
            "cart_elc",
            "Exhaustive search of hyperplanes through a few rows in as many columns.",
            "Laack (2025), CART-ELC: Oblique Decision Tree Induction via Exhaustive "
            "Search",
        ),
        _oblique(
            "heterogeneous",
            "Several linear methods propose a split in each node; the best gain wins.",
            "Katuwal, Suganthan, Zhang (2020), Heterogeneous Oblique Random Forest",
        ),
        _oblique(
            "rotation",
            "Rotates the columns in random groups of three to the principal axes of "
            "sampled rows, then splits one rotated column at a time: a tree of a "
            "rotation forest.",
            _ROTATION_PAPER,
            scale=None,
        ),
    )
}


def note(methods: Mapping[str, Method]) -> None:
    """Let errors that meet a method instead of a criterion say what makes it."""
    catalogue.note_methods({name: _made_by(each) for name, each in methods.items()})


def _made_by(method: Method) -> str:
    make_it = f"ramify.methods.make({method.name!r})"
    if method.estimator is not ObliqueTreeClassifier:
        return make_it
    return f"ObliqueTreeClassifier(method={method.name!r}) or {make_it}"


note(TREE_METHODS)
