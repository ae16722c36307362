# SPDX-License-Identifier: BSD-3-Clause
"""The public names, and what it takes to import them.

Times differ from machine to machine; the modules that are loaded do not.
"""

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import ramify
import ramify.cli
from ramify.cli.group import COMMANDS

LATER = {"advise", "compare", "datasets", "report", "reproduce"}
INNER = {"Any", "importlib", "packed", "tree", "estimators", "version"}


def modules_after(*lines: str) -> set[str]:
    """List what is loaded when lines have run in a new process."""
    code = [*lines, "import json, sys", "print(json.dumps(list(sys.modules)))"]
    command = [sys.executable, "-c", "\n".join(code)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def packages(modules: set[str]) -> set[str]:
    return {name.split(".")[0] for name in modules}


# --- names --------------------------------------------------------------------------


def test_dir_gives_the_public_names():
    assert dir(ramify) == sorted(ramify.__all__)
    assert set(dir(ramify)) >= LATER
    assert not set(dir(ramify)) & INNER


@pytest.mark.parametrize("name", ramify.__all__)
def test_every_public_name_is_there(name):
    assert getattr(ramify, name) is getattr(ramify, name)


def test_names_for_type_checkers_are_those_that_are_there():
    source = ast.parse(Path(ramify.__file__).read_text("utf-8"))
    block = next(node for node in source.body if isinstance(node, ast.If))
    found = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    homes = {name: f"ramify.{home}" for name, home in ramify._HOME_OF.items()}
    modules = set(ramify.__all__) - set(homes) - {"__version__"}
    assert found == homes | dict.fromkeys(modules, "ramify")


def test_every_public_name_is_in_the_reference():
    pages = (Path(__file__).parent.parent / "docs" / "api").glob("*.md")
    entries = "\n".join(page.read_text("utf-8") for page in pages)
    paths = re.findall(r"^::: ramify\.([\w.]+)$", entries, re.MULTILINE)
    found = {name for path in paths for name in path.split(".")}
    assert set(ramify.__all__) - {"__version__"} <= found


def test_another_name_is_an_error():
    with pytest.raises(AttributeError, match="no attribute 'trees'"):
        _ = ramify.trees


# --- what is imported -----------------------------------------------------------------


def test_importing_the_package_imports_nothing_else():
    loaded = modules_after("import ramify", "assert 'Tree' in dir(ramify)")
    assert {name for name in loaded if name.startswith("ramify")} == {"ramify"}
    assert not packages(loaded) & {"numpy", "scipy", "sklearn", "click"}


@pytest.mark.slow
def test_a_tree_needs_no_package_that_a_tree_of_scikit_learn_does_not():
    theirs = modules_after("import sklearn.tree")
    ours = modules_after("from ramify import DecisionTreeClassifier")
    others = packages(ours) - packages(theirs) - sys.stdlib_module_names
    assert {name for name in others if "ramify" in name} == others
    heavy = {"sklearn.model_selection", "sklearn.ensemble", "scipy.stats"}
    heavy |= {"ramify.viewer", "ramify.exports", "ramify.plotting", "ramify.datasets"}
    assert not (ours - theirs) & heavy


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []])
def test_help_loads_no_command_and_no_numbers(arguments):
    loaded = modules_after(
        "from click.testing import CliRunner",
        "from ramify.cli import main",
        f"assert CliRunner().invoke(main, {arguments}).exit_code == 0",
    )
    assert not packages(loaded) & {"numpy", "scipy", "sklearn", "rich", "matplotlib"}


def test_the_list_of_criteria_needs_no_scikit_learn():
    loaded = modules_after(
        "from click.testing import CliRunner",
        "from ramify.cli import main",
        "assert CliRunner().invoke(main, ['criteria', '--json']).exit_code == 0",
    )
    assert not packages(loaded) & {"scipy", "sklearn", "matplotlib"}


# --- commands -------------------------------------------------------------------------


def test_the_list_of_commands_is_complete():
    for module in pkgutil.iter_modules(ramify.cli.__path__, "ramify.cli."):
        importlib.import_module(module.name)
    assert sorted(ramify.cli.main.commands) == sorted(COMMANDS) == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_they_say(name):
    context = click.Context(ramify.cli.main)
    command = ramify.cli.main.get_command(context, name)
    assert command.get_short_help_str(200) == COMMANDS[name][1]


def test_every_command_that_writes_takes_o():
    for name in COMMANDS:
        command = ramify.cli.main.get_command(click.Context(ramify.cli.main), name)
        of_output = [
            option.opts
            for option in command.params
            if {"--out", "--output"} & {*option.opts}
        ]
        assert all("-o" in spelt for spelt in of_output), name
