# SPDX-License-Identifier: BSD-3-Clause
"""A program around an exported C header that reads rows and writes their answers."""

from __future__ import annotations

import struct
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ramify.exports.certificates.rows import columns_for
from ramify.exports.walk import Walk

__all__ = ["run"]

_DRIVER = """\
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
static char text[1 << 20];
RAMIFY_UNUSED static const char *read_text(void) {{
  int32_t n;
  if (fread(&n, 4, 1, stdin) != 1) exit(3);
  if (n < 0) return NULL;
  if (n >= (int32_t)sizeof text) exit(3);
  if (fread(text, 1, (size_t)n, stdin) != (size_t)n) exit(3);
  text[n] = 0;
  return text;
}}
RAMIFY_UNUSED static double read_number(void) {{
  double x;
  if (fread(&x, 8, 1, stdin) != 1) exit(3);
  return x;
}}
int main(void) {{
  double x[{n_columns}], answer[{n_answers}];
  int32_t decision[{n_outputs}] = {{0}}, n_rows, i, status;
  if (fread(&n_rows, 4, 1, stdin) != 1) return 3;
  for (i = 0; i < n_rows; ++i) {{
{reads}
    memset(answer, 0, sizeof answer);
    status = {m}_predict(x, answer, decision);
    fwrite(&status, 4, 1, stdout);
    fwrite(answer, 8, {n_answers}, stdout);
    fwrite(decision, 4, {n_outputs}, stdout);
  }}
  return 0;
}}
"""


def run(header: str, name: str, walk: Walk, matrix: Any) -> Any:
    """Compile a header with a program around it, and run that on rows.

    Returns
    -------
    ndarray with the fields "status", "answer" and "decision"
    """
    vote = walk.vote
    reads, packed = [], []
    for j, info in enumerate(walk.columns):
        is_text = not info.categories or isinstance(info.categories[0], str)
        read = "read_text()" if info.is_categorical and is_text else "read_number()"
        if info.is_categorical:
            read = f"{name}_code_{j}({read})"
        reads.append(f"    x[{j}] = {read};")
        packed.append(_pack_text if "read_text" in read else _pack_number)
    driver = _DRIVER.format(
        n_columns=len(walk.columns),
        n_answers=vote.n_answers,
        n_outputs=len(vote.outputs),
        reads="\n".join(reads),
        m=name,
    )
    rows = zip(*columns_for(walk, matrix), strict=True)
    sent = b"".join(
        pack(value) for row in rows for pack, value in zip(packed, row, strict=True)
    )
    said = _run(header, driver, struct.pack("<i", len(matrix)) + sent)
    kind = np.dtype(
        [
            ("status", "<i4"),
            ("answer", "<f8", (vote.n_answers,)),
            ("decision", "<i4", (len(vote.outputs),)),
        ]
    )
    return np.frombuffer(said, dtype=kind)


def _pack_text(value: str | None) -> bytes:
    if value is None:
        return struct.pack("<i", -1)
    data = value.encode()
    return struct.pack("<i", len(data)) + data


def _pack_number(value: float | None) -> bytes:
    return struct.pack("<d", float("nan") if value is None else float(value))


def _run(header: str, driver: str, sent: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.h").write_text(header)
        (Path(folder) / "main.c").write_text(driver)
        command = ["cc", "-O1", "-std=gnu99", "-Wall", "-Werror", "-o", "run"]
        done = subprocess.run(
            [*command, "main.c", "-lm"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ValueError(f"cc cannot compile the header: {done.stderr[:2000]}")
        ran = subprocess.run(
            [f"{folder}/run"], input=sent, capture_output=True, check=False
        )
        if ran.returncode:
            raise ValueError(f"the compiled header ended with {ran.returncode}")
        return ran.stdout
