# SPDX-License-Identifier: BSD-3-Clause
"""Size and speed of one forest in every form that it can leave in.

``python -m benchmarks.exports`` grows a forest of 100 trees of depth 12 on
100,000 x 20, exports it, asks each form about one row and about all of them, and writes
the table into docs/how_to/production.md. ``--quick`` uses a tenth, and writes nothing.
"""

import argparse
import ctypes
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import ramify

PAGE = Path(__file__).parents[1] / "docs" / "how_to" / "production.md"
BEGIN, END = "<!-- speed: begin -->", "<!-- speed: end -->"

DRIVER = """\
#include "model.h"
void ask(const double *x, double *answer, long n_rows, long n_columns, long n_answers) {
  long i;
  for (i = 0; i < n_rows; ++i)
    model_predict(x + i * n_columns, answer + i * n_answers, NULL);
}
"""


def data(n_rows, n_columns=20, seed=0):
    """Return rows whose class depends on a few columns, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    score = X[:, 0] + X[:, 1] * X[:, 2] - np.abs(X[:, 3]) + rng.normal(size=n_rows)
    return X, (score > 0).astype(int)


def seconds(ask, at_least=0.3):
    """Return the least processor time of some calls; other programs may be running."""
    best, spent = np.inf, 0.0
    while spent < at_least:
        begun = time.process_time()
        ask()
        took = time.process_time() - begun
        best, spent = min(best, took), spent + took
    return best


def compiled(header, folder):
    """Compile a header into a library; give a function (rows) -> answers."""
    place = Path(folder)
    (place / "model.h").write_text(header)
    (place / "model.c").write_text(DRIVER)
    command = ["cc", "-O2", "-std=c99", "-shared", "-fPIC", "-o", "model.so"]
    begun = time.perf_counter()
    subprocess.run([*command, "model.c", "-lm"], cwd=folder, check=True)
    took = time.perf_counter() - begun
    library = ctypes.CDLL(str(place / "model.so"))

    def ask(X, answer):
        library.ask(
            X.ctypes.data_as(ctypes.c_void_p),
            answer.ctypes.data_as(ctypes.c_void_p),
            *(ctypes.c_long(n) for n in (*X.shape, answer.shape[1])),
        )
        return answer

    return ask, took, (place / "model.so").stat().st_size


def measure(n_rows):
    """Return lines of the table: form, size, one row, all rows."""
    X, y = data(n_rows)
    forest = ramify.RandomForestClassifier(
        100, max_depth=12, random_state=0, n_jobs=-1
    ).fit(X, y)
    forest.n_jobs = 1
    expected = forest.predict_proba(X)
    lines = []

    def line(name, size, one, every):
        lines.append((name, size, one, every))
        print(f"{name:24s} {size / 1e6:8.2f} MB {one * 1e6:12.1f} us "
              f"{every:8.3f} s", flush=True)  # fmt: skip

    with tempfile.TemporaryDirectory() as folder:
        forest.save(f"{folder}/m.ramify")
        size = Path(f"{folder}/m.ramify").stat().st_size
        line(
            "`predict_proba` (`.ramify`)",
            size,
            seconds(lambda: forest.predict_proba(X[:1])),
            seconds(lambda: forest.predict_proba(X)),
        )
        made = ramify.export(forest, "c", certify=False)
        ask, took, _ = compiled(made.artefact, folder)
        answer = np.zeros((n_rows, 2))
        np.testing.assert_array_equal(ask(X, answer), expected)
        one = X[:1].copy()
        line(
            "C",
            len(made.artefact),
            seconds(lambda: ask(one, answer[:1])),
            seconds(lambda: ask(X, answer)),
        )
        print(f"  cc -O2 took {took:.1f} s")
    made = ramify.export(forest, "onnx", certify=False)
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(made.artefact, settings)
    said = session.run(["probabilities"], {"X": X})[0]
    np.testing.assert_array_equal(said, expected)
    line(
        "ONNX (onnxruntime)",
        len(made.artefact),
        seconds(lambda: session.run(["probabilities"], {"X": X[:1]})),
        seconds(lambda: session.run(["probabilities"], {"X": X})),
    )
    made = ramify.export(forest, "treelite", certify=False)
    import treelite

    model = treelite.Model.deserialize_bytes(made.artefact)
    said = treelite.gtil.predict(model, X, nthread=1)
    np.testing.assert_array_equal(np.asarray(said).reshape(n_rows, -1), expected)
    line(
        "treelite (GTIL)",
        len(made.artefact),
        seconds(lambda: treelite.gtil.predict(model, X[:1], nthread=1)),
        seconds(lambda: treelite.gtil.predict(model, X, nthread=1)),
    )
    made = ramify.export(forest, "json", certify=False)
    lines.append(("JSON", len(made.artefact), None, None))
    return forest, lines


def table(forest, lines, n_rows):
    """Write the lines as Markdown."""
    nodes = sum(each.tree_.node_count for each in forest.estimators_)
    out = [
        f"100 trees of depth 12 ({nodes:,} nodes) on {n_rows:,} x 20, one thread, "
        "processor time; "
        f"Python {platform.python_version()}, {platform.machine()}. Written by "
        "`python -m benchmarks.exports`.",
        "",
        f"| form | size | one row | {n_rows:,} rows |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, size, one, every in lines:
        row = "" if one is None else f"{one * 1e6:,.0f} µs"
        rows = "" if every is None else f"{every:.2f} s"
        out.append(f"| {name} | {size / 1e6:.1f} MB | {row} | {rows} |")
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    n_rows = 10_000 if quick else 100_000
    forest, lines = measure(n_rows)
    text = table(forest, lines, n_rows)
    print(text)
    if not quick:
        page = PAGE.read_text()
        before, rest = page.split(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    sys.exit(main())
