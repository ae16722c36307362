# SPDX-License-Identifier: BSD-3-Clause
"""Compare the methods `ctree` and `rpart` with R's partykit and rpart, tree by tree.

python -m benchmarks.outside.in_r --data DIR [--names adult,german] [--only ctree]

Rows with missing values are left out. Two trees are equal if they part the training
rows into the same leaves: where columns are tied, programs may name another one. Of
rpart the complexities that `printcp` shows must be equal, too.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import ramify
from benchmarks.outside.samples import MIXED, NUMERIC, Sample, samples

PACKAGES = {"ctree": "partykit", "rpart": "rpart"}
FIT = """
suppressMessages({{library({package})}})
for (path in Sys.glob(file.path("{folder}", "*.csv"))) {{
  data <- read.csv(path, stringsAsFactors = TRUE)
  data$class <- factor(data$class)
  {fit}
}}
"""
FITS = {
    "ctree": """
  model <- ctree(class ~ ., data = data)
  write.csv(predict(model, type = "node"), sub("csv$", "leaves", path))
""",
    "rpart": """
  model <- rpart(class ~ ., data = data, method = "class", xval = 0,
                 maxsurrogate = 0, maxcompete = 0)
  write.csv(model$where, sub("csv$", "leaves", path))
  table <- if (is.null(model$cptable)) matrix(0, 0, 2) else model$cptable
  write.csv(format(table[, 1:2, drop = FALSE], digits = 15), sub("csv$", "cp", path))
""",
}


def leaves_in_r(drawn: list[Sample], method: str, folder: Path) -> None:
    """Fit R's trees; each leaves its leaves (and table of cp) in the folder."""
    for sample in drawn:
        table = sample.train.assign(**{"class": sample.y})
        table.to_csv(folder / f"{sample.name}.csv", index=False)
    script = folder / "fit.R"
    fit = FITS[method]
    script.write_text(FIT.format(package=PACKAGES[method], folder=folder, fit=fit))
    subprocess.run(["Rscript", str(script)], check=True, capture_output=True, text=True)


def is_same_partition(ours: Any, theirs: Any) -> bool:
    """Return whether two lists of leaves part the rows in the same way."""
    pairs = np.unique(np.column_stack([ours, theirs]), axis=0)
    return len(pairs) == len(np.unique(ours)) == len(np.unique(theirs))


def difference(sample: Sample, method: str, folder: Path) -> str:
    """Describe how a tree of Ramify differs from R's; nothing if it does not."""
    theirs = pd.read_csv(folder / f"{sample.name}.leaves").iloc[:, 1].to_numpy()
    model = ramify.methods.make(method).fit(sample.train, sample.y)
    ours = model.apply(sample.train)
    if not is_same_partition(ours, theirs):
        return f"{len(np.unique(ours))} leaves, {len(np.unique(theirs))} in R"
    if method == "rpart":
        printed = pd.read_csv(folder / f"{sample.name}.cp")
        expected = np.sort(printed["CP"].to_numpy())
        found = np.asarray(model._pruning["cp"])
        if len(found) != len(expected) or not np.allclose(found, expected, rtol=1e-9):
            return f"cp {found.round(6).tolist()}, in R {expected.round(6).tolist()}"
    return ""


def main() -> None:
    """Print a line for each tree that differs, and how many are equal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--names", help="data sets, by commas")
    parser.add_argument("--only", choices=list(FITS))
    given = parser.parse_args()
    names = tuple(given.names.split(",")) if given.names else (*MIXED, *NUMERIC)
    drawn = list(samples(given.data, names, missing=False))
    for method in [given.only] if given.only else FITS:
        with tempfile.TemporaryDirectory() as place:
            leaves_in_r(drawn, method, Path(place))
            n_equal = 0
            for sample in drawn:
                found = difference(sample, method, Path(place))
                n_equal += not found
                if found:
                    print(f"{method} {sample.name}: {found}", flush=True)
        print(f"{method}: {n_equal} of {len(drawn)} trees equal", flush=True)


if __name__ == "__main__":
    main()
