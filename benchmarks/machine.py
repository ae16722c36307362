# SPDX-License-Identifier: BSD-3-Clause
"""What a measurement was made on: the machine, and the versions of packages."""

import os
import platform
from collections.abc import Iterable
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
