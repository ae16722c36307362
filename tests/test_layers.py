# SPDX-License-Identifier: BSD-3-Clause
"""Imports and includes go one way."""

import ast
import re
from pathlib import Path

import pytest

import ramify

ROOT = Path(__file__).parents[1]
CORE = ROOT / "core"
PACKAGE = ROOT / "src" / "ramify"
FOLDERS = [
    *("util", "data", "tree", "stats", "criteria"),
    *("structure", "oblique", "split", "grow", "boost", "bind"),
]
SOURCES = sorted(path for path in CORE.rglob("*") if path.suffix in (".hpp", ".cpp"))
MODULES = sorted(PACKAGE.rglob("*.py"))
MAY_IMPORT_SKLEARN = ("estimators/", "compare/", "datasets", "reproduce/", "advice/")

every_source = pytest.mark.parametrize(
    "path", SOURCES, ids=lambda path: path.relative_to(CORE).as_posix()
)
every_module = pytest.mark.parametrize(
    "path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix()
)


def includes(path: Path) -> list[tuple[str, str]]:
    """List the kind of bracket and the name of everything a file includes."""
    return re.findall(r'^\s*#\s*include\s*([<"])([^>"]+)', path.read_text(), re.M)


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


@every_source
def test_a_source_file_lives_in_a_known_folder(path):
    assert path.relative_to(CORE).parts[0] in FOLDERS


@every_source
def test_a_source_file_includes_only_folders_to_its_left(path):
    own = FOLDERS.index(path.relative_to(CORE).parts[0])
    for bracket, name in includes(path):
        if bracket == '"':
            folder = name.split("/")[0]
            assert (CORE / name).is_file(), f"{name} is not in core/"
            assert FOLDERS.index(folder) <= own, f"it includes {name}, to its right"


@every_source
def test_only_bind_knows_python(path):
    outside = {
        name for bracket, name in includes(path) if bracket == "<" and "bind" in name
    } | {name for _, name in includes(path) if name.lower() == "python.h"}
    assert not outside or path.is_relative_to(CORE / "bind")


@every_source
def test_a_header_is_included_once(path):
    assert (path.suffix == ".cpp") == ("#pragma once" not in path.read_text())


@pytest.mark.parametrize("path", SOURCES + MODULES, ids=lambda path: path.name)
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


# What each part of the package may import of it; the engine comes first, the command
# line last.
ORDER = [
    ("_core",),
    ("files",),
    ("table",),
    ("expressions",),
    ("criteria",),
    ("tree",),
    ("export",),
    ("estimators",),
    ("methods", "plot"),
    ("model",),
    ("datasets",),
    ("compare",),
    ("report",),
    ("reproduce",),
    ("advice",),
    ("cli",),
]
# save() is a method, too, and a grid may name methods: late imports.
ALLOWED_BACKWARDS = {("estimators", "model"), ("estimators", "methods")}


@every_module
def test_python_imports_follow_the_flow(path):
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if own in ("__init__", "__main__"):
        return
    place = {part: i for i, parts in enumerate(ORDER) for part in parts}
    assert own in place, f"{own} has no place in ORDER"
    for name in imports(path):
        part = name.split(".")[1] if name.startswith("ramify.") else ""
        if part in place and part != own and (own, part) not in ALLOWED_BACKWARDS:
            assert place[part] <= place[own], f"{own} imports {part}"
