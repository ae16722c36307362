# SPDX-License-Identifier: BSD-3-Clause
"""What the documentation shows, runs: examples, code blocks and docstrings."""

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
import runpy
import shutil
import sys
from pathlib import Path

import pytest

import ramify

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(ramify.__path__, "ramify.")
    if not module.name.endswith("._core")
)


def blocks(page: Path, language: str) -> list[str]:
    return [
        "\n" * page.read_text("utf-8")[: found.start(2)].count("\n") + found[2]
        for found in BLOCK.finditer(page.read_text(encoding="utf-8"))
        if found[1] == language
    ]


def title(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


ON_A_CLUSTER = ROOT / "docs" / "how_to" / "cluster.md"  # tests/cluster runs it
WITH_PYTHON = [
    page for page in PAGES if page != ON_A_CLUSTER and blocks(page, "python")
]


def test_there_is_something_to_run():
    assert len(EXAMPLES) >= 3
    assert ROOT / "README.md" in WITH_PYTHON
    assert "ramify.criteria" in MODULES


@pytest.mark.parametrize("path", EXAMPLES, ids=title)
def test_example_runs(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize("page", WITH_PYTHON, ids=title)
def test_code_blocks_of_page_run_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for source in blocks(page, "c"):
        if shutil.which("cc") is None:
            pytest.skip("no C compiler")
        name = re.search(r"\w+\.c\b", source)
        assert name, "the first line of a C block names its file"
        Path(name[0]).write_text(source, encoding="utf-8")
    scope = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        for source in blocks(page, "python"):
            exec(compile(source, str(page), "exec"), scope)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_of_module_are_right(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    names = {"ramify": ramify, **vars(module)}
    assert doctest.testmod(module, extraglobs=names).failed == 0
