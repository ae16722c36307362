# SPDX-License-Identifier: BSD-3-Clause
"""The command line with files and options that are right, odd or damaged."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from click.testing import CliRunner

import ramify
from fuzz.hostile import word
from fuzz.promise import must
from fuzz.tables import Rng, pick
from ramify.cli import main
from ramify.pruning.settings import METHODS

FORMATS = (
    "json",
    "python",
    "sql",
    "onnx",
    "pmml",
    "treelite",
    "text",
    "dot",
    "mermaid",
)
VALUES = ("", "0", "-1", "1", "3", "nan", "1e999", "x", "None", "gini", "\0", "é", "..")


@functools.cache
def _folder() -> tuple[tempfile.TemporaryDirectory[str], tuple[str, ...]]:
    """Make models of each kind and a table, once."""
    folder = tempfile.TemporaryDirectory()
    place = Path(folder.name)
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": rng.normal(size=40).round(1), "b": rng.choice(["x", "y", "z"], 40)}
    )
    y = np.where((X["a"] > 0) ^ (X["b"] == "x"), "no", "yes")
    t = X["a"] * 2
    small = {"max_depth": 2, "random_state": 0}
    models = {
        "tree": ramify.DecisionTreeClassifier(**small).fit(X, y),
        "numbers": ramify.DecisionTreeRegressor(**small).fit(X, t),
        "forest": ramify.RandomForestClassifier(2, **small).fit(X, y),
        "boosted": ramify.BoostedTreesClassifier(n_estimators=2, **small).fit(X, y),
        "embedding": ramify.RandomTreesEmbedding(2, **small).fit(X[["a"]]),
        "two": ramify.DecisionTreeClassifier(**small).fit(X, np.column_stack([y, y])),
    }
    for name, model in models.items():
        ramify.save(model, place / f"{name}.ramify")
    X.to_csv(place / "rows.csv", index=False)
    X.assign(y=y).to_csv(place / "data.csv", index=False)
    X.assign(y=y).to_parquet(place / "data.parquet")
    (place / "empty.csv").write_text("")
    (place / "odd.csv").write_bytes(b"a,b,y\n1,\xff,no\n2,x\n")
    (place / "binary.csv").write_bytes(b"a,b,y\n1,\xff\x00,no\n2,x\n")
    report = "Report\nof today\na;b;y\n1;\xe9;no\n2;x;No\n"
    (place / "report.csv").write_bytes(report.encode("latin1"))
    data = bytearray((place / "tree.ramify").read_bytes())
    data[len(data) // 2] ^= 255
    (place / "damaged.ramify").write_bytes(bytes(data))
    ramify.export(models["tree"], "json", place / "e.json", n_rows=20)
    (place / "damaged.json").write_text('{"format": "ramify-model", "columns": 3}')
    return folder, tuple(f"{name}.ramify" for name in (*models, "damaged", "none"))


def commands(rng: Rng) -> list[str]:
    """Run a command in this process."""
    folder, models = _folder()
    place = Path(folder.name)
    name = pick(rng, *_COMMANDS)
    with tempfile.TemporaryDirectory() as out:
        words = _COMMANDS[name](rng, place, models, Path(out))
        if rng.random() < 0.3:
            words.insert(int(rng.integers(len(words) + 1)), _odd(rng))
        runner = CliRunner()
        with runner.isolated_filesystem(out):  # -o may name any file
            done = runner.invoke(main, [name, *words])
    asked = f"{name} {words}: {done.output[-300:]} {done.exception!r}"
    is_exit = done.exception is None or isinstance(done.exception, SystemExit)
    must(is_exit, "a command ends with a code", asked)
    must(done.exit_code in (0, 2, 3), "a command ends with 0, 2 or 3", asked)
    if done.exit_code == 2:
        must(_is_error(done.output), "an error is one line, or a list", asked)
        must("codec" not in done.output, "an error is a sentence", asked)
    return [f"{name}: {done.exit_code}"]


def _is_error(output: str) -> bool:
    """Return whether output ends with an error: a line, or all problems of a file."""
    lines = output.splitlines()
    first = max((i for i, s in enumerate(lines) if s.startswith("ramify: ")), default=0)
    error, *more = lines[first:] or [""]
    if not more:
        return error.startswith("ramify: ") and len(error) > 25
    is_list = all(line.startswith(("  ", "this command solves ")) for line in more)
    return error.endswith(" problems:") and is_list and all(map(str.isprintable, more))


def _odd(rng: Rng) -> str:
    option = pick(rng, "--json", "--proba", "--certify", "--n-rows", "--id", "--option",
                  "--max-depth", "--task", "--encoding", "--unseen", "-o", "--to",
                  "--method", "--rules", "--quiet", word(rng))  # fmt: skip
    return f"{option}={pick(rng, *VALUES)}" if rng.integers(2) else str(option)


def _data(rng: Rng, place: Path) -> str:
    names = ("data.csv", "data.csv", "rows.csv", "data.parquet", "empty.csv", "odd.csv",
             "binary.csv", "report.csv", "none.csv", "tree.ramify")  # fmt: skip
    return str(place / pick(rng, *names))


def _model(rng: Rng, place: Path, models: tuple[str, ...]) -> str:
    return str(place / pick(rng, "tree.ramify", *models, "data.csv"))


def _fit(rng: Rng, place: Path, models: Any, out: Path) -> list[str]:
    found = [_data(rng, place), "-o", str(out / "m.ramify")]
    if rng.random() < 0.8:
        found += ["--target", pick(rng, "y", "y", "a", "b", "none")]
    for option in ("--criterion", "--max-depth", "--prune", "--max-leaf-nodes"):
        if rng.random() < 0.2:
            found += [option, pick(rng, *VALUES, "entropy", *METHODS)]
    return found


def _predict(rng: Rng, place: Path, models: Any, out: Path) -> list[str]:
    found = [_model(rng, place, models), _data(rng, place)]
    found += ["--ignore-extra"] * int(rng.integers(2)) + ["--proba"] * int(
        rng.integers(2)
    )
    return found + (["-o", str(out / "p.csv")] if rng.integers(2) else [])


def _explain(rng: Rng, place: Path, models: Any, out: Path) -> list[str]:
    return [_model(rng, place, models), _data(rng, place)]


def _show(rng: Rng, place: Path, models: Any, out: Path) -> list[str]:
    return [
        _model(rng, place, models),
        *pick(rng, [], ["--rules"], ["--max-depth", "1"]),
    ]


def _prune(rng: Rng, place: Path, models: Any, out: Path) -> list[str]:
    found = [_model(rng, place, models), "--method", pick(rng, *METHODS, *VALUES)]
    found += ["-o", str(out / "p.ramify")]
    return found + (["--data", _data(rng, place)] if rng.integers(2) else [])


def _export(rng: Rng, place: Path, models: Any, out: Path) -> list[str]:
    found = [_model(rng, place, models), "--to", pick(rng, *FORMATS), "--n-rows", "20"]
    if rng.random() < 0.2:
        found += ["--option", f"{pick(rng, 'dialect', 'table', 'indent')}="
                  f"{pick(rng, *VALUES, 'duckdb')}"]  # fmt: skip
    return [*found, "-o", str(out / "e")] if rng.integers(2) else found


def _certify(rng: Rng, place: Path, models: Any, out: Path) -> list[str]:
    file = pick(rng, "e.json", "damaged.json", "data.csv", "tree.ramify", "none.json")
    found = [_model(rng, place, models), str(place / file), "--n-rows", "20"]
    return found + (["--format", pick(rng, *FORMATS[2:])] if rng.integers(2) else [])


def _view(rng: Rng, place: Path, models: Any, out: Path) -> list[str]:
    found = [_model(rng, place, models), "-o", str(out / "v.html")]
    return found + (["--data", _data(rng, place)] if rng.integers(2) else [])


_COMMANDS = {
    "fit": _fit,
    "predict": _predict,
    "explain": _explain,
    "show": _show,
    "prune": _prune,
    "export": _export,
    "certify": _certify,
    "view": _view,
}
