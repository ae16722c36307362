# SPDX-License-Identifier: BSD-3-Clause
"""How long a build from source takes: `python -m benchmarks.build`.

A wheel is built in a fresh folder, without a compiler cache. Processor time is counted,
which does not depend on the number of cores. `--update` writes it to CONTRIBUTING.md.
"""

import argparse
import datetime
import os
import resource
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple

from .machine import machine
from .pages import insert

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "CONTRIBUTING.md"
MARKS = "<!-- build: begin -->", "<!-- build: end -->"
LAUNCHER = Path(__file__).with_name("timed_compiler.py")
SHOWN = 6  # units, the longest


class Unit(NamedTuple):
    """What the compiler made of one file, or of several as one."""

    seconds: float
    megabytes: float
    name: str


class Build(NamedTuple):
    seconds: float
    units: list[Unit]
    compiler: str
    module_megabytes: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.build")
    parser.add_argument("--update", action="store_true", help="write CONTRIBUTING.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        build = measure(Path(folder))
    for unit in build.units:
        print(f"{unit.seconds:7.1f} s {unit.megabytes:6.0f} MB  {unit.name}")
    print(said := sentence(build))
    if arguments.update:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(insert(page, said, MARKS), encoding="utf-8")
    return 0


def measure(folder: Path) -> Build:
    """Build a wheel in a folder, and look at what it cost."""
    log = folder / "units.txt"
    launcher = f"{sys.executable};{LAUNCHER};{log}"
    command = [
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"),
        *("--no-build-isolation", f"--config-settings=build-dir={folder / 'build'}"),
        *(f"--wheel-dir={folder}", str(ROOT)),
    ]
    before = _children()
    subprocess.run(
        command,
        check=True,
        env=os.environ
        | {"CMAKE_CXX_COMPILER_LAUNCHER": launcher, "CCACHE_DISABLE": "1"},
    )
    seconds = _children() - before
    units = []
    for line in log.read_text().splitlines():
        cpu, memory, name = line.split(" ", 2)
        units.append(Unit(float(cpu), float(memory), _short(name)))
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        module = next(i for i in wheel.infolist() if "/_core" in i.filename)
        size = max(module.file_size, 1) / 1e6
    return Build(seconds, sorted(units, reverse=True), _compiler(folder), size)


def sentence(build: Build) -> str:
    longest = ", ".join(f"`{u.name}` {u.seconds:.0f}" for u in build.units[:SHOWN])
    return "\n".join(
        (
            f"A build takes {build.seconds:.0f} s of processor time; the longest units",
            f"take {longest} s, and the module has {build.module_megabytes:.1f} MB",
            f"({datetime.date.today()}, {build.compiler}, {machine()};",
            "`python -m benchmarks.build --update`).",
        )
    )


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _short(name: str) -> str:
    """Return the target and the room or file of an object."""
    parts = Path(name).parts
    target = next((p for p in parts if p.endswith(".dir")), "").removesuffix(".dir")
    file = parts[-1].split(".")[0].removeprefix("unity_").removesuffix("_cxx")
    return f"{target.removeprefix('ramify_').removeprefix('_')}/{file}"


def _compiler(folder: Path) -> str:
    for cache in folder.glob("build/CMakeCache.txt"):
        for line in cache.read_text().splitlines():
            if line.startswith("CMAKE_CXX_COMPILER:"):
                path = line.partition("=")[2]
                said = subprocess.run(
                    [path, "--version"], capture_output=True, text=True
                )
                return said.stdout.splitlines()[0]
    return "unknown compiler"


if __name__ == "__main__":
    sys.exit(main())
