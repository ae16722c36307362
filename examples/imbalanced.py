# SPDX-License-Identifier: BSD-3-Clause
"""Compare criteria on imbalanced data: one row in fifty belongs to the rare class."""

from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold, cross_val_score

import ramify

X, y = make_classification(
    n_samples=4000,
    n_features=10,
    n_informative=5,
    weights=[0.98],
    flip_y=0.01,
    random_state=0,
)
folds = StratifiedKFold(5, shuffle=True, random_state=0)
table = ramify.Table(X)  # encoded once, for all criteria and folds

print(f"{y.sum()} of {len(y)} rows are of the rare class\n")
print("criterion           AUC   leaves")
for name in ("gini", "entropy", "hellinger", "ccp_entropy", "ihd", "ihdw"):
    # Smoothed leaves give finer probabilities, on which the AUC depends.
    tree = ramify.DecisionTreeClassifier(name, min_samples_leaf=5, laplace=True)
    auc = cross_val_score(tree, table, y, cv=folds, scoring="roc_auc").mean()
    print(f"{name:<17}{auc:6.3f}{tree.fit(table, y).get_n_leaves():9d}")
