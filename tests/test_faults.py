# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong around us: no memory, no disk, signals, forks, threads.

Each fault is made in a process of its own, forked off a server that has imported Ramify
already. What the process says is compared; that it says something at all is the point.
"""

import io
import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pytest

import ramify

pytestmark = pytest.mark.skipif(
    "forkserver" not in multiprocessing.get_all_start_methods(),
    reason="needs processes that fork and limits of resources",
)


def _table(n=400):
    rng = np.random.default_rng(0)
    X = rng.random((n, 4)).round(3)
    return X, (X[:, 0] > X[:, 1]).astype(int)


@pytest.fixture(scope="module")
def processes():
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["test_faults", "ramify.cli.fit"])
    return context


@pytest.fixture
def apart(processes):
    """Call a function in a process of its own; gives what it answers."""

    def call(function, *args):
        ours, theirs = processes.Pipe(duplex=False)
        child = processes.Process(target=_answer, args=(theirs, function, *args))
        child.start()
        theirs.close()
        try:
            assert ours.poll(60), "no answer after a minute"
            return ours.recv()
        except EOFError:
            child.join(10)
            pytest.fail(f"the process ended with {child.exitcode}")
        finally:
            child.kill()
            child.join(10)

    return call


def _answer(pipe, function, *args):
    pipe.send(function(*args))


def _raised(work):
    """Name the error of a piece of work."""
    try:
        work()
    except (Exception, KeyboardInterrupt) as error:
        return type(error).__name__
    return "nothing"


def _run(*args):
    """Run the command line in this process: its exit code and standard error."""
    from ramify.cli import main

    error = io.StringIO()
    with redirect_stderr(error), redirect_stdout(io.StringIO()):
        try:
            main(list(args), prog_name="ramify")
        except SystemExit as end:
            return end.code, error.getvalue()


# Memory


def _limit_memory(megabytes):
    import resource

    with open("/proc/self/statm") as pages:
        now = int(pages.read().split()[0]) * resource.getpagesize()
    most = now + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _without_memory(model):
    X, y = _table()
    large = np.broadcast_to(X[:1], (30_000_000, 4))
    _limit_memory(300)
    said = _raised(lambda: model.fit(large, np.zeros(len(large), dtype=int)))
    return said, model.fit(X, y).score(X, y)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory")
@pytest.mark.parametrize(
    "model",
    [
        ramify.DecisionTreeClassifier(n_jobs=1),
        ramify.RandomForestClassifier(2, random_state=0, n_jobs=1),
        ramify.BoostedTreesClassifier(n_estimators=2, n_jobs=1),
    ],
    ids=lambda model: type(model).__name__,
)
def test_no_memory_is_a_memory_error_and_the_model_can_be_used(apart, model):
    said, score = apart(_without_memory, model)
    assert said == "MemoryError"
    assert score > 0.7


def _predict_without_memory():
    X, y = _table()
    model = ramify.RandomForestClassifier(3, random_state=0, n_jobs=1).fit(X, y)
    large = np.broadcast_to(X[:1], (60_000_000, 4))
    _limit_memory(300)
    said = _raised(lambda: model.predict_proba(large))
    return said, model.score(X, y)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory")
def test_no_memory_for_the_answers_is_a_memory_error(apart):
    said, score = apart(_predict_without_memory)
    assert said == "MemoryError"
    assert score > 0.7


def _command_without_memory(path):
    def fail(*_args, **_kwargs):
        raise MemoryError

    ramify.DecisionTreeClassifier.fit = fail
    return _run("fit", path, "--target", "y", "-o", path + ".ramify")


def test_the_command_line_says_that_there_is_no_memory(apart, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,y\n1,0\n2,1\n3,1\n")
    code, said = apart(_command_without_memory, str(path))
    assert code == 2
    assert said.startswith("ramify: not enough memory")
    assert len(said.splitlines()) == 1


# Disk


def _on_a_full_disk(folder):
    """No file may grow beyond a hundred bytes."""
    import resource

    X, y = _table()
    model = ramify.DecisionTreeClassifier().fit(X, y)
    path = os.path.join(folder, "model.ramify")
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    return _raised(lambda: model.save(path)), os.listdir(folder)


def test_a_full_disk_is_an_os_error_and_leaves_no_half_file(apart, tmp_path):
    assert apart(_on_a_full_disk, str(tmp_path)) == ("OSError", [])


def _compare_on_a_full_disk(folder):
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    args = ("--methods", "cart,ihd", "--cv", "1x2", "--n-jobs", "1", "--out", folder)
    return _run("compare", "iris", *args)


def test_a_comparison_on_a_full_disk_says_so(apart, tmp_path):
    code, said = apart(_compare_on_a_full_disk, str(tmp_path))
    assert code == 2
    assert said.startswith("ramify: cannot use")
    assert said.strip().endswith("and has room.")


def _into_a_folder_without_rights(folder):
    X, y = _table()
    model = ramify.DecisionTreeClassifier().fit(X, y)
    if os.getuid() == 0:
        os.setuid(65534)  # root may write everywhere
    return _raised(lambda: model.save(os.path.join(folder, "model.ramify")))


def test_a_read_only_folder_is_a_permission_error(apart, tmp_path):
    tmp_path.chmod(0o555)
    try:
        assert apart(_into_a_folder_without_rights, str(tmp_path)) == "PermissionError"
        assert not any(tmp_path.iterdir())
    finally:
        tmp_path.chmod(0o755)


# Signals


def _interrupted(command):
    def interrupt():
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=interrupt, daemon=True).start()
    return _run(*command)


def test_ctrl_c_ends_a_command_with_one_line(apart, tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "data.csv"
    rows = np.column_stack([rng.random((60_000, 4)), rng.integers(0, 2, 60_000)])
    np.savetxt(path, rows, delimiter=",", header="a,b,c,d,y", comments="", fmt="%.9g")
    out = tmp_path / "model.ramify"
    command = (
        "fit",
        str(path),
        "--target",
        "y",
        "--criterion",
        "bnm_csn",
        "-o",
        str(out),
    )
    code, said = apart(_interrupted, command)
    assert code == 130, said
    assert said.strip().splitlines()[-1] == "ramify: interrupted"
    assert "Traceback" not in said
    assert not out.exists()


# Forks and threads


def _fit(seed):
    X, y = _table()
    forest = ramify.RandomForestClassifier(4, random_state=seed, n_jobs=2)
    return forest.fit(X, y).predict_proba(X)


def _fit_forked():
    """A child that is forked off after our threads have run has none of them."""
    before = _fit(0)
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(theirs, b"same" if (_fit(0) == before).all() else b"other")
        os._exit(0)
    os.close(theirs)
    said = os.read(ours, 5)
    os.waitpid(child, 0)
    return said.decode()


def test_a_forked_child_fits_with_threads(apart):
    assert apart(_fit_forked) == "same"


def _fork_while_encoding():
    """Children that are forked off while a thread makes and drops tables."""
    X = np.arange(40_000.0)[:, None]
    stop = threading.Event()

    def keep_encoding():
        while not stop.is_set():
            ramify.Table(X)

    thread = threading.Thread(target=keep_encoding)
    thread.start()
    codes = []
    for _ in range(100):
        child = os.fork()
        if child == 0:
            signal.alarm(5)
            ramify.Table(X)
            os._exit(0)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    stop.set()
    thread.join()
    return codes


def test_a_forked_child_is_not_locked_out_by_a_thread_of_its_parent(apart):
    assert apart(_fork_while_encoding) == [0] * 100


def test_python_threads_share_a_table_and_a_model():
    X, y = _table()
    table = ramify.Table(X)
    model = ramify.DecisionTreeClassifier("ihd").fit(table, y)
    wanted, answers = model.predict_proba(X), {}

    def work(i):
        tree = ramify.DecisionTreeClassifier("ihd", n_jobs=2).fit(table, y)
        answers[i] = (tree.predict_proba(X), model.predict_proba(X))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 6
    assert all((a == wanted).all() for pair in answers.values() for a in pair)
