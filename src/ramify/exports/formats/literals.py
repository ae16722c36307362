# SPDX-License-Identifier: BSD-3-Clause
"""Names, text and numbers as other languages write them, whatever is in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

__all__ = [
    "c_number",
    "c_text",
    "comment",
    "identifier",
    "js_value",
    "label_text",
    "lines_of",
    "number",
    "python_value",
]


def number(x: float) -> str:
    """Write a double with as few digits as give it back."""
    return repr(float(x))


def c_number(x: float) -> str:
    """Write a double in base 16: no reader rounds it."""
    return float(x).hex()


def c_text(text: str) -> str:
    """Write text as UTF-8 between double quotes: other bytes than ASCII in octal.

    A question mark would begin a trigraph.
    """
    plain = [
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
        for byte in text.encode()
    ]
    return f'"{"".join(plain)}"'


def js_value(value: Any) -> str:
    """Write plain values for JavaScript, so that they may stand in a page."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def python_value(value: Any) -> str:
    """Write a plain value for Python, in ASCII."""
    return ascii(value)


def comment(text: str) -> str:
    """Write text so that no comment of any language can end in it."""
    plain = ascii(text)[1:-1]
    return re.sub(r"\*/|/\*|--|\?\?|#|<|>|&", "_", plain)


def identifier(name: str, what: str = "name") -> str:
    """Check that a word may be the name of a function; give it back."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,40}", name):
        raise ValueError(
            f"{what}={name!r} is not allowed; use letters, digits and _, beginning "
            "with a letter, such as 'model'"
        )
    return name


def label_text(label: Any) -> str:
    """Write a label as text, as `ramify predict` writes it."""
    return str(label)


def lines_of(items: Iterable[str], width: int = 88, indent: str = "  ") -> str:
    """Write items with a comma behind each, several to a line."""
    lines: list[str] = []
    line = indent
    for item in items:
        if len(line) + len(item) + 2 > width and line != indent:
            lines.append(line.rstrip() + "\n")
            line = indent
        line += item + ", "
    if line != indent:
        lines.append(line.rstrip() + "\n")
    return "".join(lines)
