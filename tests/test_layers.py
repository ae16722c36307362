# SPDX-License-Identifier: BSD-3-Clause
"""Imports and includes go one way."""

import ast
import functools
import graphlib
import re
from pathlib import Path

import pytest

import ramify

ROOT = Path(__file__).parents[1]
CORE = ROOT / "core"
PACKAGE = ROOT / "src" / "ramify"
# The rooms of the core: what the files of each may include besides their own room. Each
# names only rooms above it, so there is no way back.
CORE_ROOMS = {
    "util": (),
    "data": ("util",),
    "tree": ("util", "data"),
    "criteria": ("util",),
    "plan": ("criteria",),
    "rows": ("util", "data"),
    "scan": ("util", "data", "criteria", "plan", "rows"),
    "choose": ("util", "data", "tree", "plan", "rows", "scan"),
    "categories": ("util", "data", "plan", "rows", "scan", "choose"),
    "numbers": (
        *("util", "data", "criteria", "plan", "rows", "scan", "choose", "categories"),
    ),
    "compose": ("util", "data", "tree", "plan", "rows", "scan", "choose", "numbers"),
    "oblique": ("util", "plan", "choose"),
    "split": (
        *("util", "data", "tree", "criteria", "plan", "rows", "scan", "choose"),
        *("categories", "numbers", "compose", "oblique"),
    ),
    "grow": (
        *("util", "data", "tree", "plan", "rows", "scan", "choose", "numbers", "split"),
    ),
    "boost": ("util", "data", "tree"),
    "bind": (
        *("util", "data", "tree", "criteria", "plan", "rows", "scan", "numbers"),
        *("compose", "oblique", "split", "grow", "boost"),
    ),
}
SOURCES = sorted(path for path in CORE.rglob("*") if path.suffix in (".hpp", ".cpp"))
MODULES = sorted(PACKAGE.rglob("*.py"))
MAY_IMPORT_SKLEARN = (
    *("estimators/", "compare/", "datasets", "reproduce/", "advice/", "dask/"),
    "export/sklearn.py",  # which makes its estimators
)


def each_of(paths):
    """Make one test of a look at each of these files; it names all that are wrong."""

    def decorate(look):
        def test():
            wrong = []
            for path in paths:
                try:
                    look(path)
                except AssertionError as error:
                    wrong.append(f"{path.relative_to(ROOT)}: {error}")
            assert not wrong, "\n".join(wrong)

        return test

    return decorate


every_source = each_of(SOURCES)
every_room = pytest.mark.parametrize("room", CORE_ROOMS)
every_module = each_of(MODULES)


def includes(path: Path) -> list[tuple[str, str]]:
    """List the kind of bracket and the name of everything a file includes."""
    return re.findall(r'^\s*#\s*include\s*([<"])([^>"]+)', path.read_text(), re.M)


@functools.cache
def imports(path: Path) -> set[str]:
    """List the modules that a file imports, also inside its functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_there_is_something_to_look_at():
    assert len(SOURCES) > 20
    assert len(MODULES) > 10
    assert Path(ramify.__file__).parent.name == "ramify"


def test_rooms_know_only_rooms_above_them():
    above = set()
    for room, may_know in CORE_ROOMS.items():
        assert set(may_know) <= above, f"{room} knows a room below it"
        above.add(room)
    assert above == {path.relative_to(CORE).parts[0] for path in SOURCES}


@every_source
def test_a_source_file_includes_only_rooms_that_its_own_may_know(path):
    own = path.relative_to(CORE).parts[0]
    for bracket, name in includes(path):
        if bracket == '"':
            room = name.split("/")[0]
            assert (CORE / name).is_file(), f"{name} is not in core/"
            assert room == own or room in CORE_ROOMS[own], f"{own} may not know {name}"


@every_room
def test_a_room_says_what_question_it_answers(room):
    headers = [path for path in SOURCES if path.parent == CORE / room]
    openings = [
        path.name for path in headers if f"// Room `{room}`:" in path.read_text()
    ]
    assert len(openings) == 1, (
        f"one header of {room} opens with '// Room `{room}`: ...'"
    )


@every_source
def test_only_bind_knows_python(path):
    outside = {
        name for bracket, name in includes(path) if bracket == "<" and "bind" in name
    } | {name for _, name in includes(path) if name.lower() == "python.h"}
    assert not outside or path.is_relative_to(CORE / "bind")


@every_source
def test_a_header_is_included_once(path):
    assert (path.suffix == ".cpp") == ("#pragma once" not in path.read_text())


@each_of(SOURCES + MODULES)
def test_a_file_opens_with_its_licence(path):
    first = path.read_text().splitlines()[0]
    assert first.removeprefix("// ").removeprefix("# ") == (
        "SPDX-License-Identifier: BSD-3-Clause"
    )


@every_module
def test_only_estimators_comparisons_and_data_sets_import_sklearn(path):
    if any(name.split(".")[0] == "sklearn" for name in imports(path)):
        assert path.relative_to(PACKAGE).as_posix().startswith(MAY_IMPORT_SKLEARN)


@every_module
def test_only_the_command_line_talks_to_a_terminal(path):
    if any(name.split(".")[0] in ("click", "rich") for name in imports(path)):
        assert path.parent.name == "cli"


# The rooms of the package, and what each stands on: it may import those rooms, and what
# they stand on. A name with a dot is a room within a room. Nothing leads back.
ROOMS = {
    "_core": "",
    "callables": "",
    "files": "",
    "table": "_core files",
    "expressions": "_core",
    "criteria": "expressions",
    "tree": "table",
    "pruning": "tree",
    "model": "tree criteria",
    "export": "tree callables",
    "plot": "tree",
    "view": "pruning criteria callables",
    "explain": "tree callables",
    "estimators": "",
    "estimators.inputs": "pruning criteria",
    "partitioned": "estimators.inputs model",
    "estimators.single": "partitioned view",
    "estimators.forest": "estimators.single",
    "estimators.smaller": "estimators.forest",
    "methods": "estimators.forest",
    "estimators.boost": "methods",
    "estimators.tune": "methods",
    "estimators.loading": "estimators.boost",
    "datasets": "table",
    "compare.statistics": "",
    "compare": "compare.statistics datasets estimators.boost",
    "compare.pictures": "compare",
    "report": "compare.pictures",
    "reproduce": "compare.pictures estimators.tune",
    "advice": "compare estimators.tune",
    "view.pair": "compare",
    "dask": "estimators.boost",
    "cli": "export report reproduce advice explain view.pair dask",
}
STANDS_ON = {room: set(below.split()) for room, below in ROOMS.items()}


def room_of(module: str) -> str:
    """Give the room of a module of the package, such as "estimators.forest"."""
    parts = module.split(".")[1:]
    within = ".".join(parts[:2])
    return within if within in ROOMS else parts[0]


def allowed(room: str) -> set[str]:
    """Give all rooms that a room stands on, directly or not."""
    return STANDS_ON[room].union(*map(allowed, STANDS_ON[room]))


def test_rooms_stand_on_each_other_in_no_circle():
    assert set().union(*STANDS_ON.values()) <= set(ROOMS)
    list(graphlib.TopologicalSorter(STANDS_ON).static_order())


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_exists_and_stands_on_nothing_twice(room):
    place = PACKAGE.joinpath(*room.split("."))
    assert place.is_dir() or place.with_suffix(".py").exists() or room == "_core"
    for below in STANDS_ON[room]:
        others = STANDS_ON[room] - {below}
        assert not any(below in allowed(other) for other in others), (
            f"{room} stands on {below} twice"
        )


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "estimators"])
def test_the_map_of_rooms_says_what_a_room_stands_on(room):
    page = (ROOT / "docs" / "design" / "rooms.md").read_text("utf-8")
    row = re.search(rf"^\| `{re.escape(room)}` \| ([^|]*)\|", page, re.M)
    assert row, f"docs/design/rooms.md has no row for {room}"
    assert set(re.findall(r"`([^`]+)`", row[1])) == STANDS_ON[room]


@every_module
def test_python_imports_follow_the_rooms(path):
    module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    if module in ("ramify.__init__", "ramify.__main__"):
        return
    own = room_of(module)
    assert own in ROOMS, f"{own} has no place in ROOMS"
    may = allowed(own) | {own}
    for name in imports(path):
        if name.startswith("ramify.") and room_of(name) in ROOMS:
            assert room_of(name) in may, f"{own} imports {name}"
