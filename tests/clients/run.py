# SPDX-License-Identifier: BSD-3-Clause
"""Packages that people use with scikit-learn's trees, each tried with Ramify's.

``python tests/clients/run.py`` prints a table, client by client: it works, it works
through `ramify.to_sklearn`, it does not (and why), or it is not installed. ``nox -s
clients`` installs them first. ``--write`` puts the table into
docs/how_to/clients.md. Ends with exit code 1 if a client that is there does not
work.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import shutil
import sys
import tempfile
import warnings
from datetime import date
from pathlib import Path

import numpy as np
from sklearn import (
    calibration,
    ensemble,
    feature_selection,
    inspection,
    metrics,
    model_selection,
    multiclass,
    multioutput,
    pipeline,
    preprocessing,
    semi_supervised,
)
from sklearn.datasets import load_diabetes, load_iris

import ramify

X, Y = load_iris(return_X_y=True)
NUMBERS = load_diabetes(return_X_y=True)
BINARY = X[:100], Y[:100]


def tree(**options):
    return ramify.DecisionTreeClassifier(max_depth=3, random_state=0, **options)


def forest():
    return ramify.RandomForestClassifier(5, random_state=0)


def fits(model, X=X, y=Y, least=0.85):
    assert model.fit(X, y).score(X, y) > least


CLIENTS = {}


def client(package=None, through=""):
    """Name a client by its function; `through` says by what it works."""

    def add(function):
        name = function.__name__.replace("__", ".")
        CLIENTS[name] = (package, through, function)
        return function

    return add


# --- scikit-learn ----------------------------------------------------------------


@client()
def GridSearchCV():
    fits(model_selection.GridSearchCV(tree(), {"criterion": ["gini", "ihd"]}, cv=3))


@client()
def RandomizedSearchCV():
    grid = {"min_samples_leaf": [1, 2, 5]}
    fits(model_selection.RandomizedSearchCV(tree(), grid, n_iter=2, cv=3))


@client()
def HalvingGridSearchCV():
    importlib.import_module("sklearn.experimental.enable_halving_search_cv")
    grid = {"max_depth": [2, 3]}
    fits(model_selection.HalvingGridSearchCV(tree(), grid, cv=3, random_state=0))


@client()
def cross_validate():
    found = model_selection.cross_validate(tree(), X, Y, return_estimator=True)
    assert found["test_score"].mean() > 0.85


@client()
def cross_val_predict():
    proba = model_selection.cross_val_predict(tree(), X, Y, method="predict_proba")
    assert proba.shape == (150, 3)


@client()
def learning_curve():
    model_selection.learning_curve(tree(), X, Y, cv=3, shuffle=True, random_state=0)


@client()
def Pipeline():
    fits(pipeline.make_pipeline(preprocessing.StandardScaler(), tree()))


@client()
def CalibratedClassifierCV():
    fits(calibration.CalibratedClassifierCV(tree(), cv=3))


@client()
def CalibrationDisplay():
    calibration.CalibrationDisplay.from_estimator(tree().fit(*BINARY), *BINARY)


@client()
def VotingClassifier():
    fits(ensemble.VotingClassifier([("a", tree()), ("b", forest())], voting="soft"))


@client()
def StackingClassifier():
    fits(ensemble.StackingClassifier([("a", tree()), ("b", forest())], cv=3))


@client()
def AdaBoostClassifier():
    fits(ensemble.AdaBoostClassifier(tree(), n_estimators=5))


@client()
def BaggingClassifier():
    fits(ensemble.BaggingClassifier(tree(), n_estimators=5))


@client()
def BaggingRegressor():
    fits(ensemble.BaggingRegressor(ramify.DecisionTreeRegressor()), *NUMBERS, least=0.5)


@client()
def OneVsRestClassifier():
    fits(multiclass.OneVsRestClassifier(tree()))


@client()
def OneVsOneClassifier():
    fits(multiclass.OneVsOneClassifier(tree()))


@client()
def MultiOutputClassifier():
    model = multioutput.MultiOutputClassifier(tree()).fit(X, np.c_[Y, Y])
    assert model.predict(X).shape == (150, 2)


@client()
def ClassifierChain():
    multioutput.ClassifierChain(tree()).fit(X, np.c_[Y > 0, Y > 1]).predict(X)


@client()
def SelfTrainingClassifier():
    partly = np.where(np.arange(150) % 5 == 0, -1, Y)
    semi_supervised.SelfTrainingClassifier(tree()).fit(X, partly).predict(X)


@client()
def RFECV():
    fits(feature_selection.RFECV(tree(), cv=3))


@client()
def SelectFromModel():
    feature_selection.SelectFromModel(forest()).fit(X, Y).transform(X)


@client()
def SequentialFeatureSelector():
    feature_selection.SequentialFeatureSelector(tree(), cv=3).fit(X, Y).transform(X)


@client()
def permutation_importance():
    inspection.permutation_importance(tree().fit(X, Y), X, Y, n_repeats=2)


@client()
def partial_dependence():
    inspection.partial_dependence(tree().fit(X, Y), X, [0], method="brute")


@client(through="to_sklearn")
def partial_dependence__recursion():
    model = ramify.DecisionTreeRegressor(max_depth=3).fit(*NUMBERS)
    plain = ramify.to_sklearn(model)
    inspection.partial_dependence(plain, NUMBERS[0], [0], method="recursion")


@client()
def DecisionBoundaryDisplay():
    model = tree().fit(X[:, :2], Y)
    inspection.DecisionBoundaryDisplay.from_estimator(model, X[:, :2])


@client()
def ConfusionMatrixDisplay():
    metrics.ConfusionMatrixDisplay.from_estimator(tree().fit(X, Y), X, Y)


@client()
def RocCurveDisplay():
    metrics.RocCurveDisplay.from_estimator(tree().fit(*BINARY), *BINARY)


@client(through="to_sklearn")
def plot_tree():
    importlib.import_module("sklearn.tree").plot_tree(
        ramify.to_sklearn(tree().fit(X, Y))
    )


@client(through="to_sklearn")
def export_text():
    plain = ramify.to_sklearn(tree().fit(X, Y))
    assert "<=" in importlib.import_module("sklearn.tree").export_text(plain)


# --- others ----------------------------------------------------------------------


@client("joblib")
def joblib__dump():
    joblib = importlib.import_module("joblib")
    tempfile = importlib.import_module("tempfile")
    with tempfile.TemporaryDirectory() as folder:
        joblib.dump(tree().fit(X, Y), f"{folder}/m.joblib")
        joblib.load(f"{folder}/m.joblib").predict(X)


@client("imblearn")
def imblearn__pipeline():
    made = importlib.import_module("imblearn.pipeline")
    over = importlib.import_module("imblearn.over_sampling")
    fits(made.make_pipeline(over.RandomOverSampler(random_state=0), tree()))


@client("imblearn")
def imblearn__BalancedBagging():
    kind = importlib.import_module("imblearn.ensemble").BalancedBaggingClassifier
    fits(kind(tree(), n_estimators=5, random_state=0))


@client("mlxtend")
def mlxtend__SequentialFeatureSelector():
    kind = importlib.import_module("mlxtend.feature_selection")
    kind.SequentialFeatureSelector(tree(), k_features=2, cv=3).fit(X, Y)


@client("mlxtend")
def mlxtend__StackingCVClassifier():
    kind = importlib.import_module("mlxtend.classifier").StackingCVClassifier
    fits(kind([tree(), forest()], meta_classifier=tree(), cv=3, random_state=0))


@client("mlxtend")
def mlxtend__bias_variance_decomp():
    made = importlib.import_module("mlxtend.evaluate")
    made.bias_variance_decomp(tree(), X, Y, X, Y, num_rounds=3, random_seed=0)


@client("optuna")
def optuna__study():
    optuna = importlib.import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def score(trial):
        model = tree(criterion=trial.suggest_categorical("c", ["gini", "ihd"]))
        return model_selection.cross_val_score(model, X, Y, cv=3).mean()

    optuna.create_study(direction="maximize").optimize(score, n_trials=3)


@client("feature_engine")
def feature_engine__SelectByShuffling():
    made = importlib.import_module("feature_engine.selection")
    frame = importlib.import_module("pandas").DataFrame(X, columns=list("abcd"))
    selector = made.SelectByShuffling(tree(), scoring="accuracy", cv=3, random_state=0)
    selector.fit(frame, Y)


@client("skops")
def skops__io():
    skops = importlib.import_module("skops.io")
    data = skops.dumps(tree().fit(X, Y))
    trusted = skops.get_untrusted_types(data=data)
    skops.loads(data, trusted=trusted).predict(X)


@client("mapie")
def mapie__SplitConformal():
    made = importlib.import_module("mapie.classification")
    model = made.SplitConformalClassifier(tree().fit(X, Y), prefit=True)
    model.conformalize(X, Y).predict_set(X)


@client("fairlearn")
def fairlearn__ExponentiatedGradient():
    made = importlib.import_module("fairlearn.reductions")
    group = np.arange(100) % 2
    made.ExponentiatedGradient(tree(), made.DemographicParity(), max_iter=3).fit(
        *BINARY, sensitive_features=group
    )


@client("category_encoders")
def category_encoders__pipeline():
    made = importlib.import_module("category_encoders")
    frame = importlib.import_module("pandas").DataFrame({"a": Y.astype(str)})
    fits(pipeline.make_pipeline(made.OrdinalEncoder(), tree()), frame)


@client("shap", through="to_sklearn")
def shap__TreeExplainer():
    shap = importlib.import_module("shap")
    shap.TreeExplainer(ramify.to_sklearn(forest().fit(X, Y))).shap_values(X[:5])


@client("mlflow", through="make_pipeline")
def mlflow__autolog():
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    mlflow = importlib.import_module("mlflow")
    with tempfile.TemporaryDirectory() as folder:
        mlflow.set_tracking_uri(Path(folder).as_uri())
        mlflow.set_experiment("clients")
        mlflow.sklearn.autolog(log_models=False)
        with mlflow.start_run() as run:
            pipeline.make_pipeline(tree()).fit(X, Y)
        mlflow.sklearn.autolog(disable=True)
        logged = mlflow.get_run(run.info.run_id).data
    assert logged.params["decisiontreeclassifier__max_depth"] == "3"
    assert logged.metrics["training_accuracy_score"] > 0.85


@client("shap")
def shap__Explainer():
    shap = importlib.import_module("shap")
    model = tree().fit(X, Y)
    shap.Explainer(model.predict_proba, X[:20])(X[:3])


@client("skl2onnx", through="to_sklearn")
def skl2onnx__to_onnx():
    made = importlib.import_module("skl2onnx")
    made.to_onnx(ramify.to_sklearn(tree().fit(X, Y)), X[:1].astype(np.float32))


@client("dtreeviz", through="to_sklearn")
def dtreeviz__model():
    made = importlib.import_module("dtreeviz")
    plain = ramify.to_sklearn(tree().fit(X, Y))
    shown = made.model(
        plain,
        X,
        Y,
        feature_names=list("abcd"),
        target_name="y",
        class_names=list("uvw"),
    )
    shown.leaf_sizes()
    shown.ctree_leaf_distributions()
    assert shown.explain_prediction_path(X[0])
    if shutil.which("dot"):
        assert "<svg" in shown.view().svg()


@client("supertree", through="to_sklearn")
def supertree__SuperTree():
    made = importlib.import_module("supertree")
    shown = made.SuperTree(
        ramify.to_sklearn(tree().fit(X, Y)), X, Y, list("abcd"), list("uvw")
    )
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "tree.html")
        shown.save_html(str(page))
        assert page.stat().st_size > 10_000


@client("treeinterpreter", through="to_sklearn")
def treeinterpreter__predict():
    made = importlib.import_module("treeinterpreter.treeinterpreter")
    made.predict(ramify.to_sklearn(tree().fit(X, Y)), X)


def run(name):
    """Try a client: its package, through what, and the answer."""
    package, through, function = CLIENTS[name]
    if package is not None:
        try:
            importlib.import_module(package)
        except Exception as error:
            return package, through, f"not installed ({type(error).__name__})"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function()
    except Exception as error:
        return package, through, f"no: {type(error).__name__}: {error}".split("\n")[0]
    return package, through, "yes"


PAGE = Path(__file__).parents[2] / "docs" / "how_to" / "clients.md"
# Names of modules that are not those of their packages.
PACKAGES = {
    "imblearn": "imbalanced-learn",
    "feature_engine": "feature-engine",
    "category_encoders": "category-encoders",
}


def version_of(module):
    """Return the package of a module, with its version."""
    package = PACKAGES.get(module, module) if module else "scikit-learn"
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return package


def write(table, summary):
    """Put the table into the page, between its two marks."""
    begin, end = "<!-- the table begins -->\n", "<!-- the table ends -->"
    before, rest = PAGE.read_text("utf-8").split(begin)
    after = rest.split(end)[1]
    text = f"{summary[:-1]} (run on {date.today()}).\n\n{table}\n"
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{after}", "utf-8")


def main():
    """Print the table; fail if a client that is here does not work."""
    importlib.import_module("matplotlib").use("Agg")
    lines = ["| client | package | through | works |", "| --- | --- | --- | --- |"]
    answers = []
    for name in CLIENTS:
        package, through, answer = run(name)
        answers.append(answer)
        words = f"{version_of(package)} | {through and f'`{through}`'} | {answer[:100]}"
        lines.append(f"| `{name}` | {words} |")
    n_yes = answers.count("yes")
    absent = sum(answer.startswith("not installed") for answer in answers)
    summary = f"{n_yes} of {len(answers)} work, {absent} are not installed."
    table = "\n".join(lines)
    print(f"{table}\n\n{summary}")
    if "--write" in sys.argv[1:]:
        write(table, summary)
    return int(n_yes + absent < len(answers))


if __name__ == "__main__":
    sys.exit(main())
