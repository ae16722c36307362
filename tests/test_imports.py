# SPDX-License-Identifier: BSD-3-Clause
"""What a program pays for: packages are imported when they are needed."""

import subprocess
import sys

import pytest

LATER = ("narwhals", "click", "rich", "matplotlib", "cloudpickle", "pandas", "polars")
FIT = "ramify.DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1])"


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("", (*LATER, "sklearn", "scipy")),
        (FIT, ("click", "rich", "matplotlib")),
    ],
    ids=["import", "fit"],
)
def test_packages_are_imported_when_they_are_needed(code, absent):
    program = f"import sys, ramify\n{code}\nprint(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "ramify" in run.stdout.split()
    assert not set(run.stdout.split()) & set(absent)
