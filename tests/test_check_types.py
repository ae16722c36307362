# SPDX-License-Identifier: BSD-3-Clause
"""The blocks of a page are checked as one module, with the page's line numbers."""

import sys
from pathlib import Path

TOOLS = Path(__file__).parents[1] / "tools"


def test_lines_of_blocks_stand_where_the_page_has_them(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    import check_types

    text = (
        "# Title\n\n```python\nx = 1\n```\n\n```text\n1\n```\n\n```python\ny = x\n```\n"
    )
    lines = check_types.module_of(text).splitlines()
    assert {i: line for i, line in enumerate(lines, 1) if line} == {
        4: "x = 1",
        12: "y = x",
    }
    assert text.splitlines()[11] == "y = x"
    names = {page.name for page in check_types.PAGES}
    assert {"README.md", "first_tree.md", "own_criterion.md"} <= names
    sys.modules.pop("check_types")
    sys.modules.pop("fill_outputs", None)
