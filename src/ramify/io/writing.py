# SPDX-License-Identifier: BSD-3-Clause
"""How every output file is written: whole or not at all, and never over a device."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

__all__ = [
    "check_output",
    "is_special",
    "write_bytes",
    "write_text",
    "write_together",
    "writing",
]

PathLike = str | os.PathLike[str]

_MAX_LINKS = 40  # as many as Linux follows


def check_output(path: PathLike) -> None:
    """Refuse a place that cannot be written to, before hours of work."""
    shown = os.fspath(path)
    if os.path.isdir(path):
        raise IsADirectoryError(f"cannot write {shown!r}: it is a folder; name a file.")
    folder = Path(shown if is_special(path) else os.path.realpath(path)).parent
    if not folder.is_dir():
        raise FileNotFoundError(
            f"cannot write {shown!r}: there is no folder {str(folder)!r}."
        )


def is_special(path: PathLike) -> bool:
    """Check whether a path leads to a device, a pipe or a descriptor, not to a file."""
    found = _status(path)
    return found is not None and (
        not stat.S_ISREG(found.st_mode) or _descriptor(path) is not None
    )


@contextmanager
def writing(path: PathLike, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """Open an output file; it appears when all of it is written.

    Symbolic links are followed. A regular file is written aside and renamed into its
    place, with the permissions and, where possible, the owner of the file that was
    there. A device, a pipe or a descriptor such as ``/dev/stdout`` is written in place.
    After a failure a regular file is as it was, and nothing is left beside it.

    Parameters
    ----------
    path : str or path
        The file to write.
    mode : int
        Permissions of a new file, before the process's mask.
    """
    try:
        if is_special(path):
            with _in_place(path) as file:
                yield file
        else:
            with _aside(path, mode) as file:
                yield file
    except OSError as error:
        if error.filename is None or _is_aside(error.filename):
            error.filename = os.fspath(path)
            error.filename2 = None
        raise


def write_bytes(path: PathLike, data: bytes | memoryview) -> None:
    """Write a file, whole or not at all."""
    with writing(path) as file:
        file.write(data)


def write_text(path: PathLike, text: str, errors: str = "strict") -> None:
    """Write a file of text in UTF-8, whole or not at all."""
    write_bytes(path, text.encode("utf-8", errors))


def write_together(contents: Mapping[str, bytes]) -> None:
    """Write several files, all or none: each is put into its place after the last."""
    with ExitStack() as stack:
        files = {path: stack.enter_context(writing(path)) for path in contents}
        for path, data in contents.items():
            files[path].write(data)
            files[path].flush()


def _status(path: PathLike) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:  # also a link to what is not there yet
        return None


def _in_place(path: PathLike) -> IO[bytes]:
    descriptor = _descriptor(path)
    if descriptor is not None:  # which goes on where the process is in it
        return os.fdopen(os.dup(descriptor), "wb")
    return open(path, "wb")


def _descriptor(path: PathLike) -> int | None:
    """Return the descriptor of this process that a path such as /dev/stdout names.

    Behind it may be a regular file, to which the shell and this process write, too:
    replaced, it would lose what they write.
    """
    here = os.fspath(path)
    for _ in range(_MAX_LINKS):
        folder, name = os.path.split(here)
        if name.isdecimal() and os.path.realpath(folder) in (
            f"/proc/{os.getpid()}/fd",
            "/dev/fd",
        ):
            return int(name)
        if not os.path.islink(here):
            return None
        here = os.path.join(folder, os.readlink(here))
    return None


@contextmanager
def _aside(path: PathLike, mode: int) -> Iterator[IO[bytes]]:
    target = os.path.realpath(path)
    before = _status(target)
    if before is not None:
        mode = stat.S_IMODE(before.st_mode) & 0o777
    temporary = os.path.join(os.path.dirname(target), _aside_name())
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            if before is not None:
                _keep_owner(temporary, before)
                os.chmod(temporary, mode)  # which the mask may have narrowed
            yield file
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


_BINARY = getattr(os, "O_BINARY", 0)  # on Windows
_PREFIX = ".ramify-"


def _aside_name() -> str:
    # Short: the name of the target may be as long as names can be.
    return f"{_PREFIX}{secrets.token_hex(8)}"


def _is_aside(path: object) -> bool:
    return os.path.basename(str(path)).startswith(_PREFIX)


def _keep_owner(path: str, before: os.stat_result) -> None:
    """Give a file the owner and the group of the one that it replaces, if allowed."""
    if not hasattr(os, "chown"):
        return
    for owner, group in ((before.st_uid, -1), (-1, before.st_gid)):
        with suppress(PermissionError):
            os.chown(path, owner, group)
