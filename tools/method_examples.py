# SPDX-License-Identifier: BSD-3-Clause
"""The worked example of a method, for its page, and the model of its picture."""

from typing import Any

from sklearn.datasets import make_blobs

import ramify
from ramify.methods import Method

MAX_DEPTH = 3


def needs_groups(method: Method) -> bool:
    """Return whether fit must be told a sensitive attribute."""
    criterion = method.parameters.get("criterion")
    return criterion in ramify.criteria.names("expressions") and (
        "sensitive_auc" in ramify.criteria.registered(criterion).formula
    )


def plane_model(method: Method) -> tuple[Any, Any, Any]:
    """Fit the model of the picture: five clusters of three classes in the plane."""
    X, y = make_blobs(150, centers=5, cluster_std=1.3, random_state=13)
    y = y % 3
    groups = {"sensitive": X[:, 1] > 0} if needs_groups(method) else {}
    model = method.make(**_changes(method)).fit(X, y, **groups)
    return model, X, y


def example_source(method: Method) -> str:
    """Write the example: accuracy on rows that the model has not seen, and the tree."""
    given = ", ".join(f"{key}={value!r}" for key, value in _changes(method).items())
    groups = ""
    lines = [
        "from sklearn.datasets import load_breast_cancer",
        "from sklearn.model_selection import train_test_split",
        "",
        "import ramify",
        "",
        "data = load_breast_cancer()",
        "columns = [20, 27]  # two of 30, so that the tree can be read",
        "X, y = data.data[:, columns], data.target_names[data.target]",
        "X, X_test, y, y_test = train_test_split("
        "X, y, test_size=0.5, stratify=y, random_state=0)",
    ]
    call = f'model = ramify.methods.make("{method.name}", {given})'
    if len(call) > 88:
        call = f'model = ramify.methods.make(\n    "{method.name}", {given}\n)'
    if needs_groups(method):
        groups = ", sensitive=X[:, 1] > 0.1"
    lines += [call, f"model.fit(X, y{groups})"]
    lines += ['print(f"{model.score(X_test, y_test):.3f} on {len(y_test)} test rows")']
    if method.estimator is not ramify.RandomForestClassifier:
        tree = "model" if method.multiclass == "native" else "model.estimators_[0]"
        lines += [
            'names = ["radius", "concave points"]',
            f"print(ramify.export_text({tree}, feature_names=names, decimals=2))",
        ]
    return "\n".join(lines) + "\n"


def _changes(method: Method) -> dict[str, Any]:
    """Return the parameters of the example that differ from the method's."""
    changes: dict[str, Any] = {"max_depth": MAX_DEPTH, "random_state": 0}
    return {**changes, "theta": 0.3} if needs_groups(method) else changes
