# SPDX-License-Identifier: BSD-3-Clause
"""Data sets by name, from a file or from a folder, each as one small `Dataset`."""

from ramify.datasets.catalogue import load, load_all, names
from ramify.datasets.dataset import Dataset
from ramify.datasets.keel import keel_groups
from ramify.datasets.objects import from_objects
from ramify.datasets.problems import Problem, check
from ramify.datasets.reading import read_file
from ramify.datasets.suites import Suite, suite, suite_names

__all__ = [
    "Dataset",
    "Problem",
    "Suite",
    "check",
    "from_objects",
    "keel_groups",
    "load",
    "load_all",
    "names",
    "read_file",
    "suite",
    "suite_names",
]
