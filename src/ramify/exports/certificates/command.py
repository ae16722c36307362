# SPDX-License-Identifier: BSD-3-Clause
"""A program of the user that runs an exported file: rows go in, answers come out."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ramify.exports.base import Answers, Artefact
from ramify.exports.certificates.rows import columns_for
from ramify.exports.walk import Walk

__all__ = ["Command"]


class Command:
    """Replays a file by a command that reads rows and writes answers, line by line.

    Each line that it reads is an object in JSON, the values of a row by column, null
    where one is missing. For each it writes a line: ``null`` if it refuses the row, or
    ``{"prediction": ..., "probabilities": [...]}``, the latter in the order of
    `classes_` and for classes only. With several outputs, both are lists of these.

    Parameters
    ----------
    words : str or sequence of str
        The command, as for a shell, or its words. ``{file}`` is the file.
    file : Path
        The file.
    """

    is_own = False

    def __init__(self, words: str | Sequence[str], file: Path) -> None:
        given = shlex.split(words) if isinstance(words, str) else [*words]
        if not given:
            raise ValueError(
                "runtime='' is no command; use one such as 'python run.py'"
            )
        self.name = shlex.join(given)
        self.words = [word.replace("{file}", str(file)) for word in given]

    def version(self) -> str | None:
        """Say that nobody knows: the command does not say."""
        return "(version unknown)"

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        """Send the rows to the command, and read its answers."""
        names = [info.name for info in walk.columns]
        rows = zip(*columns_for(walk, matrix), strict=True)
        sent = "".join(
            f"{json.dumps(dict(zip(names, row, strict=True)))}\n" for row in rows
        )
        try:
            done = subprocess.run(
                self.words, input=sent.encode(), capture_output=True, check=False
            )
        except OSError as error:
            raise ValueError(f"{self.name!r} cannot be run: {error}") from None
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()[-2000:]
            raise ValueError(f"{self.name!r} ended with {done.returncode}: {said}")
        lines = done.stdout.splitlines()
        if len(lines) != len(matrix):
            raise ValueError(
                f"{self.name!r} answered {len(matrix)} rows with {len(lines)} lines; "
                "one each is right"
            )
        return Answers.of_rows(
            walk, [self._answer(walk, i, line) for i, line in enumerate(lines)]
        )

    def _answer(self, walk: Walk, i: int, line: bytes) -> tuple[Any, Any] | None:
        """Read a line; see that it has as many numbers as it should."""
        vote = walk.vote
        is_one = len(vote.outputs) == 1
        try:
            said = json.loads(line)
            if said is None:
                return None
            label = said["prediction"]
            numbers = label if vote.is_number else said["probabilities"]
            if is_one:
                parts = [[numbers] if vote.is_number else numbers]
            else:
                parts = [[x] for x in numbers] if vote.is_number else numbers
                if len(label) != len(parts):
                    raise ValueError("prediction is of other length")
            sizes = [len(list(map(float, part))) for part in parts]
            if sizes != [output.size for output in vote.outputs]:
                raise ValueError(f"{sum(sizes)} numbers")
            label = tuple(label) if isinstance(label, list) else label
            hash(label)
        except (ValueError, KeyError, TypeError) as error:
            right = '{"prediction": 1.5}'
            if not vote.is_number:
                right = '{"prediction": "a", "probabilities": [0.75, 0.25]}'
            raise ValueError(
                f"line {i + 1} of {self.name!r} is {line.decode(errors='replace')!r} "
                f"({type(error).__name__}: {error}); write null, or {right} with "
                f"{vote.n_answers} numbers"
            ) from None
        return label, numbers
