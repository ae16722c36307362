# SPDX-License-Identifier: BSD-3-Clause
"""One run of a learner on a stream: how often it was right, and its processor time."""

from __future__ import annotations

import re
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import ramify

Run = tuple[float, float]  # accuracy, seconds of processor time


def ours(model: Any, X: np.ndarray, y: np.ndarray, at_once: int = 1000) -> Run:
    """Test, then train, in batches; Python included."""
    classes, n_right = np.unique(y), 0
    start = time.process_time()
    for i in range(0, len(y), at_once):
        rows, labels = X[i : i + at_once], y[i : i + at_once]
        said = model.test_then_train(rows, labels, classes)
        n_right += int((said == labels).sum())
    return n_right / len(y), time.process_time() - start


def row_by_row(model: Any, X: np.ndarray, y: np.ndarray) -> Run:
    """Test, then train, with a call per row."""
    learn, n_right = model.row_learner(np.unique(y)), 0
    rows, labels = X.tolist(), y.tolist()
    start = time.process_time()
    for row, label in zip(rows, labels, strict=True):
        n_right += learn(row, label) == label
    return n_right / len(y), time.process_time() - start


def river(model: Any, X: np.ndarray, y: np.ndarray) -> Run:
    """Rows as dicts, made beforehand; river's trees take no missing values as such."""
    names = [f"x{j}" for j in range(X.shape[1])]
    rows = [
        {name: cell for name, cell in zip(names, row, strict=True) if cell is not None}
        for row in X.tolist()
    ]
    labels, n_right = y.tolist(), 0
    start = time.process_time()
    for row, label in zip(rows, labels, strict=True):
        n_right += model.predict_one(row) == label
        model.learn_one(row, label)
    return n_right / len(y), time.process_time() - start


def write_arff(path: Path, X: np.ndarray, y: np.ndarray) -> None:
    """Write rows as MOA reads them."""
    is_text = [isinstance(X[0, j], str) or X.dtype == object for j in range(X.shape[1])]
    is_text = [
        text and any(isinstance(cell, str) for cell in X[:, j])
        for j, text in enumerate(is_text)
    ]
    with path.open("w") as file:
        file.write("@relation stream\n")
        for j, text in enumerate(is_text):
            kind = "numeric"
            if text:
                words = sorted({cell for cell in X[:, j] if cell is not None})
                kind = "{" + ",".join(f"'{word}'" for word in words) + "}"
            file.write(f"@attribute x{j} {kind}\n")
        labels = ",".join(f"c{k}" for k in np.unique(y))
        file.write(f"@attribute class {{{labels}}}\n@data\n")
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            cells = [
                "?" if cell is None else f"'{cell}'" if text else repr(cell)
                for cell, text in zip(row, is_text, strict=True)
            ]
            file.write(",".join([*cells, f"c{label}"]) + "\n")


def moa(jar: Path, learner: str, X: np.ndarray, y: np.ndarray) -> Run:
    """Test, then train, in Java; reading the file included."""
    with tempfile.TemporaryDirectory() as folder:
        arff = Path(folder) / "stream.arff"
        write_arff(arff, X, y)
        task = (
            f"EvaluateInterleavedTestThenTrain -l ({learner}) "
            f"-s (ArffFileStream -f {arff}) -f {len(y)}"
        )
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            ["java", "-XX:+UseSerialGC", "-cp", str(jar), "moa.DoTask", task],
            capture_output=True,
            text=True,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = [line for line in done.stdout.splitlines() if "," in line]
    place = lines[0].split(",").index("classifications correct (percent)")
    accuracy = float(re.split(",", lines[-1])[place]) / 100
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return accuracy, seconds


def tree(**parameters: Any) -> ramify.OnlineTreeClassifier:
    """Return our tree."""
    return ramify.OnlineTreeClassifier(**parameters)
