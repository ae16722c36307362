# SPDX-License-Identifier: BSD-3-Clause
"""The command: ``python -m fuzz --minutes 30`` in the folder of the tests."""

import argparse
import sys
from collections.abc import Sequence

from fuzz.runner import run, run_case
from fuzz.targets import TARGETS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run targets and print what was seen; 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--target", choices=TARGETS, action="append")
    parser.add_argument("--minutes", type=float, help="in all, shared by the targets")
    parser.add_argument("--cases", type=int, help="of each target")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", type=int, help="run this case in this process")
    asked = parser.parse_args(arguments)
    targets = asked.target or TARGETS
    if asked.only is not None:
        print(*run_case(targets[0], asked.only), sep="\n")
        return 0
    minutes = 1.0 if asked.minutes is None and asked.cases is None else asked.minutes
    seconds = None if minutes is None else 60 * minutes / len(targets)
    failed = False
    for target in targets:
        report = run(target, first=asked.first, n_cases=asked.cases, seconds=seconds)
        print(report, flush=True)
        failed = failed or bool(report.failures)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
