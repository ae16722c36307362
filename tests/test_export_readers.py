# SPDX-License-Identifier: BSD-3-Clause
"""Who replays a file where its runtime is not here: our readings, or a command."""

import re
import shlex
import shutil
import sys
from functools import cache

import exported
import numpy as np
import pytest
from click.testing import CliRunner

import ramify
from ramify.cli import main
from ramify.exports.base import Artefact
from ramify.exports.certificates import certificate
from ramify.exports.certificates.probes import make_rows
from ramify.exports.certificates.rows import source_for
from ramify.exports.reading import walk_of
from ramify.exports.registry import FORMATS

READERS = {name: FORMATS[name].runtimes[-1] for name in ("c", "pmml")}


@cache
def _asked(kind):
    """Return a model's walk, rows on its borders, and what it says of them."""
    model = exported.model(kind)
    walk = walk_of(model)
    made = make_rows(walk, 600)
    source = source_for(walk, made.matrix)
    return walk, made.matrix, certificate.truth(model, walk, source)


def _text(name, kind):
    form = FORMATS[name]
    return form.write(_asked(kind)[0], form.options_with({})).text


def _rows_that_differ(name, kind, text):
    walk, matrix, truth = _asked(kind)
    said = READERS[name].replay(Artefact(text), walk, matrix, {})
    return int(certificate._compared(FORMATS[name], walk, truth, said)[0].sum())


def _held(name):
    return [k for k in exported.KINDS if not FORMATS[name].reasons(_asked(k)[0])]


@pytest.mark.parametrize("name", READERS)
def test_our_reading_answers_as_predict(name):
    kinds = _held(name)
    assert len(kinds) >= 20
    for kind in kinds:
        assert _rows_that_differ(name, kind, _text(name, kind)) == 0, kind


def _above(text):
    return repr(float(np.nextafter(float(text), np.inf)))


def _hex_above(text):
    return float(np.nextafter(float.fromhex(text), np.inf)).hex()


def _hex_more_of_last(text):
    # A last digit of one share of six is lost in their sum.
    first, last = text.split(", ")
    return f"{first}, {(float.fromhex(last) * (1 + 2**-40)).hex()}"


_HEX = r"-?0x[\w.]+p[+-]\d+"
# Where thresholds stand, and the next double.
CUTS = {"c": (rf"(?<=[{{]){_HEX}(?=, )", _hex_above)}
CUTS["pmml"] = (r"(?<=lessOrEqual\" value=\")[^\"]+", _above)


@pytest.mark.parametrize("name", READERS)
def test_every_threshold_that_is_one_ulp_off_is_seen(name):
    kind = "numeric with gaps"
    text, (pattern, moved) = _text(name, kind), CUTS[name]
    found = list(re.finditer(pattern, text))
    assert len(found) > 20
    for each in found:
        changed = text[: each.start()] + moved(each[0]) + text[each.end() :]
        assert _rows_that_differ(name, kind, changed) > 0, each


ONE = (1.0).hex()
FAULTS = [
    # A leaf, a gap, a category, a weight, a share, a start, a cost, a sum, a border.
    ("c", "3 classes", rf"(?<=model_value\[\] = {{\n  ){_HEX}", _hex_above),
    ("c", "numeric with gaps", r"(?<=, )-1(?=, \d)", lambda _: "0"),
    ("c", "categories with unseen", r'"Lima"', lambda _: '"Lime"'),
    ("c", "oblique", rf"(?<=_termWeight\[\] = {{\n  ){_HEX}", _hex_above),
    (
        "c",
        "fractional",
        rf"(?<=_share\[\] = {{\n)(  {_HEX}, ){_HEX}",
        _hex_more_of_last,
    ),
    ("c", "boosted, 3 classes", rf"(?<=score\[3\] = {{){_HEX}", lambda _: ONE),
    ("c", "forest with costs", r"0x1.4\w+p\+2(?=;)", lambda _: ONE),
    ("pmml", "3 classes", r"(?<=probability=\")0\.\d+", lambda _: "0.015625"),
    ("pmml", "numeric with gaps", r"defaultChild=\"\d+", lambda x: x + "0"),
    ("pmml", "categories with unseen", "(?<=&quot;)Lima", lambda _: "Lime"),
    ("pmml", "unseen is missing", 'Value value="Oslo"', lambda _: 'Value value="Osla"'),
    ("pmml", "oblique", r"(?<=\"double\">)-?\d\.\d\d+", lambda x: x[:-3]),
    ("pmml", "forest of 20", '"average"', lambda _: '"sum"'),
    ("pmml", "boosted, 3 classes", r"(?<=score=\")-?\d\.\d+", lambda x: f"{x}1e-3"),
    ("pmml", "boosted, 2 classes", '"lessOrEqual"', lambda _: '"lessThan"'),
]


@pytest.mark.parametrize(("name", "kind", "pattern", "fault"), FAULTS)
def test_a_planted_fault_is_seen(name, kind, pattern, fault):
    text = _text(name, kind)
    changed = re.sub(pattern, lambda found: fault(found[0]), text, count=1)
    assert changed != text
    assert _rows_that_differ(name, kind, changed) > 0


@pytest.mark.parametrize("name", READERS)
def test_where_no_runtime_is_the_certificate_says_so(name, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda command: None)
    made = ramify.export(exported.model("one leaf"), name)  # warns of nothing
    runtime = made.certificate.facts["runtime"]
    assert runtime["own_interpreter"]
    assert runtime["name"].startswith("ramify's own reading of")
    assert made.certificate.n_replayed > 0


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("c", "(v > model_node", "(v >= model_node", "not those of ramify"),
        ("c", "*/", "*/ int x; /* */", "does not begin with the comment of ramify"),
        ("c", ", 1}", ", 900}", "node 0 of the header leads back, or to no node"),
        ("c", "_predict(\n", "_predicts(\n", "the header has nothing like"),
        ("pmml", "<PMML", "<!DOCTYPE x><PMML", "has no DOCTYPE"),
        ("pmml", "</PMML>", "", "this is no XML"),
        ("pmml", "PMML-4_4", "PMML-3_0", "this is no PMML 4.4"),
        ("pmml", '"defaultChild"', '"nullPrediction"', "only missingValueStrategy="),
        ("pmml", 'operator="lessOrEqual"', 'operator="about"', "'about': what is that"),
        ("pmml", '<DataField name="x0"', '<DataField name="x"', "no field 'x0'"),
        ("pmml", '<Value value="0"/>', "", "score='0' is no class of the document"),
    ],
)
def test_what_is_not_ours_is_not_read(name, old, new, message):
    kind = "numeric with gaps"
    text = _text(name, kind)
    assert old in text
    with pytest.raises(ValueError, match=re.escape(message)):
        _rows_that_differ(name, kind, text.replace(old, new, 1))


# --- a command ------------------------------------------------------------------------

_LOOP = """\
import json, runpy, sys
model = runpy.run_path(sys.argv[1])
for line in sys.stdin:
    row = json.loads(line)
    try:
        said = {"prediction": model["predict"](row)}
        if "predict_proba" in model:
            said["probabilities"] = model["predict_proba"](row)
    except ValueError:
        said = None
    print(json.dumps(said))
"""


@pytest.fixture
def loop(tmp_path):
    """Return a command that runs exported Python files."""
    script = tmp_path / "run it.py"
    script.write_text(_LOOP)
    return [sys.executable, str(script), "{file}"]


@pytest.mark.parametrize(
    "kind",
    ["hostile names", "several outputs", "several outputs, numbers", "regression"],
)
def test_a_command_may_be_the_runtime(kind, loop, tmp_path):
    model, file = exported.model(kind), tmp_path / "m.py"
    ramify.export(model, "python", file, certify=False)
    found = ramify.certify(model, file, runtime=shlex.join(loop), n_rows=300)
    assert found.is_exact
    assert found.facts["runtime"]["name"] == shlex.join(loop)
    assert not found.facts["runtime"]["own_interpreter"]


def test_a_command_that_answers_otherwise_is_seen(loop, tmp_path):
    model, file = exported.model("3 classes"), tmp_path / "m.py"
    text = ramify.export(model, "python", certify=False).artefact
    changed = re.sub(r"(?<=<= )-?\d\.\d+", lambda x: _above(x[0]), text, count=1)
    assert changed != text
    file.write_text(changed)
    model.save(tmp_path / "m.ramify")
    words = ["certify", tmp_path / "m.ramify", file, "--runtime", shlex.join(loop)]
    done = CliRunner().invoke(main, [*map(str, words)])
    assert done.exit_code == 3
    assert "rows answered otherwise" in done.output


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import sys; sys.exit('no such table')", "ended with 1: no such table"),
        ("pass", "answered 5 rows with 0 lines; one each is right"),
        ("print('x\\n' * 5, end='')", "line 1 of .* is 'x' .JSONDecodeError"),
        ("print('{}\\n' * 5, end='')", "KeyError: 'prediction'.; write null, or"),
        ("print('7\\n' * 5, end='')", "TypeError"),
        (
            'print(\'{"prediction": "x", "probabilities": [1]}\\n\' * 5, end=\'\')',
            "1 numbers.; write null, or .* with 3 numbers",
        ),
    ],
)
def test_a_command_that_does_not_answer_is_told(program, message, tmp_path):
    model, file = exported.model("3 classes"), tmp_path / "m.json"
    ramify.export(model, "json", file, certify=False)
    with pytest.raises(ValueError, match=message):
        ramify.certify(model, file, n_rows=5, runtime=[sys.executable, "-c", program])


def test_a_command_that_is_none_is_told(tmp_path):
    model, file = exported.model("3 classes"), tmp_path / "m.json"
    ramify.export(model, "json", file, certify=False)
    with pytest.raises(ValueError, match="'no-such-program' cannot be run"):
        ramify.certify(model, file, runtime="no-such-program")
    with pytest.raises(ValueError, match="runtime='' is no command"):
        ramify.certify(model, file, runtime="")


def test_only_the_database_of_the_dialect_is_missed(monkeypatch):
    tree = ramify.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    for runtime in FORMATS["sql"].runtimes:
        monkeypatch.setattr(type(runtime), "version", lambda self: None)
    with pytest.warns(UserWarning, match="not replayed: duckdb is not installed"):
        ramify.export(tree, "sql", dialect="duckdb")
