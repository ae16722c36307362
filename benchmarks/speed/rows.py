# SPDX-License-Identifier: BSD-3-Clause
"""What is measured: each row is a race; its first contestant is the base of ratios."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from .boosting import BOOSTERS
from .data import Problem, digits, iris, letter
from .forests import FOREST_PEERS
from .peers import BINS, PEERS, Settings

QUICK_ROWS = 5_000
EXACT_PEERS = ("sklearn", "ydf", "xgboost-exact", "obliquetree")
BINNED_PEERS = ("xgboost-hist", "lightgbm")
DEFAULT = Settings()


@dataclass(frozen=True)
class Wanted:
    """A bound on a ratio, `at_least` or `at_most`, or on the time."""

    at_least: float | None = None
    at_most: float | None = None
    goal: float | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        if self.seconds is not None:
            return f"<= {self.seconds:g} s"
        sign, bound = (
            (">=", self.at_least) if self.at_most is None else ("<=", self.at_most)
        )
        return f"{sign} {bound:g}" + (f", goal {self.goal:g}" if self.goal else "")

    def verdict(self, ratio: float, seconds: float) -> str:
        if self.seconds is not None:
            return "met" if seconds <= self.seconds else "missed"
        if self.at_most is not None:
            return "met" if ratio <= self.at_most else "missed"
        assert self.at_least is not None
        if self.goal is not None and ratio >= self.goal:
            return "goal met"
        return "met" if ratio >= self.at_least else "missed"


@dataclass(frozen=True)
class Contestant:
    label: str
    peer: str
    problem: Problem
    settings: Settings = DEFAULT
    work: str = "fit"  # or "predict"
    wanted: Wanted | None = None
    same_tree: bool = False  # must have as many leaves as the base
    bound_memory: bool = False
    not_run: str = ""  # the reason, if it is listed only


@dataclass(frozen=True)
class Row:
    name: str
    title: str
    contestants: tuple[Contestant, ...]
    ratio_to_previous: bool = False

    def __str__(self) -> str:
        return f"{self.title} (data: {self.contestants[-1].problem})"

    def quick(self) -> "Row":
        """Return the same race on little data, to see that everything runs."""
        largest = max(c.problem.n_rows for c in self.contestants)
        share = min(1.0, QUICK_ROWS / largest)
        small = [
            replace(c, problem=c.problem.small(round(share * c.problem.n_rows)))
            for c in self.contestants
        ]
        return replace(self, contestants=tuple(small))

    @property
    def needs_files(self) -> bool:
        return any(c.problem.file for c in self.contestants)

    def with_folder(self, folder: Path | None) -> "Row":
        """Return the same race with the files of this folder, or not run at all."""
        kept = [
            _without_file(c)
            if folder is None
            else replace(c, problem=replace(c.problem, folder=folder))
            for c in self.contestants
        ]
        return replace(self, contestants=tuple(kept))

    def only(self, peers: list[str]) -> "Row":
        """Return the same race with Ramify and these peers."""
        kept = [
            c
            for c in self.contestants
            if c.peer.removesuffix("-boost") in peers or c.peer.startswith("ramify")
        ]
        return replace(self, contestants=tuple(kept))


def _without_file(contestant: Contestant) -> Contestant:
    if contestant.problem.has_stand_in:
        return contestant
    return replace(contestant, not_run="needs --data")


def all_rows() -> list[Row]:
    likewise = {"sklearn": Wanted(15, goal=20), "ydf": Wanted(5, goal=6)}
    million = Problem(1_000_000, n_test=100_000)
    others = ("ydf-forest", "lightgbm-forest", "xgboost-forest")
    return [
        _exact("exact-100k", Problem(100_000), likewise),
        _exact("exact-100k-7", Problem(100_000, n_classes=7), likewise),
        _exact("exact-100k-f64", Problem(100_000, dtype="float64"), likewise),
        _exact("exact-10k", Problem(10_000)),
        _exact("exact-20k-200", Problem(20_000, 200), likewise),
        _exact("exact-1m", million, likewise, binned="see binned-full"),
        _exact("exact-digits", digits(), {"sklearn": Wanted(8)}),
        _exact("exact-iris", iris(), {"sklearn": Wanted(1)}),
        _threads("threads-100k", Problem(100_000)),
        _threads("threads-1m", million),
        _criteria("criteria-2", Problem(100_000)),
        _criteria("criteria-7", Problem(100_000, n_classes=7)),
        _own("own-2", Problem(100_000)),
        _own("own-7", Problem(100_000, n_classes=7)),
        _predict("predict", Problem(100_000, n_test=100_000)),
        _binned("binned-full", million, None, Wanted(5, goal=8)),
        _binned("binned-255", million, 255, Wanted(1, goal=1.5)),
        _growth("growth", (50_000, 100_000, 200_000, 400_000)),
        _memory("memory", million),
        *_oblique_rows(),
        _forest(
            "forest-100k",
            Problem(100_000),
            {
                "sklearn-forest": Wanted(8),
                **dict.fromkeys(others, Wanted(1.5)),
            },
        ),
        _forest("forest-digits", digits(), {"sklearn-forest": Wanted(3)}),
        _forest(
            "forest-letter",
            letter(),
            {"sklearn-forest": Wanted(3)} | dict.fromkeys(others),
        ),
        _forest(
            "extra-100k", Problem(100_000), {"sklearn-extra": Wanted(1.5)}, extra=True
        ),
        _forest("extra-digits", digits(), {"sklearn-extra": Wanted(1.5)}, extra=True),
        _forest("extra-letter", letter(), {"sklearn-extra": Wanted(1.5)}, extra=True),
        _forest(
            "forest-predict",
            Problem(100_000, n_test=100_000),
            {"sklearn-forest": Wanted(5)},
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
    ]


def _boosted(name: str, problem: Problem, settings: Settings) -> Row:
    """Race gradient boosting; a ratio of 1 / 1.2 to LightGBM is the aim."""
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
                wanted=Wanted(0.83, goal=1) if key == "lightgbm-boost" else None,
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
            ("one thread", 1, Wanted(1.6, goal=1.7)),
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
    bounds = {"ramify-numpy": 5.0, "ramify-numba": 1.3, "ramify-c": 1.3}
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
                wanted=Wanted(5) if peer == "sklearn" else None,
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
                wanted=Wanted(at_most=2.3) if n > sizes[0] else None,
            )
            for n in sizes
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
        "peak memory within 2.5 x encoded table + 8 bytes per cell",
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
