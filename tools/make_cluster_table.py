# SPDX-License-Identifier: BSD-3-Clause
"""Write the table of a large cluster into its page; ``--check`` compares."""

import sys
from pathlib import Path

from ramify.dask import estimate

PAGE = Path(__file__).parents[1] / "docs" / "how_to" / "cluster.md"
BEGIN, END = "<!-- estimate: begin -->", "<!-- estimate: end -->"


def page() -> str:
    """Return the page with the table as it is calculated now."""
    head, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    found = estimate(n_rows=1e10, n_columns=100, n_workers=100, cores=16, max_depth=10)
    return f"{head}{BEGIN}\n\n```text\n{found}\n```\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    if "--check" not in sys.argv:
        PAGE.write_text(page(), "utf-8")
    elif page() != PAGE.read_text("utf-8"):
        sys.exit(f"{PAGE.name} is out of date; run make_cluster_table.py")
