# SPDX-License-Identifier: BSD-3-Clause
"""The server of the studio: its protocol, and who may talk to it."""

import contextlib
import json
import subprocess
import sys
import textwrap
import threading
import time

import click
import numpy as np
import pandas as pd
import pytest

import ramify
from ramify.cli.studio import studio as studio_command

command = studio_command.main
httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

HOSTILE = "<img src=x onerror=window.hacked=1></script>'\"&\u2028"


def table(n=240):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "income": rng.normal(50, 20, n).round(1),
            "city": rng.choice(["Bonn", "Oslo", "Rome"], n),
        }
    )
    X.loc[rng.random(n) < 0.1, "income"] = np.nan
    return X, np.where((X["age"] > 40) ^ (X["city"] == "Oslo"), "good", "bad")


@pytest.fixture
def studio(tmp_path):
    made = ramify.studio(
        *table(),
        validation=0.2,
        test=0.2,
        open_browser=False,
        autosave=tmp_path / "x.ramify-studio",
    )
    yield made
    made.stop()


@pytest.fixture
def page(studio):
    """Return a client that has opened the page, as a browser does."""
    with Client(studio) as client:
        assert client.get(studio.url).status_code == 200
        yield client


class Client(httpx.Client):
    def __init__(self, studio):
        self.base = f"http://127.0.0.1:{studio.port}"
        super().__init__(base_url=self.base, timeout=30)

    def edit(self, version, operation, **arguments):
        body = {"version": version, "operation": operation, "arguments": arguments}
        return self.post("/api/edit", json=body, headers={"Origin": self.base})


# --- protocol -------------------------------------------------------------------


def test_an_edit_answers_with_the_nodes_that_it_changed(page, studio):
    state = page.get("/api/state").json()
    assert state["version"] == 1
    assert state["order"] == [0]
    assert state["classes"] == ["bad", "good"]
    answer = page.edit(1, "split", node=0, column="age", threshold=40.5).json()
    assert (answer["version"], answer["order"]) == (2, [0, 1, 2])
    assert set(answer["nodes"]) == {"0", "1", "2"}
    answer = page.edit(2, "split", node="R", column="city", categories=["Oslo"]).json()
    assert set(answer["nodes"]) == {"2", "3", "4"}
    assert answer["top"]["leaves"] == 3
    assert answer["kids"] == [2, 0, 2, 0, 0]
    answer = page.edit(3, "undo").json()
    assert set(answer["nodes"]) == {"2"}
    whole = page.get("/api/state").json()
    assert whole["order"] == answer["order"]
    assert whole["version"] == 4
    assert studio.editor.model.tree_.n_leaves == 2


def test_a_stale_version_is_a_conflict_and_changes_nothing(page, studio):
    with Client(studio) as other:
        other.get(studio.url)
        assert page.edit(1, "split", node=0, column="age", threshold=40).is_success
        answer = other.edit(1, "split", node=0, column="income", threshold=40)
    assert answer.status_code == 409
    assert answer.json()["version"] == 2
    assert "another page" in answer.json()["error"]
    assert studio.editor.n_edits == 1


@pytest.mark.parametrize(
    ("operation", "arguments", "words"),
    [
        ("splitt", {}, "did you mean 'split'"),
        ("__init__", {}, "is unknown"),
        ("save", {"path": "/tmp/x"}, "is unknown"),
        ("split", {"node": 0, "columm": "age"}, "unexpected keyword argument 'columm'"),
        ("split", {"node": 0, "column": "aeg", "threshold": 3}, "did you mean 'age'"),
        ("split", {"node": 0, "column": "age", "threshold": "x"}, "threshold='x'"),
        ("split", {"node": 7, "column": "age", "threshold": 3}, "node 7 was never"),
        ("split", {"node": None, "column": "age", "threshold": 3}, "node=None"),
        ("grow", {"node": 0, "criterion": "__import__('os')"}, "criterion"),
        ("grow", {"node": 0, "criterion": {"a": 1}}, "criterion"),
        ("grow", {"node": 0, "max_depth": -1}, "max_depth=-1"),
        ("set_leaf", {"node": 0, "probabilities": [1, 1]}, "sum to 2"),
        ("undo", {}, "nothing to undo"),
        ("note", {"node": 0, "text": 3}, "text=3"),
    ],
)
def test_bad_edits_are_400_with_the_sentence_of_the_editor(
    page, studio, operation, arguments, words
):
    answer = page.edit(1, operation, **arguments)
    assert answer.status_code == 400
    assert words in answer.json()["error"]
    assert studio.editor.n_edits == 0
    assert page.get("/api/state").json()["version"] == 1


def test_bodies_that_are_no_edits_are_refused(page):
    origin = {"Origin": page.base}
    headers = {**origin, "Content-Type": "application/json"}
    for body in (b"{", b"[1]", b"3", b"\xff", b"[" * 100_000):
        assert page.post("/api/edit", content=body, headers=headers).status_code == 400
    answer = page.post("/api/edit", content=b" " * 1_100_000, headers=headers)
    assert answer.status_code == 413
    answer = page.post("/api/edit", content=b"{}", headers=origin)
    assert answer.status_code == 415
    body = {"version": 1, "operation": "undo", "arguments": {}, "path": "/etc"}
    answer = page.post("/api/edit", json=body, headers=origin)
    assert "unknown field 'path'" in answer.json()["error"]
    assert page.get("/api/export?format=sql&path=/tmp/x").status_code == 400
    assert page.get("/api/candidates?node=0&k=x").status_code == 400


def test_candidates_previews_machines_script_and_exports(page, studio):
    found = page.get(
        "/api/candidates", params={"node": 0, "criteria": ["gini", "hellinger"]}
    ).json()
    assert found["criteria"] == ["gini", "hellinger"]
    best = found["rows"][0]
    answer = page.edit(1, "split", node=0, **best["apply"]).json()
    assert answer["nodes"]["0"]["gain"] == pytest.approx(best["scores"][0])
    found = page.get("/api/candidates", params={"node": 0, "kind": "oblique"}).json()
    answer = page.edit(2, "split", node=0, **found["rows"][0]["apply"]).json()
    assert answer["nodes"]["0"]["kind"] == 3
    page.edit(3, "split", node=0, column="age", threshold=40)
    cut = page.get("/api/cut", params={"node": 0, "threshold": 50}).json()
    X, _ = table()
    train = X["age"].iloc[studio.editor._data.parts.train]
    assert cut["rows"] == [(train <= 50).sum(), (train > 50).sum()]
    assert sum(map(sum, cut["sides"])) == len(train)
    points = page.get("/api/machines", params={"criteria": "gini"}).json()["points"]
    assert {one["criterion"] for one in points} == {"gini"}
    sizes = [one["leaves"] for one in points]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1
    face = page.get("/face", params={"criterion": "gini", "alpha": points[0]["alpha"]})
    assert "by hand" in face.text
    assert 'src="static/pair.js"' in face.text
    assert "editor.split(0, " in page.get("/api/script").text
    for name in ("sql", "python", "json", "text", "onnx", "dot"):
        answer = page.get("/api/export", params={"format": name})
        assert answer.is_success, name
        assert "attachment" in answer.headers["content-disposition"]
    answer = page.get("/api/export", params={"format": "sql", "what": "certificate"})
    assert answer.json()["result"]["rows_differ"] == 0
    assert "sqll" in page.get("/api/export?format=sqll").json()["error"]


def test_the_automatic_trees_are_those_of_the_pruning_path(page, studio):
    X, y = table()
    train = studio.editor._data.parts.train
    held = studio.editor._data.parts.validation
    points = page.get("/api/machines", params={"criteria": "gini"}).json()["points"]
    for one in points:
        tree = ramify.DecisionTreeClassifier(ccp_alpha=one["alpha"])
        tree.fit(X.iloc[train], y[train])
        assert tree.get_n_leaves() == one["leaves"]
        score = tree.score(X.iloc[held], y[held])
        assert one["validation"] == pytest.approx(score)


def test_the_test_is_revealed_once(page):
    answer = page.edit(1, "reveal_test").json()
    assert answer["top"]["sealed"]["edits"] == 0
    answer = page.edit(2, "reveal_test")
    assert "would not be honest" in answer.json()["error"]


def test_a_notebook_and_the_page_stay_in_step(page, studio):
    with page.stream("GET", "/api/events") as events:
        lines = events.iter_lines()
        assert json.loads(next(lines).removeprefix("data: "))["kind"] == "hello"
        studio.editor.split(0, "age", threshold=40)
        told = next(line for line in lines if line.startswith("data:"))
        assert json.loads(told.removeprefix("data: ")) == {
            "kind": "changed",
            "version": 2,
        }
    assert page.get("/api/state").json()["version"] == 2
    assert page.edit(1, "undo").status_code == 409
    assert page.edit(2, "undo").is_success
    assert studio.editor.version == 0


def test_long_work_tells_how_far_it_is_and_is_cancelled():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60_000, 8)), rng.integers(0, 2, 60_000)
    made = ramify.studio(X, y, open_browser=False)
    answers = []
    try:
        with Client(made) as page, Client(made) as other:
            page.get(made.url)
            other.get(made.url)

            def grow():
                answers.append(page.edit(1, "grow", node=0, criterion="gini + 0 * csn"))

            for _ in range(20):  # until it was cancelled before it was done
                work = threading.Thread(target=grow)
                work.start()
                while work.is_alive():
                    assert other.get("/static/studio.js").is_success  # still usable
                    other.post("/api/cancel", json={}, headers={"Origin": other.base})
                    time.sleep(0.002)
                work.join()
                if answers[-1].json() == {"cancelled": True}:
                    break
                assert answers[-1].is_success
                made.session.version = 1
        assert answers[-1].json() == {"cancelled": True}
        assert page is not None
    finally:
        made.stop()


def test_what_people_write_arrives_as_text(tmp_path):
    X = pd.DataFrame({HOSTILE: np.arange(40.0), "k": [HOSTILE, "b"] * 20})
    y = [HOSTILE, "ok"] * 20
    made = ramify.studio(X, y, open_browser=False, title=HOSTILE)
    try:
        with Client(made) as page:
            text = page.get(made.url).text
            assert "<img" not in text
            assert text.count("<script") == text.count("</script>")
            assert page.edit(1, "note", node=0, text=HOSTILE).is_success
            assert page.edit(
                2, "split", node=0, column=HOSTILE, threshold=20
            ).is_success
            assert page.edit(3, "set_leaf", node="L", label="ok", note=HOSTILE)
            state = page.get("/api/state")
            assert state.headers["content-type"] == "application/json"
            assert state.json()["nodes"]["0"]["note"] == HOSTILE
            face = page.get("/face", params={"criterion": "gini", "alpha": 0})
            assert "<img" not in face.text
            for name in ("sql", "python", "javascript", "c", "pmml"):
                assert page.get("/api/export", params={"format": name}).is_success
            answer = page.get("/api/export", params={"format": "sql"})
            assert "\n" not in answer.headers["content-disposition"]
    finally:
        made.stop()


# --- who may talk to it ------------------------------------------------------------


def test_nothing_is_told_without_the_token(studio):
    with Client(studio) as stranger:
        for path in ("/", "/api/state", "/api/script", "/api/export?format=sql"):
            answer = stranger.get(path)
            assert answer.status_code == 401, path
            assert "token" in answer.text
        assert stranger.get("/?token=wrong").status_code == 401
        assert stranger.get("/api/state?token=" + studio.guard.token).status_code == 401
        assert stranger.edit(1, "undo").status_code == 401
        stranger.cookies.set(f"ramify_studio_{studio.port}", "wrong")
        assert stranger.get("/api/state").status_code == 401
        token = {"X-Ramify-Token": studio.guard.token}
        assert stranger.get("/api/state", headers=token).is_success
    assert len(studio.guard.token) >= 32
    other = ramify.studio(studio.editor, open_browser=False)
    try:
        assert other.guard.token != studio.guard.token
    finally:
        other.stop()


def test_other_names_of_this_machine_are_refused(page, studio):
    """As after DNS rebinding: a foreign name that leads to 127.0.0.1."""
    for host in ("evil.example", f"evil.example:{studio.port}", "127.0.0.1", ""):
        answer = page.get("/api/state", headers={"Host": host})
        assert answer.status_code in (400, 403), host
    host = f"LOCALHOST:{studio.port}"
    answer = page.get(
        "/api/state", headers={"Host": host, "X-Ramify-Token": studio.guard.token}
    )
    assert answer.is_success


def test_pages_of_other_sites_are_refused(page, studio):
    body = {"version": 1, "operation": "undo", "arguments": {}}
    for origin in (
        "https://evil.example",
        "http://127.0.0.1:1",
        f"http://localhost:{studio.port}",
        "null",
    ):
        answer = page.post("/api/edit", json=body, headers={"Origin": origin})
        assert answer.status_code == 403, origin
    assert page.post("/api/edit", json=body).status_code == 403  # with a cookie alone
    sent = {"Origin": page.base, "Sec-Fetch-Site": "cross-site"}
    assert page.post("/api/edit", json=body, headers=sent).status_code == 403
    asked = {"Sec-Fetch-Site": "cross-site"}
    assert page.get("/api/state", headers=asked).status_code == 403
    assert page.request("PUT", "/api/edit", json=body).status_code == 405
    assert page.request("OPTIONS", "/api/edit").status_code == 405


def test_every_answer_has_the_headers(page, studio):
    first = page.get(studio.url)
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    for path in ("/", "/api/state", "/static/studio.js", "/nowhere"):
        answer = page.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "connect-src 'self'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in answer.headers
    assert "<script>" not in first.text
    assert " on" not in first.text.split("<body>")[1].replace("noscript", "")


def test_only_the_page_s_own_files_are_served(page):
    for path in (
        "/static/session.py",
        "/static/../app.py",
        "/static/..%2f..%2fpyproject.toml",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
        "/docs",
        "/openapi.json",
    ):
        answer = page.get(path)
        assert answer.status_code == 404, path
    assert (
        page.post("/api/save", json={}, headers={"Origin": page.base}).status_code
        == 400
    )


def test_it_listens_on_this_machine_only(studio):
    assert studio._socket.getsockname()[0] == "127.0.0.1"
    with pytest.raises(click.UsageError, match="--i-know"):
        command(["x.csv", "--host", "0.0.0.0"], standalone_mode=False)


def test_without_starlette_the_extra_is_named(monkeypatch):
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *more: None if name == "starlette" else find(name, *more),
    )
    with pytest.raises(ImportError, match=r"starlette: pip install 'ramify\[studio\]'"):
        ramify.studio([[1.0], [2.0]], [0, 1])


# --- nothing is lost ----------------------------------------------------------------

# One process forks a server again and again, edits, and kills it at any moment: what
# was answered must be in the file, which must always be whole.
KILLS = """
    import os, random, signal, sys, threading, time
    import httpx
    import numpy as np
    import ramify

    path, n_kills = sys.argv[1], int(sys.argv[2])
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 2, 80)
    chance = random.Random(1)
    answered = 0
    for kill in range(n_kills):
        begun = ramify.load(path) if os.path.exists(path) else None
        editor = ramify.edit(begun, X, y, **({} if begun else {"validation": 0.2}))
        assert editor.n_edits >= answered, (kill, editor.n_edits, answered)
        assert editor.n_edits <= answered + 1  # one may be saved, and not answered yet
        editor.switch(editor.n_edits)
        studio = ramify.Studio(editor, autosave=path)
        child = os.fork()
        if child == 0:
            studio.run()
            os._exit(0)
        answered = editor.n_edits
        delay = 0.05 + chance.random() * 0.25
        timer = threading.Timer(delay, os.kill, (child, signal.SIGKILL))
        token = {"X-Ramify-Token": studio.guard.token}
        client = httpx.Client(headers=token, timeout=5)
        started = False
        version = 1
        try:
            while True:
                body = {"version": version, "operation": "note"}
                body["arguments"] = {"node": 0, "text": str(answered)}
                url = f"http://127.0.0.1:{studio.port}/api/edit"
                answer = client.post(url, json=body)
                assert answer.status_code == 200, answer.text
                version += 1
                answered += 1
                if not started:
                    timer.start()
                    started = True
        except httpx.TransportError:
            pass
        os.waitpid(child, 0)
        studio._socket.close()
        client.close()
    editor = ramify.edit(ramify.load(path), X, y)
    assert answered <= editor.n_edits <= answered + 1
    left = [n for n in os.listdir(os.path.dirname(path))]
    print(answered, len(left))
"""


def killed(folder, times):
    path = folder / "rows.csv.ramify-studio"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLS), str(path), str(times)],
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return int(done.stdout.split()[0])


def test_a_killed_server_has_lost_nothing(tmp_path):
    assert killed(tmp_path, 2) > 2


@pytest.mark.slow
def test_fifty_kills_lose_nothing(tmp_path):
    assert killed(tmp_path, 50) > 50


# --- the command ----------------------------------------------------------------------


def test_the_command_goes_on_where_it_stopped(tmp_path):
    with contextlib.ExitStack() as running:
        go_on_where_it_stopped(tmp_path, running)


def go_on_where_it_stopped(tmp_path, running):
    X, y = table(120)
    path = tmp_path / "people.csv"
    X.assign(loan=y).to_csv(path, index=False)
    words = [sys.executable, "-m", "ramify", "studio", str(path), "--no-browser"]

    def started(*more):
        """Start the command; return its address and what it says before that."""
        process = running.enter_context(
            subprocess.Popen(
                [*words, *more], stdout=subprocess.PIPE, text=True, bufsize=1
            )
        )
        running.callback(process.kill)
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("http://"):
                return process, line.strip(), "".join(lines)
        raise AssertionError("".join(lines))

    process, url, _ = started("--target", "loan")
    base, token = url.split("/?token=")
    with httpx.Client(headers={"X-Ramify-Token": token}, base_url=base) as client:
        given = {"node": 0, "column": "age", "threshold": 40}
        body = {"version": 1, "operation": "split", "arguments": given}
        assert client.post("/api/edit", json=body).is_success
        assert client.post("/api/save", json={}).json() == {"saved": "people.ramify"}
        sql = client.get("/api/export?format=sql").text
    process.kill()
    process.wait()
    assert "age" in sql
    assert ramify.load(tmp_path / "people.ramify").tree_.n_leaves == 2
    process, url, said = started()
    process.kill()
    process.wait()
    assert "goes on with the 1 edits" in said
    assert "2 leaves" in said
    path.write_text(path.read_text().replace("Oslo", "Bergen"))
    with pytest.raises(ValueError, match="move it away"):
        command([str(path), "--no-browser"], standalone_mode=False)


# --- notebooks ------------------------------------------------------------------------


def test_a_notebook_shows_the_page_of_an_editor(monkeypatch):
    editor = ramify.edit(None, *table())
    try:
        html = editor._repr_html_()
        assert html == editor._repr_html_()  # one server, shown twice
        url = editor._studio.url
        assert f'<iframe title="Studio" src="{url}"' in html
        with Client(editor._studio) as page:
            answer = page.get(url)
            frames = answer.headers["content-security-policy"].split("frame-ancestors")
            assert "http://localhost:*" in frames[1]
        ramify.set_config(display="text")
        assert editor._repr_html_() is None
    finally:
        ramify.set_config(display="tree")
        editor._studio.stop()
    other = ramify.edit(None, *table())
    other.split(0, "age", threshold=40)
    monkeypatch.setattr(ramify.serving.serving, "check_installed", _not_installed)
    assert "srcdoc" in other._repr_html_()


def _not_installed():
    raise ImportError
