# SPDX-License-Identifier: BSD-3-Clause
"""Errors name the word that may be meant, and one function asks."""

import ast
import doctest
from pathlib import Path

import pytest

import ramify
from ramify import messages
from ramify.messages import ask_or_stop, did_you_mean

PACKAGE = Path(ramify.__file__).parent


def test_the_examples_of_the_helper_are_true():
    found = doctest.testmod(messages, extraglobs={"ask_or_stop": ask_or_stop})
    assert found.attempted >= 4
    assert not found.failed


@pytest.mark.parametrize(
    ("word", "question"),
    [
        ("GINI", "; did you mean 'gini'?"),
        (" ginni ", "; did you mean 'gini'?"),
        ("xyz", ""),
        (None, ""),
    ],
)
def test_similar_words_are_found_whatever_their_case(word, question):
    assert did_you_mean(word, ["gini", "Entropy"]) == question


def test_words_are_named_as_they_are_spelt():
    assert did_you_mean("entropie", ["gini", "Entropy"], "({})") == (
        "(did you mean 'Entropy'?)"
    )
    assert ask_or_stop("ecoli", ["ecoli1", "ecoli2", "iris"]) == (
        "; did you mean 'ecoli2' or 'ecoli1'?"
    )


def test_no_module_looks_for_similar_words_by_itself():
    users = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import)
        and any(alias.name == "difflib" for alias in node.names)
    ]
    assert users == ["messages.py"]
