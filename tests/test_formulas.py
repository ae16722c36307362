# SPDX-License-Identifier: BSD-3-Clause
"""Formulas on the pages of criteria: read, written as TeX, and worked out."""

import sys
from pathlib import Path

import numpy as np
import pytest

import ramify

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
formulas = pytest.importorskip("formulas", reason="there are no tools in an archive")

LEFT, RIGHT = (7, 2, 3), (1, 5, 4)


def known_of(criterion):
    parent = np.add(LEFT, RIGHT)
    found = {
        each.name: each.default
        for each in criterion.parameters
        if type(each.default) in (int, float)
    }
    for name, other in (("IG", "entropy"), ("gini", "gini"), ("mpi", "mpi")):
        found[name] = ramify.criteria.get(other)(parent, LEFT, RIGHT)[0]
    return found


@pytest.mark.parametrize("name", sorted(ramify.criteria.names()))
def test_formulas_are_what_the_core_computes(name):
    criterion = ramify.criteria.get(name)
    text = formulas.IN_SIGNS.get(name, criterion.formula)
    try:
        formula = formulas.Formula.read(text)
        worked = formulas.Worked(formula, LEFT, RIGHT, known_of(criterion))
        found = worked.value(formula.main, {})
    except formulas.UnreadableError:
        assert name in formulas.IN_TEX, "a formula in words needs one in TeX"
        return
    score = criterion(np.add(LEFT, RIGHT), LEFT, RIGHT)[0]
    assert found == pytest.approx(score, rel=1e-7, abs=1e-9)


def test_a_formula_is_written_as_tex_and_with_numbers():
    formula = formulas.Formula.read("G(S) - rho_L G(L),  G = 1 - sum_k p_k^2")
    lines = formula.tex().split("\n")
    assert lines[1] == r"& G(S) - \rho_{L} \, G(L) \\"
    assert lines[2] == r"& G = 1 - \sum_{k} {p_{k}}^{2}"
    steps = formulas.Worked(formula, (5, 1), (1, 3), {}).steps()
    assert steps[0] == r"G(S) &= 1 - \left({0.6}^{2} + {0.4}^{2}\right) = 0.48"
    assert steps[-1] == r"\text{score} &= 0.48 - 0.6 \cdot 0.2778 = 0.3133"


@pytest.mark.parametrize("text", ["mean of y", "a [b]", "G(S),  F cumulative shares"])
def test_words_are_not_taken_for_signs(text):
    def worked_out():
        formula = formulas.Formula.read(text)
        return formulas.Worked(formula, (5, 1), (1, 3), {}).value(formula.main, {})

    with pytest.raises(formulas.UnreadableError):
        worked_out()


def test_every_symbol_of_a_formula_has_a_meaning():
    lines = formulas.formula_lines("gini", ramify.criteria.get("gini").formula, {})
    table = "\n".join(lines)
    for sign in ("$p_k$", r"$\rho_t$", "$S$", "$k$"):
        assert f"| {sign}" in table
    assert "$G$" not in table  # it is defined by the formula


def test_a_wrong_formula_is_an_error():
    with pytest.raises(ValueError, match="the core"):
        formulas.step_lines("own", "1 - sum_k p_k^2", ((5, 1), (1, 3)), {}, 0.5)
