# SPDX-License-Identifier: BSD-3-Clause
"""Inter-node Hellinger distance: Akash, Kadir, Ali, Shoyaib (2019)."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from ramify import methods
from ramify.reproduce import claims
from ramify.reproduce.figures import example, sizes
from ramify.reproduce.paper import Choice, Claim, Entry, Measure, Paper, Row, Size

__all__ = ["PAPER"]

# Printed name → criterion.
CRITERIA = {
    "Entropy": "entropy",
    "Gini": "gini",
    "GR": "gain_ratio",
    "DCSM": "dcsm",
    "HDDT": "hellinger",
    "CCPDT": "ccp_entropy",
    "iHD": "ihd",
    "iHDw": "ihdw",
}
OTHERS = tuple(name for name in CRITERIA if not name.startswith("iHD"))
READINGS = {
    "plain": "leaves give the shares of their classes",
    "Laplace": "leaves give shares smoothed by Laplace's rule; accuracy hardly changes",
    "normalised CCP": "as plain, with CCPDT's class confidence normalised over all "
    "classes in place of each class against the rest (eq. 8); the other methods do "
    "not change, nor does CCPDT with two classes",
}

ROWS = (
    Row("appendicitis", "appendicitis"),
    Row("lymphography", "lymphography", "codes"),
    Row("lymphography", "lymphography", "categories", is_extra=True),
    Row("wine", "wine"),
    Row("sonar", "sonar"),
    Row("liver", "bupa", note="the paper prints the size of ionosphere"),
    Row("musk", "musk1"),
    Row("vowel", "vowel528"),
    Row("breast", "breast_wdbc"),
    Row("australian", "australian"),
    Row("transfusion", "blood_transfusion"),
    Row("german", "german", "codes"),
    Row("german", "german", "categories", is_extra=True),
    Row("yeast", "yeast"),
    Row("steel", "steel"),
    Row("cardio", "cardio"),
    Row("segment", "segment"),
    Row("semeion", "semeion", is_large=True),
    Row("spambase", "spambase", is_large=True),
    Row("waveform", "waveform", is_large=True),
    Row("digits", "optdigits", is_large=True),
    Row(
        "digits",
        "sklearn_digits",
        is_extra=True,
        is_large=True,
        note="scikit-learn's 1,797 rows",
    ),
    Row("hayes-roth", "hayes-roth132"),
    Row("new-thyroid", "new-thyroid"),
    Row("new-thyroid1", "new-thyroid1"),
    Row("ecoli-0-6-7_vs_5", "ecoli-0-6-7_vs_5"),
    Row("ecoli-0-1_vs_2-3-5", "ecoli-0-1_vs_2-3-5"),
    Row("ecoli-0-1-4-6_vs_5", "ecoli-0-1-4-6_vs_5"),
    Row("haberman", "haberman"),
    Row("ecoli-0-1-4-7_vs_2-3-5-6", "ecoli-0-1-4-7_vs_2-3-5-6"),
    Row("ecoli2", "ecoli2"),
    Row("dermatology", "dermatology", note="358 complete rows, 6 classes"),
    Row("dermatology", "dermatology366", is_extra=True, note="8 ages missing"),
    Row("yeast-0-3-5-9_vs_7-8", "yeast-0-3-5-9_vs_7-8"),
    Row("yeast-2_vs_4", "yeast-2_vs_4"),
    Row("pageblocks", "pageblocks"),
    Row("paw02a-600-5-70-BI", "paw02a-600-5-70-BI"),
    Row("balance", "balance"),
    Row("wisconsin", "wisconsin"),
    Row("vehicle3", "vehicle3"),
    Row("yeast-0-2-5-6_vs_3-7-8-9", "yeast-0-2-5-6_vs_3-7-8-9"),
    Row("penbased", "penbased1100"),
    Row("winequality-red-4", "winequality-red-4"),
)


def _make(
    seed: int, criterion: str, laplace: bool = False, **criterion_params: Any
) -> Any:
    return methods.make(
        "cart",
        criterion=criterion,
        criterion_params=criterion_params or None,
        laplace=laplace,
        random_state=seed,
        n_jobs=1,
    )


def _entries(size: Size) -> Iterator[Entry]:
    """Yield trees that differ in nothing but the criterion."""
    for name, criterion in CRITERIA.items():
        for reading in ("plain", "Laplace"):
            laplace = reading == "Laplace"
            make = partial(_make, criterion=criterion, laplace=laplace)
            yield Entry(name, reading, make)
    normalised = partial(_make, criterion="ccp_entropy", multiclass="normalised")
    yield Entry("CCPDT", "normalised CCP", normalised)


CHOICES = (
    Choice(
        "folds",
        "10-fold cross-validation",
        "whether stratified, and how often drawn",
        "stratified, shuffled; a full run draws them ten times",
    ),
    Choice(
        "trees",
        "unpruned, binary",
        "smallest leaf, thresholds",
        "grown to purity, thresholds midway between values",
    ),
    Choice(
        "AUC",
        "that of Hand and Till",
        "shares or smoothed shares in the leaves; per fold or over all rows",
        "shares (*plain*), with *Laplace* beside; the mean over the folds",
    ),
    Choice(
        "GR",
        "gain ratio (eq. 5)",
        "the further rules of C4.5",
        "the plain formula",
    ),
    Choice(
        "HDDT",
        "Hellinger distance (eq. 7), for many classes the largest of one against the "
        "rest",
        "Laplace leaves, which HDDT's authors advise",
        "all eight trees have the same leaves",
    ),
    Choice(
        "CCPDT",
        "CCP (eqs. 8, 9) in place of shares in entropy or Gini; ties by Hellinger",
        "entropy or Gini; its pruning by Fisher's test",
        "entropy; each class against the rest, as eq. 8 says, and normalised over the "
        "classes beside (*normalised CCP*); not pruned, as all the trees",
    ),
    Choice(
        "categories",
        "nothing",
        "how german and lymphography were coded",
        "numbers in the order of their names; the trees' own categories beside",
    ),
    Choice(
        "data",
        "Table 2; sizes of seven sets stand in wrong rows",
        "which copy of digits",
        "5,620 rows, as printed, with the 1,797 of scikit-learn beside",
    ),
    Choice(
        "nodes and time",
        "no major difference",
        "the numbers",
        "less than 1.25 times as much; 2 leaves - 1 nodes, CPU time of a fit",
    ),
)

PAPER = Paper(
    name="ihd",
    title="Inter-node Hellinger distance (iHD, iHDw)",
    reference="Akash, Kadir, Ali, Shoyaib (2019), Inter-node Hellinger Distance based "
    "Decision Tree, IJCAI",
    protocol="Unpruned binary trees with eight criteria, 10-fold cross-validation. "
    "Accuracy on 20 balanced data sets, AUC (for many classes that of Hand and Till) "
    "on 20 imbalanced ones. Friedman's test with the F of Iman and Davenport, and "
    "Nemenyi's critical difference.",
    choices=CHOICES,
    n_folds=10,
    n_repeats=1,
    full_repeats=10,
    measures=(
        Measure("accuracy", "Table 3", "ihd_table3.csv", "accuracy_pct", 0.01),
        Measure("auc", "Table 4", "ihd_table4.csv", "auc_pct", 0.01),
    ),
    rows=ROWS,
    entries=_entries,
    readings=READINGS,
    claims=(
        Claim("Accuracy differs among the methods.", claims.differ("accuracy")),
        Claim(
            "iHDw and iHD have the two best average ranks in accuracy.",
            claims.best_ranks("accuracy", ["iHD", "iHDw"]),
        ),
        Claim(
            "iHD is more accurate than each of the six others on most sets "
            "(win/tie/loss).",
            claims.better_on_most("accuracy", "iHD", OTHERS),
        ),
        Claim(
            "iHDw is more accurate than each of the six others on most sets.",
            claims.better_on_most("accuracy", "iHDw", OTHERS),
        ),
        Claim("AUC differs among the methods.", claims.differ("auc")),
        Claim(
            "iHDw and iHD have the two best average ranks in AUC.",
            claims.best_ranks("auc", ["iHD", "iHDw"]),
        ),
        Claim(
            "iHD has a higher AUC than each of the others but GR on most sets.",
            claims.better_on_most("auc", "iHD", [m for m in OTHERS if m != "GR"]),
        ),
        Claim(
            "iHDw has a higher AUC than each of the six others on most sets.",
            claims.better_on_most("auc", "iHDw", OTHERS),
        ),
    ),
    figures=(sizes.figure(tuple(CRITERIA), "plain"), example.FIGURE),
    differences="""\
- *digits*: Table 2 prints the 5,620 rows of the UCI set, on which all eight trees
  are clearly more accurate here, by 2 to 6 points. On the 1,797 rows that come with
  scikit-learn five of the eight agree within noise and the mean difference is below
  0.5: the printed figures are most likely of that set.
- *AUC and leaves*: with plain leaves AUC is near the printed one, with Laplace
  leaves 8 points above it: the paper's leaves were not smoothed. The choice matters
  more than the criterion: Laplace leaves raise the AUC of every method by 5 to 9
  points.
- *AUC and folds*: an AUC per fold of the small imbalanced sets rests on two to four
  rows of the rare class. All methods of a set go up or down together with the draw
  of folds. ecoli2 and hayes-roth are 4 to 6 points above the printed figures with
  nearly every method, more than that noise: not explained. With the first draw
  alone, which is the paper's protocol, iHDw is fourth in AUC and none of the four
  claims on AUC holds here; over two draws three of them hold. So one draw cannot
  decide them. With plain leaves Friedman's test finds no difference in AUC.
- *CCPDT*: each class against the rest, as eq. 8 says, is nearer the printed figures
  than confidence normalised over the classes: a mean absolute difference of 1.0
  against 1.2 points in accuracy, 3.3 against 3.4 in AUC.
- *german, lymphography*: no cell differs clearly with coded numbers; with the
  trees' own categories lymphography is 3.5 points above the printed figures in the
  mean. So numbers are what the paper most likely used.""",
    missing={"lung": "no copy of the data (203 x 3312) could be obtained"},
)
