# SPDX-License-Identifier: BSD-3-Clause
"""Which criteria are relatives: families, laws, and names that add nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ramify.criteria.builtin import REGISTRY
from ramify.criteria.regression import for_regression, number_names

__all__ = ["CriteriaMap", "Place", "family_map"]

# Families in the order of the map, and what their members are made of. A criterion
# names its own in `CriterionInfo` (core/criteria).
FAMILIES: dict[str, str] = {
    "power sums": "decrease of an entropy made of sums of p^q",
    "children against the parent": "divergence of the children from the node",
    "distance times balance": "distance of the two children, times rho_L rho_R",
    "branch distributions": "distances between class-conditional branch distributions",
    "normalised gain": "information gain, divided",
    "Bayesian and MDL scores": (
        "Bayesian and MDL scores, most with a built-in stopping rule; corrected "
        "estimates"
    ),
    "given class shares": "entropies whose maximum is not at equal shares",
    "ordered classes": "distances between ordered classes",
    "class counts": "the number of classes of a child, or its majority",
    "uplift": "treated against untreated rows",
    "regression": "regression losses",
}

# What a criterion is, exactly, as a member of a family.
LAWS: dict[str, tuple[str, ...]] = {
    "gini": ("tsallis(q=2)", "sharma_mittal(q=2, r=2)", "two_power(a=1, b=2)"),
    "entropy": (
        "tsallis(q=1) / ln 2",
        "renyi(q=1)",
        "alpha_divergence(alpha=1) / ln 2",
    ),
    "tsallis": ("sharma_mittal(q=q, r=q)", "two_power(a=1, b=q)"),
    "renyi": ("sharma_mittal(q=q, r=1) / ln 2",),
    "dkm": ("sharma_mittal(q=0.5, r=0)",),
    "misclassification": ("the limit q -> infinity of sharma_mittal(q, 2 - 1/q)",),
    "ihd": ("alpha_divergence(alpha=0.5) / 4",),
    "chi2": ("2 n alpha_divergence(alpha=2)",),
    "mpi": ("chi2 * branch_balance / (4 n)",),
    "mdl": ("bayes(alpha=1)",),
    "tsallis_ratio": ("gain_ratio, if q = 1",),
    "credal_gain": ("entropy, if s = 0",),
    "credal_ratio": ("gain_ratio, if s = 0",),
    "symmetric_tau": ("(gini + 2 mpi) / (G(S) + 2 rho_L rho_R)",),
    "tweedie": ("squared_error / 2, poisson, gamma for power = 0, 1, 2",),
    "negative_binomial": ("poisson, as dispersion -> 0",),
}

# With two classes these put the cuts of a node into the same order.
ALIKE: tuple[tuple[str, ...], ...] = (
    ("ks", "mpi", "cart_measure", "class_auc", "balanced(cart_measure)"),
    ("dkm", "hellinger", "balanced(dkm)"),
    (
        *("gini", "twoing", "ordinal_gini", "chi2", "symmetric_tau"),
        *("tsallis(q=2)", "alpha_divergence(alpha=2)"),
        "asymmetric_entropy(prior=(0.5, 0.5))",
    ),
    (
        *("entropy", "tsallis(q=1)", "renyi(q=1)", "alpha_divergence(alpha=1)"),
        "off_centred_entropy(prior=(0.5, 0.5))",
    ),
    ("ihd", "alpha_divergence(alpha=0.5)"),
)

# Names of the literature that are, or order cuts as, something that is there.
NAMES_THAT_ADD_NOTHING: dict[str, str] = {
    "G statistic, likelihood-ratio chi-square": "2 n ln 2 times entropy",
    "p-value of chi-square or G of a binary split": "order of chi2, or of entropy",
    "Cramér's V, Tschuprow's T, phi squared": "order of chi2",
    "Goodman and Kruskal's tau": "gini / G(S)",
    "Goodman and Kruskal's lambda": "misclassification / E(S)",
    "normalised gain, balanced information gain": "entropy, for binary cuts",
    "symmetric uncertainty": "order of mantaras",
    "Jensen-Shannon divergence of the children": "entropy",
    "AUC split": "(1 + ks) / 2",
    "Youden's J; Euclidean or total-variation distance of two classes' branch "
    "distributions": "ks",
    "Baim's relevance": "ks / (K - 1)",
    "Bhattacharyya distance of two classes' branch distributions": "order of hellinger",
    "Freeman-Tukey statistic": "8 n ihd",
    "J-measure averaged over branches": "entropy",
    "class-weighted or uniform-prior criteria": "balanced(criterion)",
}


@dataclass(frozen=True)
class Place:
    """Where a criterion is on the map.

    Attributes
    ----------
    name, family : str
        What it is called, and what its relatives are.
    parameters : dict
        Names and defaults.
    laws : tuple of str
        What it equals exactly, as a member of a family.
    alike : tuple of str
        What puts the cuts of a node with two classes into the same order.
    is_quasi_convex, counts, is_ordered, ignores_class_weights : bool
        Properties, with the default parameters. `counts`: a weight is a number of rows.
    """

    name: str
    family: str
    parameters: dict[str, object]
    laws: tuple[str, ...]
    alike: tuple[str, ...]
    is_quasi_convex: bool
    counts: bool
    is_ordered: bool
    ignores_class_weights: bool


@dataclass(frozen=True)
class CriteriaMap:
    """All criteria with their relatives; a sequence of `Place`.

    Attributes
    ----------
    places : tuple of Place
        One per criterion, family by family.
    families : dict
        What the members of each family are made of.
    names_that_add_nothing : dict
        Names of the literature, and what is the same.
    """

    places: tuple[Place, ...]
    families: dict[str, str]
    names_that_add_nothing: dict[str, str]

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[Place]:
        return iter(self.places)

    def __getitem__(self, name: str) -> Place:
        for place in self.places:
            if place.name == name:
                return place
        raise KeyError(name)

    def __str__(self) -> str:
        lines = []
        for family, words in self.families.items():
            lines += ["", f"{family}: {words}"]
            for place in self.places:
                if place.family != family:
                    continue
                given = ", ".join(f"{k}={v!r}" for k, v in place.parameters.items())
                name = f"{place.name}({given})" if given else place.name
                notes = [f"= {law}" for law in place.laws]
                if place.alike:
                    notes.append(f"two classes: orders as {place.alike[0]}")
                if place.ignores_class_weights:
                    notes.append("ignores class weights")
                lines.append(f"  {name:<44} {'; '.join(notes)}".rstrip())
        lines += ["", "names that add nothing:"]
        for name, same in self.names_that_add_nothing.items():
            lines.append(f"  {name}: {same}")
        return "\n".join(lines[1:])


def family_map() -> CriteriaMap:
    """Return the map of criteria: families, parameters, laws and relatives.

    Examples
    --------
    >>> import ramify
    >>> found = ramify.criteria.family_map()
    >>> found["dkm"].family
    'power sums'
    >>> found["dkm"].alike
    ('hellinger', 'balanced(dkm)')
    >>> found.names_that_add_nothing["Freeman-Tukey statistic"]
    '8 n ihd'
    """
    order = list(FAMILIES)
    places = []
    for name, criterion in REGISTRY.items():
        properties = criterion.properties
        group = next((each for each in ALIKE if name in each), ())
        # With two classes, pairs of classes and one against the rest are the same.
        places.append(
            Place(
                name,
                criterion.family,
                {each.name: each.default for each in criterion.parameters},
                LAWS.get(name, ()),
                tuple(other for other in group if other != name),
                properties["is_quasi_convex"],
                properties["counts"],
                properties["is_ordered"],
                properties["ignores_class_weights"],
            )
        )
    for name in number_names():
        known: Any = for_regression(name)
        exact = known.is_exact_for_categories
        laws = LAWS.get(name, ())
        params = dict(known.params)
        places.append(
            Place(name, known.family, params, laws, (), exact, False, False, False)
        )
    places.sort(key=lambda place: (order.index(place.family), place.name))
    return CriteriaMap(tuple(places), dict(FAMILIES), dict(NAMES_THAT_ADD_NOTHING))
