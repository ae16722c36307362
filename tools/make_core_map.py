# SPDX-License-Identifier: BSD-3-Clause
"""Write the lines and includes of each module, and their picture, into core/README.md.

Lines are rounded to hundreds.

With --check nothing is written, and the exit code is 1 if the page is out of date.
"""

import re
import sys
from pathlib import Path

CORE = Path(__file__).parents[1] / "core"
PAGE = CORE / "README.md"


def modules(page: str) -> list[str]:
    """Return the modules in the order of the table."""
    return re.findall(r"^\| `(\w+)` \|", between(page, "modules"), re.M)


def between(page: str, name: str) -> str:
    """Return what stands between the marks of a section."""
    found = re.search(
        rf"<!-- {name}\b[^\n]*-->\n(.*?)<!-- end of {name} -->", page, re.S
    )
    if not found:
        raise SystemExit(f"core/README.md has no section {name!r}")
    return found.group(1)


def sources(module: str) -> list[Path]:
    """Return the files of a module."""
    return sorted((CORE / module).rglob("*.[ch]pp"))


def included(module: str) -> set[str]:
    """Return the other modules that the files of one include."""
    names = {
        name
        for path in sources(module)
        for name in re.findall(r'^#include "(\w+)/', path.read_text("utf-8"), re.M)
    }
    return names - {module}


def reduced(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the graph without the edges that follow from others."""
    reached: dict[str, set[str]] = {}
    direct: dict[str, set[str]] = {}
    for module, known in graph.items():  # in order: what is known comes first
        beyond = set().union(*(reached[name] for name in known))
        direct[module] = known - beyond
        reached[module] = known | beyond
    return direct


def picture(graph: dict[str, set[str]]) -> str:
    """Return a diagram of what includes what, in Mermaid."""
    direct = reduced(graph)
    arrows = [
        f"  {module} --> {name}"
        for module in graph
        for name in graph
        if name in direct[module]
    ]
    return "\n".join(["```mermaid", "graph BT", *arrows, "```", ""])


def filled(page: str) -> str:
    """Return the page with the columns and the picture of today."""
    order = modules(page)
    graph = {module: included(module) for module in order}
    for place, module in enumerate(order):
        if circle := graph[module] - set(order[:place]):
            raise SystemExit(f"{module} includes {circle}, which does not stand above")

    def row(found: re.Match[str]) -> str:
        module, question = found.groups()
        n_lines = sum(
            len(path.read_text("utf-8").splitlines()) for path in sources(module)
        )
        names = ", ".join(name for name in order if name in graph[module])
        return f"| `{module}` | {question} | {round(n_lines, -2):,} | {names} |"

    table = between(page, "modules")
    rows = re.sub(r"^\| `(\w+)` \| (.*?) \|[^|]*\|[^|]*\|$", row, table, flags=re.M)
    page = page.replace(table, rows)
    start = page.index("<!-- picture -->\n") + len("<!-- picture -->\n")
    return page[:start] + picture(graph) + page[page.index("<!-- end of picture") :]


def main() -> int:
    """Write or check the page."""
    old = PAGE.read_text("utf-8")
    new = filled(old)
    if new == old:
        return 0
    if "--check" in sys.argv[1:]:
        print("core/README.md is out of date: run python tools/make_core_map.py")
        return 1
    PAGE.write_text(new, "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
