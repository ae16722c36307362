# SPDX-License-Identifier: BSD-3-Clause
"""What a target raises if a promise is broken."""


class BrokenPromiseError(AssertionError):
    """Something that we promise does not hold of a case."""

    def __init__(self, promise: str, detail: str = "") -> None:
        super().__init__(f"{promise}: {detail}" if detail else promise)
        self.promise = promise


def must(holds: bool, promise: str, detail: object = "") -> None:
    """Raise a violation unless a promise holds."""
    if not holds:
        raise BrokenPromiseError(promise, str(detail))
