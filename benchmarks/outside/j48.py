# SPDX-License-Identifier: BSD-3-Clause
"""Compare `ramify.methods.make("j48")` with WEKA's J48, tree by tree.

python -m benchmarks.outside.j48 --data DIR [--weka /usr/share/java/weka.jar]

Two trees are equal if WEKA prints the very lines that Ramify's tree gives, and if both
give the same shares, to the three digits that WEKA prints, for rows that neither has
seen. Categories that only those rows have are declared to WEKA; its lines for them,
always leaves without rows, have no counterpart in Ramify's tree and are left out.
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import ramify
from benchmarks.outside.samples import Sample, samples

WEKA = Path("/usr/share/java/weka.jar")


def arff(sample: Sample, X: pd.DataFrame, y: pd.Series | None) -> str:
    """Write rows as an ARFF file; without `y` all have the first class."""
    lines = ["@relation sample"]
    for name in X:
        if name in sample.categorical:
            kind = "{" + ",".join(sample.levels(str(name))) + "}"
        else:
            kind = "numeric"
        lines.append(f"@attribute {name} {kind}")
    lines += ["@attribute class {" + ",".join(sample.classes) + "}", "@data"]
    labels = [sample.classes[0]] * len(X) if y is None else list(y)
    for row, label in zip(X.itertuples(index=False), labels, strict=True):
        fields = [
            "?" if pd.isna(field) else field if isinstance(field, str) else repr(field)
            for field in row
        ]
        lines.append(",".join([*fields, label]))
    return "\n".join(lines) + "\n"


def weka(sample: Sample, jar: Path, options: list[str]) -> tuple[list[str], Any]:
    """Return the lines of WEKA's tree and its shares of the test rows."""
    with tempfile.TemporaryDirectory() as folder:
        train, test = Path(folder, "train.arff"), Path(folder, "test.arff")
        train.write_text(arff(sample, sample.train, sample.y))
        test.write_text(arff(sample, sample.test, None))
        command = ["java", "-cp", str(jar), "weka.classifiers.trees.J48", *options]
        command += ["-t", str(train), "-T", str(test)]

        def run(*more: str) -> list[str]:
            done = subprocess.run(
                [*command, *more], capture_output=True, text=True, check=True
            )
            return done.stdout.splitlines()

        printed = run("-no-cv", "-v")
        answers = run("-p", "0", "-distribution")
    begin = next(i for i, line in enumerate(printed) if line.startswith("-----")) + 1
    end = next(i for i, line in enumerate(printed) if line.startswith("Number of L"))
    tree = [line for line in printed[begin:end] if line.strip()]
    shares = [
        [float(share.lstrip("*")) for share in line.split()[-1].split(",")]
        for line in answers
        if re.match(r"\s*\d+\s+\d+:", line)
    ]
    return tree, np.array(shares)


def lines_of(model: Any, sample: Sample) -> list[str]:
    """Return the tree of a model in the words of WEKA."""
    tree = model.tree_

    def two_digits(x: float) -> str:
        return repr(math.floor(x * 100 + 0.5) / 100)

    def leaf(node: int) -> str:
        weight, shares = tree.weighted_n_node_samples[node], tree.value[node, 0]
        wrong = weight * (1 - shares.max())
        errors = f"/{two_digits(wrong)}" if wrong > 1e-6 else ""
        return f": {model.classes_[shares.argmax()]} ({two_digits(weight)}{errors})"

    def tests(node: int) -> list[str]:
        name = sample.train.columns[tree.feature[node]]
        if tree.kind[node] == ramify.Tree.THRESHOLD:
            cut = f"{tree.threshold[node]:.6f}".rstrip("0").rstrip(".")
            cut = "0" if cut == "-0" else cut
            return [f"{name} <= {cut}", f"{name} > {cut}"]
        levels = sorted(sample.train[name].dropna().unique())
        values, branches = tree.listed(node)
        names = dict(zip(branches.tolist(), values.astype(int).tolist(), strict=True))
        # A leaf for categories that training does not have comes without a name.
        return [f"{name} = {levels[names[b]]}" for b in sorted(names)]

    def below(node: int, depth: int) -> list[str]:
        found = []
        for child, test in zip(tree.children(node), tests(node), strict=False):
            line = "|   " * depth + test
            if tree.children_left[child] < 0:
                found.append(line + leaf(child))
            else:
                found += [line, *below(child, depth + 1)]
        return found

    return below(0, 0) or [leaf(0)]


def known_lines(lines: list[str], sample: Sample) -> list[str]:
    """Leave out WEKA's lines for categories that no training row has."""
    known = {name: set(sample.train[name].dropna()) for name in sample.categorical}

    def is_known(line: str) -> bool:
        test = re.search(r"(a\d+) = (\w+): \w+ \(0\.0\)$", line)
        return test is None or test[2] in known[test[1]]

    return [line for line in lines if is_known(line)]


def difference(sample: Sample, jar: Path, params: dict[str, Any] | None = None) -> str:
    """Describe where the two programs differ; nothing if they agree."""
    params = params or {}
    options = [] if params.get("raising", True) else ["-S"]
    theirs, shares = weka(sample, jar, options)
    model = ramify.methods.make("j48", prune_params=params)
    model.fit(sample.train, sample.y)
    ours, expected = lines_of(model, sample), known_lines(theirs, sample)
    if ours != expected:
        place = next(
            (
                i
                for i, pair in enumerate(zip(ours, expected, strict=False))
                if pair[0] != pair[1]
            ),
            min(len(ours), len(expected)),
        )
        return f"line {place}: {ours[place : place + 1]} {expected[place : place + 1]}"
    if len(sample.test) == 0:
        return ""
    away = np.abs(model.predict_proba(sample.test) - shares).max(axis=1)
    wrong = np.flatnonzero(away > 0.0005 + 1e-9)
    return f"shares of {len(wrong)} rows, up to {away.max():.3f}" if len(wrong) else ""


def main() -> None:
    """Print a line for each tree that differs, and how many are equal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--weka", type=Path, default=WEKA)
    parser.add_argument("--names", help="data sets, by commas")
    parser.add_argument("--no-raising", action="store_true")
    given = parser.parse_args()
    params = {"raising": False} if given.no_raising else None
    chosen = {"names": tuple(given.names.split(","))} if given.names else {}
    n_equal = n_all = 0
    for sample in samples(given.data, **chosen):
        found = difference(sample, given.weka, params)
        n_all += 1
        n_equal += not found
        if found:
            print(f"{sample.name}: {found}", flush=True)
    print(f"{n_equal} of {n_all} trees equal")


if __name__ == "__main__":
    main()
