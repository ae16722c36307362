# SPDX-License-Identifier: BSD-3-Clause
"""The worked example of a method, for its page and its picture."""

import ramify
from ramify.methods import Method

MAX_DEPTH = 3


def needs_groups(method: Method) -> bool:
    """Return whether fit must be told a sensitive attribute."""
    criterion = method.parameters.get("criterion")
    return criterion in ramify.criteria.names("expressions") and (
        "sensitive_auc" in ramify.criteria.registered(criterion).formula
    )


def example_source(method: Method) -> str:
    """Write the example: a tree on five clusters of three classes."""
    changes = {"max_depth": MAX_DEPTH, "random_state": 0}
    fit = ""
    if needs_groups(method):
        changes["theta"] = 0.3
        fit = ", sensitive=X[:, 1] > 0"
    is_forest = method.estimator is ramify.RandomForestClassifier
    is_drawn = is_forest and method.parameters.get("bootstrap", True)
    if is_drawn:
        changes["oob_score"] = True
    given = ", ".join(f"{key}={value!r}" for key, value in changes.items())
    lines = [
        "from sklearn.datasets import make_blobs",
        "",
        "import ramify",
        "",
        "X, y = make_blobs(150, centers=5, cluster_std=1.3, random_state=13)",
        "y = y % 3  # five clusters of three classes",
    ]
    call = f'model = ramify.methods.make("{method.name}", {given})'
    if len(call) > 88:
        call = f'model = ramify.methods.make(\n    "{method.name}", {given}\n)'
    lines += [call, f"model.fit(X, y{fit})"]
    if is_forest:
        lines += ['print(f"{model.score(X, y):.3f} on the training rows")']
        lines += [
            'print(f"{model.oob_score_:.3f} on rows that a tree has not seen")'
        ] * is_drawn
    elif method.multiclass == "ova":
        lines += [
            'print(f"{model.score(X, y):.3f} on the training rows")',
            "print(ramify.export_text(model.estimators_[0], decimals=2))  # class 0",
        ]
    else:
        lines += [
            'print(f"{model.score(X, y):.3f} on the training rows")',
            "print(ramify.export_text(model, decimals=2))",
        ]
    return "\n".join(lines) + "\n"
