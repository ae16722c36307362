# SPDX-License-Identifier: BSD-3-Clause
"""A messy table: text, missing values, a rare category and an unseen category."""

from pathlib import Path

import numpy as np

import ramify
from ramify.datasets import load, read_file

# Write a file like a spreadsheet: semicolons, NA for missing values, a ticket number.
people = load("passengers")
lines = [";".join(["ticket", *people.feature_names, "outcome"])]
for i, row in enumerate(people.X.tolist()):
    fields = ["NA" if x is None or x != x else str(x) for x in row]
    lines.append(";".join([f"T-{i}", *fields, people.target_names[people.y[i]]]))
Path("people.csv").write_text("\n".join(lines), encoding="utf-8")

data = read_file("people.csv", "outcome", ignore=["ticket"])
print("column  kind         distinct  missing")
for column in data.describe():
    print(f"{column.name:<7} {column.kind:<11} {column.n_distinct:9}", end="")
    print(f"{column.n_missing:9}")

tree = ramify.DecisionTreeClassifier("hellinger", min_samples_leaf=20, max_depth=3)
tree.fit(data.X, data.y)
print(f"\n{ramify.export_text(tree, feature_names=data.feature_names)}\n")
for rule in ramify.rules(tree, feature_names=data.feature_names):
    if rule.prediction == "saved":
        print(rule)

# New rows: one with an unseen port, and one with hardly any known value.
new = np.array(
    [
        [30, 25.0, "second", "Genoa", "Mrs", None],
        [None, None, "third", None, "Mr", None],
    ],
    dtype=object,
)
print(f"\nnew rows: {', '.join(tree.predict(new))}")
