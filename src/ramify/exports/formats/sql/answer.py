# SPDX-License-Identifier: BSD-3-Clause
"""What a statement shows: labels, probabilities and numbers of scores."""

from __future__ import annotations

from collections.abc import Sequence

from ramify.exports.formats.sql.statement import Statement

__all__ = ["answer"]


def answer(
    statement: Statement, scores: Sequence[str], decided: list[str] | None
) -> str:
    """Write the SELECT that shows decisions and what leads to them."""
    d, vote = statement.d, statement.walk.vote
    keep = statement.keys
    refused = (
        f"CASE WHEN {statement.refuses} THEN 1 ELSE 0 END" if statement.refuses else ""
    )
    items = [f"{score} AS s{k}" for k, score in enumerate(scores)]
    body = "  SELECT " + ",\n    ".join(
        [*keep, *([f"{refused} AS refused"] if refused else []), *items]
        + (decided or [])
    )
    statement.parts.append(("scored", f"{body}\n  FROM {statement.source}"))
    places = decided or _decide(statement)
    out = [f"k{i} AS {d.identifier(name)}" for i, name in enumerate(statement.key)]
    if refused:
        out.append("refused")
    shown = _link(statement)
    labels = _output_names(statement)
    if not vote.is_number:
        for j, output in enumerate(vote.outputs):
            assert output.labels is not None
            arms = " ".join(
                f"WHEN {k} THEN {d.value(label)}"
                for k, label in enumerate(output.labels.tolist())
            )
            out.append(
                _unless_refused(statement, f"CASE {places[j]} {arms} END", labels)
            )
    out += [_unless_refused(statement, text, labels) for text in shown]
    return "SELECT " + ",\n  ".join(out) + "\nFROM " + statement.parts[-1][0]


def _unless_refused(statement: Statement, text: str, names: list[str]) -> str:
    name = statement.d.identifier(names.pop(0))
    if statement.refuses:
        text = f"CASE WHEN refused = 0 THEN {text} END"
    return f"{text} AS {name}"


def _output_names(statement: Statement) -> list[str]:
    """Name the columns of the answer; by number where labels will not do."""
    vote, d = statement.walk.vote, statement.d
    many = len(vote.outputs) > 1
    suffix = [f"_{j}" if many else "" for j in range(len(vote.outputs))]
    predictions = [f"prediction{each}" for each in suffix]
    if vote.is_number:
        return predictions
    wanted: list[str] = []
    plain: list[str] = []
    for j, output in enumerate(vote.outputs):
        assert output.labels is not None
        for k, label in enumerate(output.labels.tolist()):
            wanted.append(f"probability{suffix[j]}_{label}")
            plain.append(f"probability{suffix[j]}_{k}")
    try:
        d.check_distinct([*statement.key, *predictions, *wanted])
        for name in wanted:
            d.identifier(name)
    except ValueError:
        statement.names = {"columns": dict(zip(plain, wanted, strict=True))}
        statement.notes.append("labels are no names here: see .names.json")
        return [*predictions, *plain]
    return [*predictions, *wanted]


def _decide(statement: Statement) -> list[str]:
    """Write the number of the class that each output decides for."""
    d, vote = statement.d, statement.walk.vote
    if vote.is_number:
        return []
    if vote.decide == "positive":
        return ["CASE WHEN s0 > 0 THEN 1 ELSE 0 END"]
    found, best, begin = [], [], vote.decide_from
    costs: list[str] = []
    for j, output in enumerate(vote.outputs):
        names = [f"s{begin + k}" for k in range(output.size)]
        begin += output.size
        word = d.greatest
        if vote.costs is not None:
            word = d.least
            for i in range(output.size):
                terms = [
                    f"{name} * {d.number(vote.costs[k, i])}"
                    for k, name in enumerate(names)
                ]
                costs.append(f"{' + '.join([d.zero(), *terms])} AS e{i}")
            names = [f"e{i}" for i in range(output.size)]
        if output.size == 1:
            found.append("0")
            continue
        best.append(f"{word}({', '.join(names)}) AS b{j}")
        arms = " ".join(f"WHEN {name} = b{j} THEN {k}" for k, name in enumerate(names))
        found.append(f"CASE {arms} END")
    for name, items in (("cost", costs), ("best", best)):
        if items:
            statement.parts.append(
                (
                    name,
                    "  SELECT *,\n    "
                    + ",\n    ".join(items)
                    + f"\n  FROM {statement.parts[-1][0]}",
                )
            )
    return found


def _link(statement: Statement) -> list[str]:
    vote, d = statement.walk.vote, statement.d
    if vote.link == "exp":
        return [f"EXP(s{k})" for k in range(len(vote.start))]
    if vote.link == "expit":
        one = d.number(1)
        second = (
            f"CASE WHEN s0 >= 0 THEN {one} / ({one} + EXP(-s0)) "
            f"ELSE EXP(s0) / ({one} + EXP(s0)) END"
        )
        return [f"{one} - {second}", second]
    if vote.link == "softmax":
        # The largest score was found for the decision.
        powers = [f"EXP(s{k} - b0)" for k in range(len(vote.start))]
        total = " + ".join(powers)
        return [f"{power} / ({total})" for power in powers]
    return [f"s{k}" for k in range(vote.n_answers)]
