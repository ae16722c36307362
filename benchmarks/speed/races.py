# SPDX-License-Identifier: BSD-3-Clause
"""What is measured: each row is a race; its first contestant is the base of ratios."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .boosting import BOOSTERS
from .data import Problem, digits, iris, letter
from .forests import FOREST_PEERS
from .numbers import NUMBERS
from .peers import BINS, PEERS, Settings
from .rows import Contestant, Row, Wanted
from .served import SERVED

EXACT_PEERS = ("sklearn", "ydf", "xgboost-exact", "obliquetree")
ALL_PEERS = PEERS | FOREST_PEERS | BOOSTERS | NUMBERS | SERVED
BINNED_PEERS = ("xgboost-hist", "lightgbm")


def all_rows() -> list[Row]:
    def against(sklearn: tuple[float, float], ydf: tuple[float, float] | None) -> Any:
        wanted = {"sklearn": Wanted(sklearn[0], goal=sklearn[1])}
        return wanted | ({"ydf": Wanted(ydf[0], goal=ydf[1])} if ydf else {})

    likewise = against((25, 40), (8, 12))
    million = Problem(1_000_000, n_test=100_000)
    others = ("ydf-forest", "lightgbm-forest", "xgboost-forest")
    return [
        _exact("exact-100k", Problem(100_000), likewise),
        _exact("exact-100k-7", Problem(100_000, n_classes=7), against((15, 25), None)),
        _exact("exact-100k-f64", Problem(100_000, dtype="float64"), likewise),
        _exact("exact-10k", Problem(10_000)),
        _exact("exact-20k-200", Problem(20_000, 200), against((30, 50), (5, 9))),
        _exact(
            "exact-1m", million, against((30, 45), (10, 15)), binned="see binned-full"
        ),
        _exact("exact-digits", digits(), against((8, 12), None)),
        _exact("exact-letter", letter(), against((12, 18), None)),
        _exact("exact-iris", iris(), against((3, 6), None)),
        _threads("threads-100k", Problem(100_000)),
        _threads("threads-1m", million),
        _criteria("criteria-2", Problem(100_000)),
        _criteria("criteria-7", Problem(100_000, n_classes=7)),
        _own("own-2", Problem(100_000)),
        _own("own-7", Problem(100_000, n_classes=7)),
        _predict("predict", Problem(100_000, n_test=100_000)),
        _binned("binned-full", million, None, Wanted(5, goal=8)),
        _binned("binned-255", million, 255, Wanted(1, goal=1.5)),
        _growth("growth", tuple(12_500 * 2**i for i in range(8))),
        _wider("wider", (20, 40, 80, 160)),
        _memory("memory", million),
        *_oblique_rows(),
        _forest(
            "forest-100k",
            Problem(100_000),
            {
                "sklearn-forest": Wanted(12, goal=20),
                "intelex-forest": Wanted(1.8, goal=2.5),
                **dict.fromkeys(others),
            },
        ),
        _forest("forest-digits", digits(), {"sklearn-forest": Wanted(4, goal=6)}),
        _forest(
            "forest-letter",
            letter(),
            {"sklearn-forest": Wanted(5, goal=8)} | dict.fromkeys(others),
        ),
        _forest(
            "extra-100k",
            Problem(100_000),
            {"sklearn-extra": Wanted(4, goal=6)},
            extra=True,
        ),
        *(
            _forest(
                f"extra-{name}",
                problem,
                {"sklearn-extra": Wanted(3, goal=5)},
                extra=True,
            )
            for name, problem in (("digits", digits()), ("letter", letter()))
        ),
        _forest(
            "forest-predict",
            Problem(100_000, n_test=100_000),
            {"sklearn-forest": Wanted(4, goal=6), "intelex-forest": None},
            work="predict",
        ),
        _forest("forest-1m", million, {}, n_trees=50),
        _boosted("boost-100k", Problem(100_000), Settings(max_depth=6, n_rounds=100)),
        _boosted(
            "boost-100k-7",
            Problem(100_000, n_classes=7),
            Settings(max_depth=6, n_rounds=20),
        ),
        _boosted(
            "boost-100k-threads",
            Problem(100_000),
            Settings(max_depth=6, n_rounds=100, n_threads=2),
        ),
        *_number_rows(),
        *_served_rows(),
    ]


def _number_rows() -> list[Row]:
    """Race regression trees, one thread for one tree and two for forests."""
    bounds = {
        "DecisionTree": ("tree", Wanted(12, goal=20), Settings()),
        "RandomForest": ("forest", Wanted(6, goal=10), Settings(n_trees=50)),
        "ExtraTrees": ("extra", Wanted(3, goal=5), Settings(n_trees=50)),
    }
    return [
        Row(
            f"numbers-{name}-{size // 1000}k",
            f"regression trees, full depth, {settings.n_trees} in all, one thread",
            tuple(
                Contestant(
                    NUMBERS[key].label,
                    key,
                    Problem(size, numbers=True),
                    settings,
                    wanted=wanted if key.startswith("sklearn") else None,
                )
                for key in (f"ramify-{kind}", f"sklearn-{kind}")
            ),
        )
        for kind, (name, wanted, settings) in bounds.items()
        for size in (20_000, 100_000)
    ]


def _served_rows() -> list[Row]:
    """Race the answers of finished models: 100,000 rows, and one."""
    models = {
        "tree": ("one tree of depth 12", Settings(max_depth=12)),
        "forest": ("100 trees of depth 12", Settings(max_depth=12, n_trees=100)),
        "boosted": ("100 rounds of depth 6", Settings(max_depth=6, n_rounds=100)),
    }
    wanted = {
        ("one row", "tree", "onnx-served"): Wanted(0.5, goal=1),
        ("one row", "forest", "onnx-served"): Wanted(0.25, goal=1),
        ("one row", "boosted", "onnx-served"): Wanted(0.5, goal=1),
        ("predict", "tree", "sklearn-served"): Wanted(4, goal=6),
        ("predict", "forest", "sklearn-served"): Wanted(4, goal=6),
    }
    rows = []
    for work, many in (("predict", "100,000 rows"), ("one row", "one row")):
        for name, (what, settings) in models.items():
            rows.append(
                Row(
                    f"{work.replace(' ', '-')}-{name}",
                    f"answers of {what} to {many}, one thread",
                    tuple(
                        Contestant(
                            peer.label,
                            key,
                            Problem(100_000, n_test=100_000),
                            settings,
                            work,
                            wanted=wanted.get((work, name, key)),
                        )
                        for key, peer in SERVED.items()
                        if work == "one row" or key != "ramify-row"
                    ),
                )
            )
    return rows


def _boosted(name: str, problem: Problem, settings: Settings) -> Row:
    """Race gradient boosting; twice the best of the others is the aim."""
    return Row(
        name,
        f"gradient boosting, {settings.n_rounds} rounds, depth {settings.max_depth}, "
        f"{BINS} bins, encoding included, {_threads_text(settings)}",
        tuple(
            Contestant(
                peer.label,
                key,
                problem,
                settings,
                wanted=None if key == "ramify-boost" else Wanted(2, goal=3),
            )
            for key, peer in BOOSTERS.items()
        ),
    )


def _oblique_rows() -> list[Row]:
    letters = replace(letter(), has_stand_in=False)
    pendigits = Problem(8_794, 16, 10, "float64", n_test=2_198, file="pendigits")
    mnist = Problem(70_000, 784, 10, n_test=0, file="mnist")
    satimage = Problem(6_435, 36, 6, "float64", n_test=0, file="satimage")
    wodt, wodt_two = Settings(method="wodt"), Settings(method="wodt", n_threads=2)
    yardstick = {"scipy": Wanted(30), "ydf": None}
    return [
        _oblique("oblique-letter", letters, wodt, yardstick),
        _oblique("oblique-pendigits", pendigits, wodt, yardstick),
        _oblique(
            "oblique-digits", digits(), wodt, {"obliquetree": Wanted(50), "ydf": None}
        ),
        _oblique(
            "oblique-mnist", mnist, replace(wodt_two, max_depth=2), {"scipy": Wanted(2)}
        ),
        _oblique("oblique-mnist-full", mnist, wodt_two, {}, seconds=240),
        _climbing(
            "oblique-climb-pendigits", replace(pendigits, n_rows=10_992, n_test=0), 20
        ),
        _climbing("oblique-climb-satimage", satimage, 40),
    ]


def _oblique(
    name: str,
    problem: Problem,
    settings: Settings,
    peers: dict[str, Wanted | None],
    seconds: float | None = None,
) -> Row:
    """Race WODT against other oblique trees, or only against the clock."""
    size = f"depth {settings.max_depth}" if settings.max_depth else "full depth"
    base = Wanted(seconds=seconds) if seconds else None
    return Row(
        name,
        f"oblique tree, {size}, {_threads_text(settings)}",
        tuple(
            Contestant(PEERS[peer].label, peer, problem, settings, wanted=wanted)
            for peer, wanted in {"ramify": base, **peers}.items()
        ),
    )


def _climbing(name: str, problem: Problem, oc1_seconds: float) -> Row:
    bounds = {"oc1": oc1_seconds, "cart_lc": 5.0}
    return Row(
        name,
        "trees that climb one coefficient at a time, full depth, two threads",
        tuple(
            Contestant(
                method,
                "ramify",
                problem,
                Settings(method=method, n_threads=2),
                wanted=Wanted(seconds=seconds),
            )
            for method, seconds in bounds.items()
        ),
    )


def _threads_text(settings: Settings) -> str:
    return "one thread" if settings.n_threads == 1 else f"{settings.n_threads} threads"


def _exact(
    name: str,
    problem: Problem,
    wanted: dict[str, Wanted] | None = None,
    binned: str = "",
) -> Row:
    return Row(
        name,
        "exact tree to full depth, one thread",
        tuple(
            Contestant(
                PEERS[peer].label,
                peer,
                problem,
                wanted=(wanted or {}).get(peer),
                not_run=binned if peer in BINNED_PEERS else "",
            )
            for peer in ("ramify", *EXACT_PEERS, *BINNED_PEERS)
        ),
    )


def _threads(name: str, problem: Problem) -> Row:
    two, one = (
        Contestant(
            label, "ramify", problem, Settings(n_threads=n), wanted=w, same_tree=True
        )
        for label, n, w in (
            ("two threads", 2, None),
            ("one thread", 1, Wanted(1.7)),
        )
    )
    return Row(name, "two threads against one", (two, one))


def _criteria(name: str, problem: Problem) -> Row:
    others = [c for c in _criterion_names() if c != "gini"]
    return Row(
        name,
        "every criterion against gini",
        tuple(
            Contestant(c, "ramify", problem, Settings(criterion=c), wanted=w)
            for c, w in [("gini", None), *((c, Wanted(at_most=2)) for c in others)]
        ),
    )


def _criterion_names() -> list[str]:
    try:
        from ramify import criteria
    except ImportError:
        return ["entropy", "and all others"]  # shown as not installed
    return list(criteria.names())


def _own(name: str, problem: Problem) -> Row:
    bounds = {
        **{"ramify-numpy": 6.0, "ramify-numba": 2.0, "ramify-c": 2.0},
        **{"ramify-numpy-convex": 6.0, "ramify-c-convex": 2.0},
    }
    own = tuple(
        Contestant(
            PEERS[peer].label,
            peer,
            problem,
            wanted=Wanted(at_most=bound),
            same_tree=True,
        )
        for peer, bound in bounds.items()
    )
    base = Contestant("built-in gini", "ramify", problem)
    return Row(name, "a user's gini against the built-in one", (base, *own))


def _predict(name: str, problem: Problem) -> Row:
    return Row(
        name,
        "predict the test rows with one full tree, one thread",
        tuple(
            Contestant(
                PEERS[peer].label,
                peer,
                problem,
                work="predict",
                wanted=Wanted(4, goal=6) if peer == "sklearn" else None,
            )
            for peer in ("ramify", *EXACT_PEERS)
        ),
    )


def _binned(name: str, problem: Problem, max_leaves: int | None, wanted: Wanted) -> Row:
    size = "full depth" if max_leaves is None else f"{max_leaves} leaves"
    settings = Settings(max_bins=BINS, max_leaves=max_leaves)
    return Row(
        name,
        f"{BINS} bins, {size}, encoding included, one thread",
        tuple(
            Contestant(
                PEERS[peer].label,
                peer,
                problem,
                settings,
                wanted=None if peer == "ramify" else wanted,
            )
            for peer in ("ramify", *BINNED_PEERS, "ydf")
        ),
    )


def _growth(name: str, sizes: tuple[int, ...]) -> Row:
    return Row(
        name,
        "doubling the rows; ratio to the line above",
        tuple(
            Contestant(
                f"{n // sizes[0]}x the rows",
                "ramify",
                Problem(n),
                wanted=Wanted(at_most=2.2) if n > sizes[0] else None,
            )
            for n in sizes
        ),
        ratio_to_previous=True,
    )


def _wider(name: str, widths: tuple[int, ...]) -> Row:
    return Row(
        name,
        "doubling the columns; ratio to the line above",
        tuple(
            Contestant(
                f"{n} columns",
                "ramify",
                Problem(50_000, n),
                wanted=Wanted(at_most=2.1) if n > widths[0] else None,
            )
            for n in widths
        ),
        ratio_to_previous=True,
    )


def _memory(name: str, problem: Problem) -> Row:
    variants = {
        "exact": Settings(),
        "exact, two threads": Settings(n_threads=2),
        f"{BINS} bins": Settings(max_bins=BINS),
    }
    return Row(
        name,
        "peak memory of a fit within 15 bytes per cell",
        tuple(
            Contestant(label, "ramify", problem, settings, bound_memory=True)
            for label, settings in variants.items()
        ),
    )


def _forest(
    name: str,
    problem: Problem,
    peers: Mapping[str, Wanted | None],
    work: str = "fit",
    n_trees: int = 100,
    extra: bool = False,
) -> Row:
    """Race random forests of full depth, or extra trees, or their predictions."""
    settings = Settings(n_threads=2, n_trees=n_trees)
    what = "extra trees" if extra else "random forest"
    if work == "predict":
        what = "predict the test rows"
    return Row(
        name,
        f"{what}, {n_trees} trees of full depth, two threads",
        tuple(
            Contestant(
                FOREST_PEERS[peer].label,
                peer,
                problem,
                settings,
                work,
                wanted=peers.get(peer),
            )
            for peer in ("ramify-extra" if extra else "ramify-forest", *peers)
        ),
    )
