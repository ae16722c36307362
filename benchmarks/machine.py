# SPDX-License-Identifier: BSD-3-Clause
"""What measurements share: machine, versions of packages, processor time."""

import os
import platform
import time
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path


def machine() -> str:
    model = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}"
    )


def versions(packages: Iterable[str]) -> dict[str, str]:
    found = {}
    for package in dict.fromkeys(packages):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def processor_seconds(work: Callable[[], object], shortest: float = 0.05) -> float:
    """Return the processor time of `work`; what is shorter is repeated and averaged."""
    start, count, spent = time.process_time(), 0, 0.0
    while spent < shortest:
        work()
        count += 1
        spent = time.process_time() - start
    return spent / count
