# SPDX-License-Identifier: BSD-3-Clause
"""The stub of the native module, which is kept in the repository, is complete."""

import ast
from pathlib import Path

from ramify import _core

STUB = Path(__file__).parent.parent / "src" / "ramify" / "_core.pyi"
HINT = "; copy the stub that the build wrote to src/ramify/_core.pyi"


def names_in_stub() -> set[str]:
    """Functions, classes and attributes of classes, as `name` and `Class.name`."""
    names = set()
    for entry in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(entry, ast.FunctionDef):
            names.add(entry.name)
        if not isinstance(entry, ast.ClassDef):
            continue
        names.add(entry.name)
        for part in entry.body:
            if isinstance(part, ast.FunctionDef):
                names.add(f"{entry.name}.{part.name}")
            elif isinstance(part, ast.Assign | ast.AnnAssign):
                targets = (
                    part.targets if isinstance(part, ast.Assign) else [part.target]
                )
                names.update(f"{entry.name}.{target.id}" for target in targets)
    return {name for name in names if "_" not in (name[0], name.split(".")[-1][0])}


def names_in_module() -> set[str]:
    names = set()
    for name, value in vars(_core).items():
        if name.startswith("_"):
            continue
        names.add(name)
        if isinstance(value, type):
            own = (part for part in vars(value) if not part.startswith("_"))
            names.update(f"{name}.{part}" for part in own)
    return names


def test_stub_names_all_that_the_native_module_has():
    missing = names_in_module() - names_in_stub()
    assert not missing, f"the stub lacks {sorted(missing)}{HINT}"


def test_stub_names_nothing_that_the_native_module_lacks():
    extra = names_in_stub() - names_in_module()
    assert not extra, f"the stub still has {sorted(extra)}{HINT}"
