# SPDX-License-Identifier: BSD-3-Clause
"""Check the types of the code blocks of README, tutorial and how-to pages.

The Python blocks of a page are one module, in which every line has the number that it
has on the page. mypy checks them, and so does pyright with --pyright; without --check
the modules are kept in build/blocks, to be looked at.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from fill_outputs import BLOCK, DOCS, ROOT

# Pages that people copy from; mypy_path finds ramify.
PAGES = (
    ROOT / "README.md",
    *(DOCS / "tutorial").glob("*.md"),
    *(DOCS / "how_to").glob("*.md"),
)
# Blocks go on where those above them ended: names may get another type, and what a
# script computes has no annotations. Packages without types are not what is checked;
# errors inside of ramify are found by its own, stricter settings.
SETTINGS = """
[mypy]
ignore_missing_imports = True
allow_redefinition = True
check_untyped_defs = True
mypy_path = {source}
cache_dir = {cache}

[mypy-ramify.*]
ignore_errors = True
"""
# pyright would guess the types of scikit-learn from its code, and wrongly.
PYRIGHT = {"useLibraryCodeForTypes": False, "reportMissingModuleSource": False}


def module_of(page: str) -> str:
    """Return the Python blocks of a page, each line at its place."""
    lines = [""] * (page.count("\n") + 1)
    for found in BLOCK.finditer(page):
        first = page[: found.start("source")].count("\n")
        source = found["source"].splitlines()
        lines[first : first + len(source)] = source
    return "\n".join(lines)


def write_modules(folder: Path) -> int:
    """Write a module per page that has blocks; return their number."""
    n_modules = 0
    for page in sorted(PAGES):
        text = page.read_text("utf-8")
        if BLOCK.search(text):
            name = re.sub(r"\W", "_", page.relative_to(ROOT).with_suffix("").as_posix())
            (folder / f"{name}.py").write_text(module_of(text), encoding="utf-8")
            n_modules += 1
    return n_modules


def main() -> int:
    """Check the pages; return 1 if a type is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="keep no modules")
    parser.add_argument("--pyright", action="store_true", help="use pyright, too")
    options = parser.parse_args()
    kept = ROOT / "build" / "blocks"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "blocks" if options.check else kept
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        n_modules = write_modules(folder)
        settings = Path(temporary) / "mypy.ini"
        cache = ROOT / ".mypy_cache"
        settings.write_text(SETTINGS.format(source=ROOT / "src", cache=cache))
        files = sorted(map(str, folder.glob("*.py")))
        commands = [["mypy", "--config-file", str(settings), *files]]
        if options.pyright:
            project = folder / "pyrightconfig.json"
            project.write_text(
                json.dumps({**PYRIGHT, "extraPaths": [str(ROOT / "src")]})
            )
            commands.append(["pyright", "--project", str(project)])
        codes = [
            subprocess.run([sys.executable, "-m", *command]).returncode
            for command in commands
        ]
    print(f"{n_modules} pages checked")
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
