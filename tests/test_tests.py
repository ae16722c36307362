# SPDX-License-Identifier: BSD-3-Clause
"""Every test can fail: it asserts something, itself or by a function that does."""

import ast
from pathlib import Path

TESTS = Path(__file__).parent
FAILING = ("raises", "warns", "fail")  # of pytest
NUMPYS = ("assert_array_equal", "assert_allclose")


def called(function):
    """Return the names of the functions that a function calls; "" for an assertion.

    Methods count only if they assert: ``fit`` of a model is not a function of a test.
    """
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            yield ""
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield "" if node.func.id in NUMPYS else node.func.id
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and (node.func.attr in FAILING or node.func.attr.startswith("assert_"))
        ):
            yield ""


def read(module, text):
    """Return what the functions of a module call, all as (module, name).

    An imported name calls that of its home.
    """
    nodes = list(ast.walk(ast.parse(text)))
    homes = {
        each.asname or each.name: (node.module, each.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    }
    imported = {(module, name): {home} for name, home in homes.items()}
    return imported | {
        (module, node.name): {
            name and homes.get(name, (module, name)) for name in called(node)
        }
        for node in nodes
        if isinstance(node, ast.FunctionDef)
    }


def without_assertion(calls):
    """Return the tests that assert nothing, neither do the functions they call."""
    asserting = {""}
    while more := {f for f, names in calls.items() if names & asserting} - asserting:
        asserting |= more
    tests = [function for function in calls if function[1].startswith("test_")]
    return [function for function in tests if function not in asserting]


def test_every_test_asserts_something():
    calls = {}
    for path in TESTS.rglob("*.py"):
        calls |= read(path.stem, path.read_text(encoding="utf-8"))
    assert len(calls) > 1_000
    assert without_assertion(calls) == []


def test_a_test_without_an_assertion_is_found():
    helpers = read("helpers", "def same(x):\n    assert x\n\ndef fit(x):\n    pass\n")
    tests = read(
        "t",
        "from helpers import fit, same\n"
        "def test_good():\n    same(1)\n"
        "def test_bad():\n    fit(1)\n"
        "def test_worse():\n    model.same(1)\n",
    )
    assert without_assertion(helpers | tests) == [
        ("t", "test_bad"),
        ("t", "test_worse"),
    ]
