"""Output files appear whole; devices, pipes and links stay what they are."""

import errno
import os
import stat
import subprocess
import sys
import threading

import numpy as np
import pytest

import ramify
from ramify.cli import main
from ramify.io import writing as writing_module
from ramify.io.writing import (
    check_output,
    write_bytes,
    write_text,
    write_together,
    writing,
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")


@pytest.fixture(scope="module")
def tree():
    return ramify.DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "b"])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(
        "x,y\n" + "".join(f"{i % 7},{'ab'[i % 7 > 3]}\n" for i in range(30))
    )
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


class Pipe:
    """A named pipe, and a thread that keeps what comes out of it."""

    def __init__(self, path):
        os.mkfifo(path)
        self.path, self.got = path, b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        self.got = self.path.read_bytes()

    def all(self):
        self._thread.join(timeout=20)
        assert stat.S_ISFIFO(self.path.lstat().st_mode), "the pipe was replaced"
        return self.got


def command(*words):
    with pytest.raises(SystemExit) as ended:
        main.main([str(word) for word in words])
    return ended.value.code


# --- every way to write a file, to a pipe and through a link -------------------------


def write_model(tree, table, path):
    ramify.save(tree, path)


def write_export(tree, table, path):
    ramify.export(tree, "json", path)


def write_page(tree, table, path):
    ramify.view(tree, path=path)


def write_by_fit(tree, table, path):
    assert command("fit", table, "--target", "y", "-o", path) == 0


def write_by_prune(tree, table, path):
    model = table.with_name("whole.ramify")
    ramify.save(tree, model)
    words = ("--method", "ccp", "--param", "alpha=0.0", "-o", path)
    assert command("prune", model, *words) == 0


def write_by_predict(tree, table, path):
    model = table.with_name("fitted.ramify")
    command("fit", table, "--target", "y", "-o", model)
    assert command("predict", model, table, "-o", path) == 0


def write_by_export(tree, table, path):
    model = table.with_name("to_export.ramify")
    ramify.save(tree, model)
    assert command("export", model, "--to", "c", "-o", path) == 0


def write_predicted_stream(tree, table, path):
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    rows = table.with_name("rows.parquet")
    pq.write_table(pa.table({"x": np.arange(50.0)}), rows)
    model = table.with_name("of_x.ramify")
    command("fit", table, "--target", "y", "-o", model)
    assert command("predict", model, rows, rows, "-o", path) == 0


every_writer = pytest.mark.parametrize(
    ("write", "name"),
    [
        (write_model, "out.ramify"),
        (write_export, "out.json"),
        (write_page, "out.html"),
        (write_by_fit, "out.ramify"),
        (write_by_prune, "out.ramify"),
        (write_by_predict, "out.csv"),
        (write_by_export, "out.h"),
        (write_predicted_stream, "out.csv"),
        (write_predicted_stream, "out.parquet"),
    ],
    ids=lambda one: one if isinstance(one, str) else one.__name__,
)


@every_writer
def test_what_goes_into_a_pipe_is_what_goes_into_a_file(
    write, name, tree, table, tmp_path
):
    folder = tmp_path / "out"
    folder.mkdir()
    write(tree, table, folder / name)
    whole = (folder / name).read_bytes()
    assert whole
    for file in folder.iterdir():
        file.unlink()
    pipe = Pipe(folder / name)
    write(tree, table, pipe.path)
    assert pipe.all() == whole
    assert names(folder) == [name]  # also no certificate


@every_writer
def test_a_link_stays_and_its_target_is_written(write, name, tree, table, tmp_path):
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    target, link = there / name, here / name
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write(tree, table, link)
    assert link.is_symlink()
    assert target.read_bytes() != b"old"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert names(there) == [name]


# --- one file ------------------------------------------------------------------------


def test_a_device_is_written_in_place(tmp_path, monkeypatch):
    device = tmp_path / "nothing"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))  # as /dev/null
        device.write_bytes(b"x")
    except OSError as error:
        pytest.skip(f"devices cannot be made here: {error}")
    monkeypatch.setattr(os, "replace", lambda *_: pytest.fail("replaced a device"))
    write_bytes(device, b"words")
    assert stat.S_ISCHR(device.lstat().st_mode)
    assert names(tmp_path) == ["nothing"]


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="there is no /dev/stdout")
def test_standard_output_is_gone_on_with_also_if_it_is_a_file(tmp_path):
    code = (
        "import sys; from ramify.io.writing import write_text\n"
        "print('first', flush=True); write_text('/dev/stdout', 'second\\n')\n"
        "print('third')"
    )
    with open(tmp_path / "out", "w") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert (tmp_path / "out").read_text() == "first\nsecond\nthird\n"
    piped = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True
    )
    assert piped.stdout == b"first\nsecond\nthird\n"


def test_a_link_to_what_is_not_there_makes_it(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("to/new")
    with pytest.raises(FileNotFoundError, match=r"no folder '.*to'"):
        check_output(link)
    (tmp_path / "to").mkdir()
    check_output(link)
    write_text(link, "words")
    assert link.is_symlink()
    assert (tmp_path / "to" / "new").read_text() == "words"


def test_a_link_to_a_folder_and_a_circle_of_links_are_refused(tmp_path):
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to("folder")
    with pytest.raises(IsADirectoryError, match="it is a folder; name a file"):
        check_output(link)
    with pytest.raises(IsADirectoryError):
        write_text(link, "words")
    circle = tmp_path / "circle"
    circle.symlink_to("circle")
    with pytest.raises(OSError, match="circle"):
        write_text(circle, "words")
    assert names(tmp_path) == ["circle", "folder", "link"]
    assert names(tmp_path / "folder") == []


def test_a_new_file_has_the_usual_permissions_and_an_old_one_keeps_its_own(tmp_path):
    usual, new, old = (tmp_path / name for name in ("usual", "new", "old"))
    usual.write_text("")
    write_text(new, "words")
    assert new.stat().st_mode == usual.stat().st_mode
    for mode in (0o600, 0o664, 0o777):
        old.write_text("old")
        old.chmod(mode)
        write_text(old, "new")
        assert stat.S_IMODE(old.stat().st_mode) == mode
    with writing(tmp_path / "secret", 0o600) as file:
        file.write(b"words")
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
def test_an_old_file_keeps_its_owner(tmp_path):
    path = tmp_path / "theirs"
    path.write_text("old")
    os.chown(path, 12345, 54321)
    write_text(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 54321)


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old")

    def fail_while_writing():
        with writing(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_while_writing()
    assert path.read_text() == "old"

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(writing_module.os, "replace", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_text(path, "new")
    assert caught.value.filename == str(path)
    with pytest.raises(OSError, match="No space left"):
        write_together({str(path): b"new", str(tmp_path / "other"): b"new"})
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


def test_a_read_only_folder_is_an_error_that_names_the_file(tmp_path, monkeypatch):
    opened = os.open

    def read_only(path, flags, *more, **others):  # also for root, who may write all
        if flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return opened(path, flags, *more, **others)

    path = tmp_path / "file"
    path.write_text("old")
    monkeypatch.setattr(writing_module.os, "open", read_only)
    with pytest.raises(PermissionError) as caught:
        write_text(path, "new")
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"


def test_the_longest_name_can_be_written(tmp_path):
    path = tmp_path / ("n" * 255)
    write_text(path, "words")
    assert path.read_text() == "words"
