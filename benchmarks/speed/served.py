# SPDX-License-Identifier: BSD-3-Clause
"""How a finished model is asked by each program that can hold it.

Trees of at most twelve levels, so that every program takes them: one, a forest, or
rounds of boosting. onnxruntime and treelite hold Ramify's own model, exported by
Ramify; scikit-learn has a forest of the same size. One thread.
"""

from typing import Any

import numpy as np

from .peers import CannotError, Fitted, Peer, Settings, most_probable


def fit_ramify(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    model = _model(X, y, settings)
    return Fitted(model.predict, lambda: 0)


def fit_ramify_row(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    answer = _model(X, y, settings).row_predictor()
    return Fitted(
        lambda rows: np.array([answer(row) for row in rows]), lambda: 0, "row_predictor"
    )


def fit_sklearn(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from sklearn import ensemble, tree

    common = {"max_depth": settings.max_depth, "random_state": 0}
    if settings.n_rounds:
        raise CannotError("its boosted trees take all threads to predict one row")
    if settings.n_trees == 1:
        model = tree.DecisionTreeClassifier(**common)
    else:
        model = ensemble.RandomForestClassifier(settings.n_trees, **common)
    return Fitted(model.fit(X, y).predict, lambda: 0)


def fit_onnx(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = settings.n_threads
    file = _exported(_model(X, y, settings), "onnx")
    session = InferenceSession(file, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    dtype = np.float64 if "double" in session.get_inputs()[0].type else np.float32

    def predict(rows: np.ndarray) -> np.ndarray:
        return np.asarray(session.run(None, {name: rows.astype(dtype)})[0])

    return Fitted(predict, lambda: 0, "Ramify's model")


def fit_treelite(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    import treelite

    file = _exported(_model(X, y, settings), "treelite")
    model = treelite.Model.deserialize_bytes(file)

    def predict(rows: np.ndarray) -> np.ndarray:
        answer = treelite.gtil.predict(model, rows, nthread=settings.n_threads)
        answer = answer.reshape(len(rows), -1)
        return most_probable(answer[:, 0] if answer.shape[1] == 1 else answer)

    return Fitted(predict, lambda: 0, "Ramify's model")


def _model(X: np.ndarray, y: np.ndarray, settings: Settings) -> Any:
    import ramify

    common: dict[str, Any] = {"max_depth": settings.max_depth}
    if settings.n_rounds:
        kind = ramify.BoostedTreesClassifier
        return kind(n_estimators=settings.n_rounds, **common).fit(X, y)
    if settings.n_trees == 1:
        return ramify.DecisionTreeClassifier(**common).fit(X, y)
    forest = ramify.RandomForestClassifier(settings.n_trees, random_state=0, **common)
    return forest.fit(X, y)


def _exported(model: Any, to: str) -> Any:
    """Return the model in that format, not replayed: that is tested elsewhere."""
    import ramify

    return ramify.export(model, to, certify=False).artefact


SERVED: dict[str, Peer] = {
    "ramify-served": Peer("Ramify", "ramify", fit_ramify),
    "ramify-row": Peer("Ramify, row_predictor", "ramify", fit_ramify_row),
    "sklearn-served": Peer("scikit-learn", "scikit-learn", fit_sklearn),
    "onnx-served": Peer("onnxruntime", "onnxruntime", fit_onnx),
    "treelite-served": Peer("treelite", "treelite", fit_treelite),
}
