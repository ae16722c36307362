# SPDX-License-Identifier: BSD-3-Clause
"""Command line: `python -m benchmarks.trees`, run from the root of the repository.

Grows more than a thousand models and prints one hash of all their arrays per line. A
change of the core that is meant to change no tree leaves every line as it was in
`reference.txt`; one that changes some says which and why. The hashes hold for one
processor and one C library: they are compared on the machine that wrote them, or the
reference is written anew from the commit before the change (`--write`).
"""

import argparse
import sys
import time
from pathlib import Path

from .cases import all_cases
from .hashing import hash_of

REFERENCE = Path(__file__).with_name("reference.txt")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trees")
    parser.add_argument("--write", action="store_true", help="make these the reference")
    parser.add_argument("--only", default="", help="lines whose name holds this text")
    parser.add_argument("--quiet", action="store_true", help="print what differs only")
    parser.add_argument("--reference", type=Path, default=REFERENCE)
    arguments = parser.parse_args()
    known = _read(arguments.reference)
    found: dict[str, str] = {}
    started = time.process_time()
    for name, make in all_cases():
        if arguments.only not in name:
            continue
        assert name not in found, name
        found[name] = hash_of(make)
        same = known.get(name) == found[name]
        if not arguments.quiet or not (same or arguments.write):
            print(found[name], name, "" if same else "   <- differs", flush=True)
    lines = [f"{value} {name}" for name, value in found.items()]
    if arguments.write:
        arguments.reference.write_text("\n".join(lines) + "\n")
    wrong = [name for name in found if known.get(name) != found[name]]
    gone = [] if arguments.only else [name for name in known if name not in found]
    print(
        f"{len(found)} models, {len(wrong)} differ from the reference, {len(gone)} are "
        f"no longer grown; {time.process_time() - started:.0f} s",
        file=sys.stderr,
    )
    return 0 if arguments.write or not (wrong or gone) else 1


def _read(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    pairs = (line.split(" ", 1) for line in path.read_text().splitlines())
    return {name: value for value, name in pairs}


if __name__ == "__main__":
    sys.exit(main())
