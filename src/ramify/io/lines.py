# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a text file, and what is wrong with it if it is no text."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from ramify.io.base import Source

__all__ = ["better_encoding", "is_binary", "text_lines"]

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@contextmanager
def text_lines(source: Source) -> Iterator[Iterator[str]]:
    """Return the lines of a file in its encoding, as they end in it."""
    try:
        with (
            source.open() as binary,
            io.TextIOWrapper(binary, encoding=source.encoding, newline="") as text,
        ):
            try:
                yield text
            except UnicodeError as error:
                if source.encoding != "utf-8-sig":
                    raise ValueError(
                        f"{source.shown} is not text in encoding={source.encoding!r}: "
                        f"{_in_words(error)}; name another."
                    ) from None
                raise ValueError(_why_not_text(source)) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{source.shown} is not a whole gzip file: {error}") from None


def _in_words(error: UnicodeError) -> str:
    if not isinstance(error, UnicodeDecodeError):
        return str(error)
    wrong = error.object[error.start : error.start + 1]
    return f"the byte 0x{wrong.hex()} is no character there"


def _why_not_text(source: Source) -> str:
    """Say at which line and byte the text ends to be UTF-8, and what to try."""
    if source.begins_with(b"PK\x03\x04"):
        return f"{source.shown} is a zip or Excel file; save it as CSV."
    if is_binary(source):
        return (
            f"{source.shown} holds the byte 0: it is no text, or UTF-16 without a "
            "mark; save it as CSV in UTF-8."
        )
    encoding, where = better_encoding(source)
    if encoding is None:
        return f"{source.shown} {where}; write all lines in UTF-8."
    advice = f"read it by encoding={encoding!r}, or save it as UTF-8."
    return f"{source.shown} {where}; {advice}"


def is_binary(source: Source) -> bool:
    """Return whether a file begins as no text does: with a byte 0, or as a zip file."""
    head = source.head()
    has_zero = b"\0" in head and head[:2] not in _UTF16_MARKS
    return has_zero or head.startswith(b"PK\x03\x04")


def better_encoding(source: Source) -> tuple[str | None, str]:
    """Return the encoding of text that is not UTF-8, and where that shows.

    None if it is UTF-8, without words; and if lines differ, with words.
    """
    if source.head(2) in _UTF16_MARKS:
        return "utf-16", "is UTF-16, not UTF-8 text"
    good_line, bad_line, wrong = None, 0, b""
    start = 0
    with source.open() as binary:
        for i, line in enumerate(binary, 1):
            try:
                text = line.decode("utf-8-sig" if i == 1 else "utf-8")
            except UnicodeDecodeError as error:
                if not wrong:
                    bad_line, start, wrong = i, error.start, line
                continue
            if good_line is None and not text.isascii():
                good_line = i
    if not wrong:
        return None, ""
    where = f"line {bad_line}, byte {start + 1} is 0x{wrong[start]:02x}"
    encoding = _encoding_of(wrong)
    shown = wrong[start : start + 1].decode(encoding)
    where += f", {shown!r} in {encoding}" if shown.isprintable() else ""
    if good_line is not None:
        return None, f"mixes encodings: line {good_line} is UTF-8 text, but {where}"
    return encoding, f"is not UTF-8 text ({where})"


def _encoding_of(line: bytes) -> str:
    """Guess between the two encodings of western text; Windows' is the commoner."""
    try:
        line.decode("cp1252")
    except UnicodeDecodeError:
        return "latin1"
    return "cp1252"
