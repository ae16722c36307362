# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of a comparison: what they say, in which colours, at any size."""

import re
from xml.etree import ElementTree

import matplotlib as mpl
import matplotlib.image
import numpy as np
import pytest
from made_up import comparison, random_comparison

from ramify.comparison import pictures
from ramify.comparison.pictures import critical, svg
from ramify.comparison.pictures.trade_off import Axis, trade_off, undominated

SVG = "{http://www.w3.org/2000/svg}"
SIZES = [(3, 2), (13, 9), (44, 3)]
AXES = Axis("leaves"), Axis("accuracy, %")


@pytest.fixture(scope="module", params=SIZES, ids=lambda size: "{}x{}".format(*size))
def drawn(request):
    n_methods, n_datasets = request.param
    made = random_comparison(n_methods, n_datasets, baseline="cart", n_folds=3)
    return made, pictures.draw(made)


def texts(picture):
    root = ElementTree.fromstring(picture)
    return [element.text for element in root.iter(f"{SVG}text")]


def tips(picture):
    root = ElementTree.fromstring(picture)
    return [element.text for element in root.iter(f"{SVG}title")]


# --- all pictures ----------------------------------------------------------------


def test_pictures_are_saved_as_svg_pdf_and_png(tmp_path):
    made = random_comparison(4, 7, baseline="cart", n_folds=3)
    for picture in pictures.draw(made):
        for ending in ("svg", "pdf", "png"):
            picture.save(tmp_path / f"{picture.name}.{ending}")
        as_svg = (tmp_path / f"{picture.name}.svg").read_text("utf-8")
        assert as_svg == picture.file
        assert (tmp_path / f"{picture.name}.pdf").read_bytes().startswith(b"%PDF")
        pixels = mpl.image.imread(tmp_path / f"{picture.name}.png")
        colors = {mpl.colors.to_hex(c) for c in pixels.reshape(-1, 4)[::7]}
        assert "#ffffff" in colors
        assert not set(svg.ROLES) & colors  # roles have become colours
        assert picture.file == as_svg  # and the picture is what it was
    with pytest.raises(ValueError, match=r"must end in .svg, .pdf or .png"):
        picture.save(tmp_path / "picture.jpg")


def test_transparent_parts_stay_so_on_paper(tmp_path):
    drawn = pictures.heat_map(["a", "b"], ["x", "y"], np.array([[1, 2], [2, 1]]))
    drawn.save(tmp_path / "map.png")
    pixels = mpl.image.imread(tmp_path / "map.png")[..., :3]
    dark = (pixels.max(axis=2) < 0.5).mean()
    assert dark < 0.01  # text alone: no black frames around the tinted cells


def test_all_pictures_are_there_and_well_formed(drawn):
    _, found = drawn
    names = [picture.name for picture in found]
    assert names == ["critical_difference", "size", "time", "ranks", "scores"]
    for picture in found:
        root = ElementTree.fromstring(picture.svg)
        assert root.get("role") == "img"
        assert root.get("aria-label")
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(ids) == len(set(ids))


def test_pictures_share_no_ids(drawn):
    _, found = drawn
    ids = [name for p in found for name in re.findall(r'\bid="([^"]+)"', p.svg)]
    assert len(ids) == len(set(ids))


def test_colours_are_the_pages(drawn):
    """A fixed colour would be wrong on light or on dark paper."""
    _, found = drawn
    for picture in found:
        without = re.sub(r"var\(--\w+, #\w{6}\)", "", picture.svg)
        assert not re.search(r"#[0-9a-fA-F]{6}\b", without)
        assert "var(--ink, #1f2328)" in picture.svg


def test_a_file_has_light_colours_and_a_dark_style(drawn):
    _, found = drawn
    for picture in found:
        root = ElementTree.fromstring(picture.file)
        assert "var(" not in picture.file
        assert float(root.get("width").removesuffix("pt")) > 600
        style = root.find(f"{SVG}style").text
        assert "prefers-color-scheme: dark" in style
        for role, light, dark in svg.ROLES.values():
            fills = [
                element
                for element in root.iter()
                if f"fill-{role}" in element.get("class", "").split()
            ]
            for element in fills:
                assert light in element.get("style", element.get("fill"))
            assert f".fill-{role}{{fill:{dark}!important}}" in style
        assert root.find(f"{SVG}rect").get("class") == "fill-paper"


def test_every_method_can_be_found(drawn):
    made, found = drawn
    for picture in found:
        said = texts(picture.svg)
        told = " | ".join(tips(picture.svg))
        for name in made.names:
            assert any(name in text for text in said) or f"{name}:" in told


def test_the_same_comparison_gives_the_same_pictures():
    made = random_comparison(4, 3, n_folds=2)
    assert pictures.draw(made) == pictures.draw(made)


def test_any_name_is_written_as_it_is():
    """Formulas of matplotlib, markup, other scripts, and very long names."""
    names = ["$x^2$ <script>alert(1)</script>", "方法 & co", "a" * 80, "cart"]
    scores = np.random.default_rng(0).uniform(0.5, 0.9, size=(3, 4))
    made = comparison(scores, names, ["<b>", "$d_1$", "数据"], baseline=names[0])
    for picture in pictures.draw(made):
        assert "<script" not in picture.svg
        assert "<b>" not in picture.svg
        ElementTree.fromstring(picture.file)
        said = texts(picture.svg)
        assert "方法 & co" in said
        assert "$x^2$ <script>alert(1)<…" in said
        assert f"{'a' * 23}…" in said
        assert any("a" * 80 in tip for tip in tips(picture.svg))


def test_one_method_on_one_data_set_has_a_picture():
    found = pictures.draw(comparison([[0.9]]))
    assert [picture.name for picture in found] == ["scores"]


def test_a_score_that_is_a_cost_is_not_held_against_itself():
    found = pictures.draw(comparison(np.full((3, 3), 9.0), metric="leaves"))
    assert [picture.name for picture in found] == [
        *("critical_difference", "ranks", "scores"),
    ]


def test_only_our_own_pictures_become_files():
    with pytest.raises(ValueError, match="no viewBox"):
        pictures.standalone("<svg></svg>")


# --- critical differences --------------------------------------------------------


def lines_of(picture, role="accent"):
    """Return the end points of the thick lines: the bars."""
    found = re.findall(r'<path d="M ([^"]*)"[^>]*style="([^"]*)"', picture)
    bars = []
    for path, style in found:
        if f"--{role}" in style and "stroke-width: 4" in style:
            points = [tuple(map(float, p.split())) for p in path.split("L")]
            bars.append(points)
    return bars


def places(picture):
    """Return all texts and where they stand."""
    found = []
    for element in ElementTree.fromstring(picture).iter(f"{SVG}text"):
        place = re.search(
            r"translate\(([\d.]+) ([\d.]+)\)", element.get("transform", "")
        )
        x, y = place.groups() if place else (element.get("x"), element.get("y"))
        found.append((element.text, float(x), float(y)))
    return found


@pytest.mark.parametrize("k", [5, 14, 15, 44])
def test_bars_cover_neither_each_other_nor_names(k):
    ranks = {f"method_{j}": 1 + 0.9 * j for j in range(k)}
    difference = 2.0 + k / 8
    picture = pictures.critical_difference(ranks, difference)
    bars = lines_of(picture)
    assert len(bars) > 1
    boxes = [
        (
            min(x for x, _ in bar),
            min(y for _, y in bar),
            *map(max, zip(*bar, strict=True)),
        )
        for bar in bars
    ]
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart_x = a[0] >= b[2] + 4 or b[0] >= a[2] + 4
            apart_y = a[1] >= b[3] + 4 or b[1] >= a[3] + 4
            assert apart_x or apart_y
    names = [(x, y) for text, x, y in places(picture) if text in ranks]
    assert len(names) == k
    if k > critical.MAX_AROUND:  # names on the left, then dots, then bars
        dots = [float(x) for x in re.findall(r'<use [^>]*x="([\d.]+)"', picture)]
        assert max(x for x, _ in names) < min(dots)
        assert max(dots) < min(box[0] for box in boxes)
    else:  # the bars, then the names below
        assert max(box[3] for box in boxes) < min(y for _, y in names) - svg.FONT


def test_every_average_rank_is_written():
    ranks = {"a": 1.25, "b": 2.5, "c": 2.75}
    for more in (0, 20):
        all_of = ranks | {f"m{j}": 4.0 + j for j in range(more)}
        said = texts(pictures.critical_difference(all_of, 1.0))
        assert {"1.25", "2.50", "2.75"} <= set(said)
        assert any("critical difference 1.00" in text for text in said)


def test_a_difference_longer_than_the_scale_is_told():
    said = texts(pictures.critical_difference({"a": 1.2, "b": 1.8}, 3.0))
    assert any("longer than the scale" in text for text in said)


# --- trade-offs ------------------------------------------------------------------


def test_the_front_is_what_nothing_beats():
    rng = np.random.default_rng(3)
    cost, score = rng.integers(1, 9, size=(2, 40)).astype(float)
    slow = [
        not any(
            (cost[j] <= cost[i] and score[j] >= score[i])
            and (cost[j] < cost[i] or score[j] > score[i])
            for j in range(40)
        )
        for i in range(40)
    ]
    assert undominated(cost, score).tolist() == slow


def test_few_points_are_all_named_of_many_the_front_and_the_baseline():
    names = [f"m{j}" for j in range(40)]
    cost = np.arange(1.0, 41.0)
    score = np.full(40, 0.5)
    score[[0, 5]] = 0.7, 0.9
    said = texts(trade_off(names, cost, score, AXES, baseline="m20"))
    assert {"m0", "m5", "m20 (baseline)"} <= set(said)
    assert not {"m1", "m30"} & set(said)
    told = tips(trade_off(names, cost, score, AXES))
    assert "m30: leaves 31.00, accuracy, % 0.50" in told
    few = texts(trade_off(names[:13], cost[:13], score[:13], AXES))
    assert set(names[:13]) <= set(few)


def test_lower_scores_may_be_better():
    drawn = trade_off(["a", "b"], [1.0, 2.0], [0.1, 0.5], AXES, higher_is_better=False)
    assert ElementTree.fromstring(drawn).get("aria-label").endswith("trade-offs: a")


def test_what_failed_is_left_out():
    nan = np.array([3.0, np.nan])
    drawn = trade_off(["fine", "failed"], nan, nan / 10, AXES)
    assert ">fine<" in drawn
    assert ">failed<" not in drawn
    nothing = trade_off(["failed"], [np.nan], [0.5], AXES)
    assert ElementTree.fromstring(nothing).tag.endswith("svg")
    assert ">failed<" not in nothing


# --- maps and dots ---------------------------------------------------------------


def test_a_map_says_every_rank_best_average_first():
    ranks = [[1, 2, 3], [1.5, 1.5, 3]]
    drawn = pictures.heat_map(["x", "y", "z"], ["d", "e"], ranks)
    rows = [text for text in texts(drawn) if text in ("x", "y", "z")]
    assert rows == ["x", "y", "z"]
    assert {"1.25", "1.75", "3.00", "1.5"} <= set(texts(drawn))
    assert "y on e: rank 1.5 of 3" in tips(drawn)


def test_dots_tell_mean_and_spread_and_mark_what_failed():
    values = np.array([[[90.0, 94.0], [np.nan, 91.0], [80.0, 80.0]]])
    drawn = pictures.dots(["a", "b", "c"], ["d"], values, baseline="c")
    assert tips(drawn) == [
        "a on d: 92.00 ± 2.83",
        "b on d: no number",
        "c on d: 80.00 ± 0.00",
    ]
    # The line ends where the folds do, not beyond.
    assert {"80.0", "94.0"} <= set(texts(drawn))


def test_heads_stand_alike_on_all_lines():
    """Else the short ones would leave the room of the long ones empty."""
    values = np.random.default_rng(0).uniform(size=(16, 3, 4))
    heads = [f"s{i}" for i in range(15)] + ["long_name_of_a_set"]
    drawn = pictures.dots(["x", "y", "z"], heads, values)
    found = ElementTree.fromstring(drawn).iter(f"{SVG}text")
    turns = {
        "rotate(-45" in text.get("transform", "")
        for text in found
        if text.text in heads
    }
    assert turns == {True}


def test_many_data_sets_go_on_the_next_line():
    values = np.random.default_rng(0).uniform(size=(30, 3, 4))
    names = [f"set{i}" for i in range(30)]
    drawn = pictures.dots(["a", "b", "c"], names, values)
    assert texts(drawn).count("a") == 3
    assert set(names) <= set(texts(drawn))


def test_dots_that_are_all_the_same_or_all_failed_have_a_place():
    for values in (np.full((1, 2, 3), 0.5), np.full((1, 2, 3), np.nan)):
        drawn = pictures.dots(["a", "b"], ["d"], values)
        assert {"a", "b", "d"} <= set(texts(drawn))
        assert "nan" not in ElementTree.tostring(
            ElementTree.fromstring(drawn), encoding="unicode"
        )
