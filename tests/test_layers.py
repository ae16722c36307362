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
# The modules of the core, from the table in core/README.md: what the files of each
# include besides their own. Each names only modules above it: there is no way back.
CORE_MODULES = {
    name: known.split(", ") if known else []
    for name, known in re.findall(
        r"^\| `(\w+)` \| .* \| [\d,]+ \| ([\w, ]*) \|$",
        (CORE / "README.md").read_text("utf-8"),
        re.M,
    )
}
SOURCES = sorted(path for path in CORE.rglob("*") if path.suffix in (".hpp", ".cpp"))
MODULES = sorted(PACKAGE.rglob("*.py"))
MAY_IMPORT_SKLEARN = (
    *("estimators/", "comparison/", "datasets", "reproduce/", "advice/"),
    *("survival/baseline.py", "survival/censoring.py", "survival/scorers.py"),
    *("distributed/dask/", "pruning/models/"),
    "exports/formats/sklearn.py",  # which makes its estimators
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
every_module_of_core = pytest.mark.parametrize("module", CORE_MODULES)
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


def test_core_modules_know_only_modules_above_them():
    above = set()
    for room, may_know in CORE_MODULES.items():
        assert set(may_know) <= above, f"{room} knows a module below it"
        above.add(room)
    assert above == {path.relative_to(CORE).parts[0] for path in SOURCES}


@every_source
def test_a_source_file_includes_only_what_its_module_may_know(path):
    own = path.relative_to(CORE).parts[0]
    for bracket, name in includes(path):
        if bracket == '"':
            room = name.split("/")[0]
            assert (CORE / name).is_file(), f"{name} is not in core/"
            assert room == own or room in CORE_MODULES[own], (
                f"{own} may not know {name}"
            )


@every_module_of_core
def test_the_map_says_what_a_module_includes(module):
    files = [path for path in SOURCES if path.is_relative_to(CORE / module)]
    named = {
        name.split("/")[0]
        for path in files
        for bracket, name in includes(path)
        if bracket == '"'
    }
    assert named - {module} == set(CORE_MODULES[module])


@every_source
def test_only_bind_knows_python(path):
    outside = {
        name for bracket, name in includes(path) if bracket == "<" and "bind" in name
    } | {name for _, name in includes(path) if name.lower() == "python.h"}
    assert not outside or path.is_relative_to(CORE / "bind")


@every_source
def test_a_header_is_included_once(path):
    assert (path.suffix == ".cpp") == ("#pragma once" not in path.read_text())


@every_source
def test_only_simd_knows_the_instructions_of_a_processor(path):
    """Elsewhere lanes are lanes: `simd` says what they are on each processor."""
    of_processor = re.compile(
        r"intrin\.h|\barm_neon|\b_mm\d*_|__builtin_(ia32|prefetch)"
    )
    found = of_processor.search(path.read_text("utf-8"))
    if not path.is_relative_to(CORE / "simd"):
        assert not found, f"{found[0]} belongs to core/simd"


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


# The packages, and what each depends on: it may import those, and what they depend on.
# A name with a dot is a package within a package. Nothing leads back.
PACKAGES = {
    "_core": "",
    "messages": "",
    "deprecation": "",
    "io": "",
    "table": "_core io messages",
    "criteria": "_core messages deprecation",
    "tree": "table",
    "pruning": "tree",
    "serialization": "tree criteria",
    "exports": "tree",
    "plotting": "tree",
    "viewer": "pruning criteria",
    "explanations": "tree",
    "estimators": "",
    "estimators.validation": "pruning criteria",
    "distributed": "",
    "distributed.core": "estimators.validation serialization",
    "distributed.files": "distributed.core",
    "estimators.conformal": "estimators.validation",
    "conformal": "estimators.conformal",
    "estimators.tree": "distributed.files viewer estimators.conformal",
    "estimators.forest": "estimators.tree",
    "estimators.survival": "estimators.forest survival",
    "pruning.models": "estimators.forest",
    "estimators.optimal": "pruning.models plotting",
    "estimators.online": "estimators.tree",
    "methods": "estimators.optimal estimators.online",
    "estimators.boosting": "methods",
    "estimators.tuning": "methods",
    "estimators.loading": "estimators.boosting estimators.survival",
    "survival": "table",
    "datasets": "survival",
    "citations": "datasets methods",
    "comparison.statistics": "",
    "comparison": "comparison.statistics datasets estimators.boosting",
    "comparison.pictures": "comparison",
    "comparison.report": "comparison.pictures",
    "report": "comparison.report",
    "reproduce": "comparison.pictures estimators.tuning",
    "advice": "comparison estimators.tuning",
    "studio": "comparison estimators.loading",
    "viewer.pair": "comparison",
    "viewer.printed": "viewer plotting",
    "distributed.dask": "estimators.boosting",
    "dask": "distributed.dask",
    "cli": (
        "exports report reproduce advice explanations viewer.pair viewer.printed dask "
        "citations"
    ),
}
DEPENDS_ON = {package: set(below.split()) for package, below in PACKAGES.items()}


def package_of(module: str) -> str:
    """Return the package of a module, such as "estimators.forest"."""
    parts = module.split(".")[1:]
    within = ".".join(parts[:2])
    return within if within in PACKAGES else parts[0]


def allowed(package: str) -> set[str]:
    """Return all packages that a package depends on, directly or not."""
    return DEPENDS_ON[package].union(*map(allowed, DEPENDS_ON[package]))


def test_packages_depend_on_each_other_in_no_circle():
    assert set().union(*DEPENDS_ON.values()) <= set(PACKAGES)
    list(graphlib.TopologicalSorter(DEPENDS_ON).static_order())


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_exists_and_depends_on_nothing_twice(package):
    place = PACKAGE.joinpath(*package.split("."))
    assert place.is_dir() or place.with_suffix(".py").exists() or package == "_core"
    for below in DEPENDS_ON[package]:
        others = DEPENDS_ON[package] - {below}
        assert not any(below in allowed(other) for other in others), (
            f"{package} depends on {below} twice"
        )


@pytest.mark.parametrize(
    "package",
    [package for package in PACKAGES if package not in ("estimators", "distributed")],
)
def test_the_map_says_what_a_package_depends_on(package):
    page = (ROOT / "docs" / "design" / "architecture.md").read_text("utf-8")
    row = re.search(rf"^\| `{re.escape(package)}` \| ([^|]*)\|", page, re.M)
    assert row, f"docs/design/architecture.md has no row for {package}"
    assert set(re.findall(r"`([^`]+)`", row[1])) == DEPENDS_ON[package]


@every_module
def test_python_imports_follow_the_packages(path):
    module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    if module in ("ramify.__init__", "ramify.__main__"):
        return
    own = package_of(module)
    assert own in PACKAGES, f"{own} has no place in PACKAGES"
    may = allowed(own) | {own}
    for name in imports(path):
        if name.startswith("ramify.") and package_of(name) in PACKAGES:
            assert package_of(name) in may, f"{own} imports {name}"
