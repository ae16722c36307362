# SPDX-License-Identifier: BSD-3-Clause
"""ARFF, KEEL, LIBSVM and NPZ files, against the readers of others."""

import gzip
import io

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import arff as scipy_arff
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from ramify import datasets
from ramify.cli import main
from ramify.datasets.reading import from_file
from ramify.io import ArffFile, CsvFile, LibsvmFile, NpzFile, Source, libsvm
from ramify.io import open_file as opened

WEATHER = """% A comment
@RELATION 'the weather'

@Attribute outlook {sunny, 'over cast', "rain's"}
@attribute\ttemperature REAL
@attribute 'wind speed' numeric
@attribute play {yes,no}
@data
sunny, 85, 1.5, no
'over cast',?,2,yes
% another comment
"rain's",-3e1,?,yes

?, 70, 0, no
"""


def as_lists(data):
    return {
        name: [None if value != value else value for value in values.tolist()]
        for name, values in data.columns.items()
    }


@pytest.fixture
def write(tmp_path):
    def write(content, name):
        raw = content if isinstance(content, bytes) else content.encode()
        path = tmp_path / name
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return path

    return write


# --- ARFF ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["w.arff", "w.arff.gz", "w.ARFF", "w", "w.dat"])
def test_arff_columns_are_as_declared(write, name):
    path = write(WEATHER, name)
    assert type(opened(path)) is ArffFile
    data = datasets.read_file(path)
    assert as_lists(data) == {
        "outlook": ["sunny", "over cast", "rain's", None],
        "temperature": [85, None, -30, 70],
        "wind speed": [1.5, 2, None, 0],
    }
    assert data.y.tolist() == ["no", "yes", "yes", "no"]
    assert data.name == "w"


def test_arff_is_what_scipy_reads(write):
    # scipy takes the quotes around values for parts of them.
    text = WEATHER.replace('"rain\'s"', "rain").replace("'over cast'", "overcast")
    data = datasets.read_file(write(text, "w.arff"), "play")
    found, meta = scipy_arff.loadarff(io.StringIO(text))
    assert meta.names() == [*data.feature_names, "play"]
    for name in ("temperature", "wind speed"):
        assert np.array_equal(data.columns[name], found[name], equal_nan=True)
    outlook = [value.decode() for value in found["outlook"]]
    assert [value or "?" for value in data.columns["outlook"]] == outlook
    assert data.y.tolist() == [value.decode() for value in found["play"]]


def test_sparse_rows_leave_out_zeros_and_first_values(write):
    text = (
        "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute c string\n"
        "@attribute y {n,p}\n@data\n{}\n{0 2.5, 1 y, 2 'a, b'}\n{ 3 p , 0 ? }\n"
    )
    data = datasets.read_file(write(text, "s.arff"))
    assert as_lists(data) == {
        "a": [0, 2.5, None],
        "b": ["x", "y", "x"],
        "c": [None, "a, b", None],
    }
    assert data.y.tolist() == ["n", "n", "p"]


def test_missing_words_of_csv_are_values_in_arff(write):
    text = "@relation r\n@attribute a {None,-,NA,'?'}\n@attribute y {0,1}\n@data\n"
    path = write(f"{text}None,0\n-,1\nNA,0\n'?',1\n?,0\n", "m.arff")
    assert as_lists(datasets.read_file(path))["a"] == ["None", "-", "NA", "?", None]
    asked = datasets.read_file(path, missing_values=["NA"])
    assert as_lists(asked)["a"] == ["None", "-", None, "?", None]
    assert asked.y.tolist() == [0, 1, 0, 1, 0]


def test_escapes_in_arff(write):
    text = (
        "@relation r\n@attribute 'it\\'s \"a\"' string\n@attribute y string\n@data\n"
        "'a\\'b\\\\c\\u00e9', u\n\"x\\ty\", v\ndon't, u\n"
    )
    data = datasets.read_file(write(text, "e.arff"))
    assert as_lists(data) == {'it\'s "a"': ["a'b\\cé", "x\ty", "don't"]}


def test_dates_in_arff_are_refused_with_advice(write):
    head = '@relation r\n@attribute day date "yyyy"\n@attribute y {a,b}\n@data\n'
    path = write(head + "'1999',a\n2001,b\n", "d.arff")
    with pytest.raises(
        ValueError, match=r"column 'day' .* holds dates, such as '1999'"
    ):
        datasets.read_file(path)
    assert datasets.read_file(path, numeric=["day"]).X.tolist() == [[1999], [2001]]


text_values = st.text(
    st.characters(blacklist_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1
).filter(lambda text: text == text.strip())


def quoted(value):
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_what_is_written_as_arff_is_read_again(data):
    levels = data.draw(st.lists(text_values, min_size=1, max_size=5, unique=True))
    numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)
    rows = data.draw(
        st.lists(st.tuples(numbers, st.none() | st.sampled_from(levels)), min_size=1)
    )
    sparse = data.draw(st.booleans())
    lines = ["@relation r", "@attribute n real"]
    lines.append(f"@attribute t {{{','.join(map(quoted, levels))}}}")
    lines += ["@attribute y {a,b}", "@data"]
    for number, level in rows:
        fields = ["?" if number is None else repr(number)]
        fields += ["?" if level is None else quoted(level), "a"]
        if sparse:
            fields = [f"{j} {field}" for j, field in enumerate(fields)]
        lines.append(f"{{{','.join(fields)}}}" if sparse else ",".join(fields))
    source = Source("t.arff", "\n".join(lines).encode())
    assert as_lists(from_file(ArffFile(source))) == {
        "n": [number for number, _ in rows],
        "t": [level for _, level in rows],
    }


HEAD = "@relation r\n@attribute a real\n@attribute y {n,p}\n@data\n"
BAD_ARFF = {
    "no data": ("@relation r\n@attribute a real\n", "no @data line after its 2 lines"),
    "no columns": ("@relation r\n@data\n", "no @attribute before @data"),
    "no header": ("@relation r\n1,2\n", "line 2: '1,2' is no header line"),
    "type": ("@relation r\n@attribute a strong\n", "line 2: .*'a' has the type 'stro"),
    "no type": ("@relation r\n@attribute a\n", "line 2: .*'a' has the type ''"),
    "nested": ("@relation r\n@attribute a relational\n", "has the type 'relational'"),
    "brace": ("@relation r\n@attribute a {b,c\n", "'a' lack a closing brace"),
    "short": (HEAD + "1\n", "line 5: 1 field, but the header has 2"),
    "weight": (HEAD + "1,n,{2}\n", "line 5: the weight of a row"),
    "text": (HEAD + "1,n\nx,p\n", "'a' of .* is not numeric: line 6 has 'x'"),
    "undeclared": (HEAD + "1,n\n2,q\n", "line 6 has 'q' for 'y', which is none"),
    "quote": (HEAD + "1,n\n1,'p\n", "line 6: the quote before 'p' stays open"),
    "index": (HEAD + "{2 p}\n", "line 5: index 2 of the 2 columns"),
    "pair": (HEAD + "{0 1, x}\n", "line 5: 'x' is not an index and a value"),
    "open": (HEAD + "{0 1\n", "line 5: a sparse row lacks its closing brace"),
    "no rows": (HEAD, "has a header but no rows"),
    "twice": (HEAD.replace(" y ", " a "), "two columns named 'a'"),
    "infinite": (HEAD + "1e999,n\n", "'a' of .* is infinite: line 5"),
    "encoding": (HEAD.encode() + b"1,\xe9\n", "line 5, byte 3 is 0xe9"),
}


@pytest.mark.parametrize("case", BAD_ARFF)
def test_bad_arff_is_a_clear_error(write, case):
    content, message = BAD_ARFF[case]
    with pytest.raises(ValueError, match=message):
        datasets.read_file(write(content, "bad.arff"))


# --- KEEL ------------------------------------------------------------------------

KEEL = """@relation car
@attribute Class{good, bad}
@attribute Buying {low,high}
@attribute Doors integer [2, 5]
@attribute Weight real[0.5,1.5]
@inputs Buying, Doors, Weight
@outputs Class
@data
good, low, 2, 0.5
bad, <null>, 5, 1.5
good, high, ?, 1.0
"""


def test_keel_names_its_target(write):
    data = datasets.read_file(write(KEEL, "car.dat"))
    assert as_lists(data) == {
        "Buying": ["low", None, "high"],
        "Doors": [2, 5, None],
        "Weight": [0.5, 1.5, 1.0],
    }
    assert data.y.tolist() == ["good", "bad", "good"]
    assert datasets.read_file(write(KEEL, "car.dat"), "Buying").n_dropped == 1


def test_keel_with_several_outputs_wants_a_choice(write):
    path = write(KEEL.replace("@outputs Class", "@outputs Class, Doors"), "car.dat")
    with pytest.raises(ValueError, match="has 2 outputs, 'Class', 'Doors'; say which"):
        datasets.read_file(path)
    assert datasets.read_file(path, "Class").shape == (3, 3)
    path = write(KEEL.replace("@outputs Class", "@outputs Klass"), "car.dat")
    with pytest.raises(ValueError, match="names the output 'Klass', but has no such"):
        datasets.read_file(path)


def test_dat_without_a_header_of_keel_is_csv(write):
    path = write("a;y\n1;0\n2;1\n", "plain.dat")
    assert type(opened(path)) is CsvFile
    assert datasets.read_file(path).name == "plain"


# --- LIBSVM ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["d.libsvm", "d.svm", "d.svmlight.gz", "d.txt", "a9a"])
def test_libsvm_is_what_sklearn_reads(write, name):
    text = "# made by hand\n+1 1:0.5 4:-2e3 # note\n-1 qid:3 2:7\n\n1\n-1 3:nan 4:1\n"
    path = write(text, name)
    assert type(opened(path)) is LibsvmFile
    data = datasets.read_file(path)
    if not name.endswith(".gz"):
        X, y = load_svmlight_file(str(path))
        assert np.array_equal(data.X, X.toarray(), equal_nan=True)
        assert np.array_equal(data.y, y)
    assert data.feature_names == ("x1", "x2", "x3", "x4")
    assert data.y.tolist() == [1, -1, 1, -1]
    assert data.X[3, 3] == 1


def test_libsvm_may_count_from_zero(write):
    data = datasets.read_file(write("0 0:3 2:4\n1 1:5\n", "z.libsvm"))
    assert data.feature_names == ("x0", "x1", "x2")
    assert data.X.tolist() == [[3, 0, 4], [0, 5, 0]]


def test_what_a_libsvm_file_does_not_name_is_zero(write):
    file = opened(write("0 1:3\n1 2:5\n", "short.libsvm"))
    assert file.names == ["x1", "x2", "class"]
    assert [file.has(name) for name in ("x2", "x9", "class", "x01", "y")] == [
        *(True, True, True, False, False)
    ]
    numbers = file.read(["x2", "x9"])["x9"].numbers(frozenset(), ".")
    assert numbers.tolist() == [0, 0]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_what_sklearn_writes_as_libsvm_is_read_again(data):
    n_columns = data.draw(st.integers(1, 5))
    values = st.just(0.0) | st.floats(-1e9, 1e9)
    row = st.lists(values, min_size=n_columns, max_size=n_columns)
    X = np.array(data.draw(st.lists(row, min_size=1, max_size=8)))
    y = np.arange(len(X)) % 3
    written = io.BytesIO()
    X[0, -1] = 1.0  # the last column is known by its last number only
    dump_svmlight_file(X, y, written, zero_based=False)
    expected, labels = load_svmlight_file(
        io.BytesIO(written.getvalue()), zero_based=False
    )
    found = from_file(LibsvmFile(Source("t.libsvm", written.getvalue())))
    assert np.array_equal(found.X, expected.toarray())
    assert np.array_equal(found.y, labels)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("# nothing\n", "is empty"),
        ("yes 1:2\n", "line 1: the label 'yes' is no number"),
        ("1,2 1:2\n", "line 1: the label '1,2' has several labels"),
        ("1 1:2\n0 a:2\n", "line 2 is not a label and index:value pairs"),
        ("1 1:2\n0 3\n", "line 2 is not a label"),
        ("1 1:2\n0 1:x\n", "line 2 is not a label"),
        ("1 1:2\n0 -1:5\n", "line 2 is not a label"),
        (f"1 {10**20}:2\n", "line 1 is not a label"),
        ("1 1:2 1:3\n", "line 1 has the index 1 twice"),
        ("1 1:2\n0 1:inf\n", "'x1' of .* is infinite: row 2 has 'inf'"),
        ("1\n0\n", "no column besides the target 'class'"),
        ("0.5 1:2\n1 1:3\n", "numbers with fractions, such as '0.5'"),
        ("1 1:2\n0 99999999:1\n", "an index 99999999, .* at most 1,000,000 are"),
        (
            "1 1:2\n" + 400 * "0 999999:1\n",
            "401 rows and 999999 columns, .* GB allowed",
        ),
    ],
)
def test_bad_libsvm_is_a_clear_error(write, content, message):
    with pytest.raises(ValueError, match=message):
        datasets.read_file(write(content, "bad.libsvm"))


def test_sparse_file_too_big_when_dense_is_refused(write, monkeypatch):
    path = write("1 1:2\n0 1000:1\n", "wide.libsvm")
    assert datasets.read_file(path).shape == (2, 1000)
    monkeypatch.setattr(libsvm, "_MAX_BYTES", 15_999)
    with pytest.raises(ValueError, match="2 rows and 1000 columns"):
        datasets.read_file(path)


# --- NPZ -------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, bool])
def test_npz_holds_numbers_and_labels(tmp_path, dtype):
    path = tmp_path / "d.npz"
    X = np.array([[1, 0, 0], [0, 0, 1]], dtype=dtype)
    np.savez(path, X=X, y=np.array([3, 4], dtype=np.uint8))
    assert type(opened(path)) is NpzFile
    data = datasets.read_file(path)
    assert data.feature_names == ("x1", "x2", "x3")
    assert data.y.tolist() == [3, 4]
    if dtype is bool:
        assert data.X.tolist() == [["True", "False", "False"], ["False"] * 2 + ["True"]]
    else:
        assert data.X.tolist() == X.tolist()


@pytest.mark.parametrize("key", ["names", "feature_names", "columns"])
def test_npz_may_name_its_columns(tmp_path, key):
    path = tmp_path / "d.npz"
    labels = np.array(["no", "yes", ""])
    X = [["Oslo", "1"], ["", "2"], ["Bergen", "3"]]
    np.savez_compressed(path, X=X, y=labels, **{key: ["city", "size"]})
    data = datasets.read_file(path)
    assert as_lists(data) == {"city": ["Oslo", None], "size": ["1", "2"]}
    assert (data.y.tolist(), data.n_dropped) == (["no", "yes"], 1)
    assert datasets.read_file(path, numeric=["size"]).categorical == ("city",)


def test_missing_numbers_in_npz(tmp_path):
    np.savez(tmp_path / "d.npz", X=[[np.nan], [2.5]], y=[1.0, 0.0])
    data = datasets.read_file(tmp_path / "d.npz")
    assert as_lists(data) == {"x1": [None, 2.5]}
    assert data.y.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"data": [[1.0]], "y": [1]}, "has no array 'X'"),
        ({"X": [[1.0]]}, "has no array 'y', the labels"),
        (
            {"X": [1.0, 2.0], "y": [1, 2]},
            r"has X with 1 axes, shape \(2,\); it needs 2",
        ),
        ({"X": [[1.0], [2.0]], "y": [[1], [2]]}, "has y with 2 axes"),
        ({"X": [[1.0], [2.0]], "y": [1]}, "2 rows in X, but 1 labels in y"),
        ({"X": [[1j]], "y": [1]}, "has X of dtype complex128"),
        ({"X": [[1.0]], "y": [1], "names": ["a", "b"]}, "2 names for the 1 columns"),
        ({"X": [[1.0]], "y": [1], "names": ["y"]}, "two columns named 'y'"),
        ({"X": np.array([[None]]), "y": [1]}, "holds Python objects"),
    ],
)
def test_bad_npz_is_a_clear_error(tmp_path, arrays, message):
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        datasets.read_file(tmp_path / "bad.npz")


def test_broken_npz_is_a_clear_error(tmp_path, write):
    np.savez(tmp_path / "d.npz", X=[[1.0]], y=[1])
    whole = (tmp_path / "d.npz").read_bytes()
    with pytest.raises(ValueError, match="is not a whole NPZ file"):
        datasets.read_file(write(whole[:-30], "half.npz"))
    with pytest.raises(ValueError, match=r"is no NPZ file; write it with numpy\.savez"):
        datasets.read_file(write(b"hello", "other.npz"))


# --- broken files ----------------------------------------------------------------

SOUND = [
    WEATHER.encode(),
    KEEL.encode(),
    gzip.compress(WEATHER.encode()),
    b"1 1:2 3:4\n-1 2:5 # c\n0 qid:3 1:2\n",
    b'a,b,y\n1,x,0\n2,"q\n",1\n',
]
MARKS = [b"'", b'"', b"{", b"}", b",", b"@", b"\n", b"\\", b":", b"\0", b"?", b"\xff"]


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_file_is_read_or_refused_by_name(data, tmp_path_factory):
    raw = bytearray(data.draw(st.sampled_from(SOUND)))
    for _ in range(data.draw(st.integers(0, 4))):
        i = data.draw(st.integers(0, len(raw)))
        if data.draw(st.booleans()):
            raw[i:i] = data.draw(st.sampled_from(MARKS))
        else:
            del raw[i : i + data.draw(st.integers(1, 9))]
    suffix = data.draw(
        st.sampled_from(["", ".arff", ".dat", ".svm", ".npz", ".csv.gz"])
    )
    path = tmp_path_factory.mktemp("broken") / f"file{suffix}"
    path.write_bytes(raw)
    try:
        outcome = f"{path.name} has {len(datasets.read_file(path).y)} rows"
    except ValueError as error:
        outcome = str(error)
    assert path.name in outcome
    assert not outcome.endswith("has 0 rows")


# --- fit and predict take them all -----------------------------------------------


def test_fit_and_predict_take_every_format(tmp_path, write):
    iris = datasets.load("iris")
    X = np.round(iris.X, 1)
    np.savez(tmp_path / "iris.npz", X=X, y=iris.y)
    dump_svmlight_file(X, iris.y, str(tmp_path / "iris.libsvm"), zero_based=False)
    names = [*(f"@attribute x{j} real" for j in range(1, 5)), "@attribute y {0,1,2}"]
    rows = [",".join(map(str, [*x, y])) for x, y in zip(X, iris.y, strict=True)]
    write("\n".join(["@relation i", *names, "@data", *rows]), "iris.arff")
    predicted = []
    for name, target in {"npz": "y", "libsvm": "class", "arff": "y"}.items():
        path, model = str(tmp_path / f"iris.{name}"), str(tmp_path / "m.ramify")
        fit = ["fit", path, "--target", target, "--max-depth", "3", "-o", model]
        assert CliRunner().invoke(main, fit).exit_code == 0
        done = CliRunner().invoke(main, ["predict", model, path, "--ignore-extra"])
        assert done.exit_code == 0, done.stderr
        predicted.append(done.stdout)
    assert predicted[0] == predicted[1] == predicted[2]
    assert predicted[0].count("\n") == 151
