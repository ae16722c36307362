# SPDX-License-Identifier: BSD-3-Clause
"""What pages for contributors name exists: files, folders, types, functions, tests."""

import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TREES = ("core", "src", "tests", "tools", "benchmarks", "docs", "examples", ".github")
SOURCES = {".hpp", ".cpp", ".h", ".py", ".pyi", ".js", ".toml", ".txt", ".yml"}
PAGES = [
    *sorted((ROOT / "docs" / "design").glob("*.md")),
    ROOT / "docs" / "glossary.md",
    ROOT / "CONTRIBUTING.md",
    *(ROOT / "core").glob("README.md"),
]

# A path from the root; the end of one, such as `tree/methods.py`; what may be the name
# of a type, a constant, a variable or a function.
FROM_ROOT = re.compile(r"^(core|src|tests|tools|benchmarks|docs|examples)/[\w./-]*$")
IN_TEXT = re.compile(
    r"(?<![\w/.-])(?:core|src/ramify|tests|tools|benchmarks|docs)/"
    r"[\w./-]*(?:/|\.(?:hpp|cpp|py|md|txt|json))(?![\w.])"
)
FILE = re.compile(r"^[\w./-]*\.(hpp|cpp|py|pyi|md|txt|json|toml|yml)$")
NAME = re.compile(
    r"\b(?:[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[A-Z]{2,}(?:_[A-Z0-9]+)+"
    r"|(?=\w{6})[a-z][a-z0-9]*(?:_[a-z0-9]+)+_?|[a-z]\w{3,}(?=\())"
)
TYPE = re.compile(r"^[A-Z][a-z]\w+$")
COMMENT = {
    **dict.fromkeys((".hpp", ".cpp", ".h", ".js"), re.compile(r"//.*")),
    **dict.fromkeys((".py", ".pyi", ".toml", ".yml"), re.compile(r"(^|\s)#.*")),
}
# Tests of scikit-learn, which `tests/clients/sklearn_tests.py` compares with the page.
ELSEWHERE = {"drop_in.md": re.compile(r"test_\w+|(tree|ensemble)/tests/\w+\.py")}


@functools.cache
def files() -> dict[str, Path]:
    """Return all files of the repository by their path from the root."""
    found = {
        path.relative_to(ROOT).as_posix(): path
        for tree in TREES
        for path in (ROOT / tree).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    return found | {path.name: path for path in ROOT.iterdir() if path.is_file()}


@functools.cache
def vocabulary() -> set[str]:
    """Return all words of the sources, comments left out."""
    words: set[str] = set()
    for path in files().values():
        if path.suffix not in SOURCES or path == Path(__file__):
            continue
        text = path.read_text("utf-8")
        if path.suffix in COMMENT:
            text = COMMENT[path.suffix].sub("", text)
        words.update(re.findall(r"[A-Za-z_]\w*", text))
    return words


def has_path(name: str) -> bool:
    """Return whether a path from the root, or the end of a path, exists."""
    if FROM_ROOT.match(name):
        return (ROOT / name).exists()
    return any(path == name or path.endswith("/" + name) for path in files())


def wrong_names(text: str, ignored: re.Pattern[str] | None = None) -> list[str]:
    """Return what a page names and is nowhere: paths, and names in inline code."""
    wrong = {path for path in IN_TEXT.findall(text) if not has_path(path)}
    prose = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.M | re.S)
    for span in re.findall(r"`([^`]+)`", prose):
        path, _, test = span.partition("::")
        if FROM_ROOT.match(path) or FILE.match(path):
            wrong |= set() if has_path(path) else {path}
            names = [test] if test else []
        else:
            plain = span.removeprefix("-D")
            names = [plain] if TYPE.match(plain) else NAME.findall(plain)
        wrong |= set(names) - vocabulary()
    return sorted(name for name in wrong if not (ignored and ignored.fullmatch(name)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_what_exists(page):
    text = page.read_text("utf-8")
    assert wrong_names(text, ELSEWHERE.get(page.name)) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_links_to_files_that_exist(page):
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_decision_is_in_the_index():
    folder = ROOT / "docs" / "design"
    linked = re.findall(r"\]\((\w+\.md)\)", (folder / "README.md").read_text("utf-8"))
    assert sorted(linked) == sorted(
        path.name for path in folder.glob("*.md") if path.name != "README.md"
    )


@pytest.mark.parametrize(
    "wrong",
    [
        "core/nowhere/compose.cpp",
        "src/ramify/nowhere/",
        "nowhere/methods.py",
        "NowhereSearch",
        "find_it_nowhere",
        "found(nowhere_known=True)",
        "look_nowhere()",
        "nowherefound()",
        "RAMIFY_NOWHERE=1",
        "tests/test_split.py::test_a_split_is_nowhere",
    ],
)
def test_a_wrong_name_is_found(wrong):
    text = f"It is in `{wrong}`, not in `core/grow/choose_splitter.cpp`."
    assert len(wrong_names(text)) == 1


def test_a_wrong_path_is_found_in_diagrams_too():
    diagram = "```text\nloop ─► core/nowhere/loop.hpp; core/grow/loop.hpp\n```\n"
    assert wrong_names(diagram) == ["core/nowhere/loop.hpp"]


@pytest.mark.parametrize(
    "right",
    [
        "core/grow/",
        "grow/choose_splitter.cpp",
        "choose_splitter",
        "Judge",
        "DecisionTreeClassifier(criterion='gini')",
        "tests/test_split.py::test_tree_is_the_one_found_by_trying_every_split",
        "D_k = L_k - n_L p_k",
        "RAMIFY_PROCESSOR=avx2",
    ],
)
def test_a_right_name_is_not(right):
    assert wrong_names(f"It is in `{right}`.") == []
