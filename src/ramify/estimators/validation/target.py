# SPDX-License-Identifier: BSD-3-Clause
"""Labels and weights as the engine wants them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from ramify.table.columns import TOO_LARGE, show

__all__ = [
    "Labels",
    "check_costs",
    "check_span",
    "check_weights",
    "class_attributes",
    "class_weights",
    "classes_of",
    "codes_among",
    "codes_of",
    "encode_labels",
    "flat_target",
    "labels_of",
    "log_of",
    "numbered",
    "refuse_huge",
    "refuse_missing",
    "weights_by_class",
]


@dataclass(frozen=True)
class Labels:
    """Classes of each output, and the code of every row's class."""

    classes: list[NDArray[Any]]
    codes: NDArray[np.uint32]  # (n_rows, n_outputs)

    def __len__(self) -> int:
        return len(self.codes)

    def some(self, places: NDArray[np.intp]) -> Labels:
        """Return those of some rows."""
        return Labels(self.classes, self.codes[places])

    @property
    def n_classes(self) -> list[int]:
        """Number of classes of each output."""
        return [len(classes) for classes in self.classes]


def flat_target(y: Any) -> Any:
    """Return a column of labels or numbers as one line, with scikit-learn's warning."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) == 2 and shape[1] == 1:
        return column_or_1d(y, warn=True)
    return y


def encode_labels(y: Any, n_rows: int) -> Labels:
    """Learn the classes of y, one or several per row."""
    if y is None:
        raise ValueError(
            "y should be a 1d array with the class of every row: this estimator "
            "requires y to be passed, but the target y is None"
        )
    array = np.asarray(y)
    if array.ndim == 0 or array.ndim > 2 or array.dtype.kind not in "iub":
        # The slow way knows all that labels can be, and names what is wrong with them.
        refuse_missing(array, "label")
        array = check_array(
            y, ensure_2d=False, dtype=None, ensure_all_finite=True, input_name="y"
        )
        is_text = array.dtype.kind == "O" and _check_objects(array) == {str}
        _refuse_fractions(array)
        if not (is_text and array.ndim == 1):  # which may be any classes
            check_classification_targets(array)
    if len(array) != n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {n_rows} rows and y has {len(array)}"
        )
    if array.ndim == 2 and array.shape[1] == 0:
        raise ValueError(f"y has shape {array.shape}; it must have at least one column")
    columns = array.reshape(n_rows, -1)
    encoded = [_encode(columns[:, j]) for j in range(columns.shape[1])]
    if len(encoded) == 1:
        return Labels([encoded[0][0]], encoded[0][1].reshape(-1, 1))
    return Labels(
        [classes for classes, _ in encoded],
        np.column_stack([codes for _, codes in encoded]),
    )


def _encode(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    is_wide = labels.dtype == np.uint64 and (labels >= 2**63).any()
    if labels.dtype.kind in "iu" and not is_wide:
        found = numbered(np.asarray(labels, dtype=np.int64))
        if found is not None:
            return found[0].astype(labels.dtype), found[1]
    if labels.dtype.kind == "O" and set(map(type, labels)) == {str}:
        # Objects are slow to sort: text is looked up.
        place = {label: i for i, label in enumerate(sorted(set(labels)))}
        codes = np.fromiter(map(place.__getitem__, labels), np.uint32, len(labels))
        return np.array(list(place), dtype=object), codes
    classes, inverse = np.unique(labels, return_inverse=True)
    return classes, inverse.reshape(-1).astype(np.uint32)


def numbered(
    labels: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.uint32]] | None:
    """Return the labels that occur and where each row has its own, without a sort.

    None if there are no labels, or if they are far apart.
    """
    if len(labels) == 0:
        return None
    low = labels.min()
    n_values = int(labels.max()) - int(low) + 1
    if n_values > max(1000, len(labels)):
        return None
    place = labels - low
    values = np.flatnonzero(np.bincount(place))
    if len(values) < n_values:
        number = np.zeros(n_values, dtype=np.uint32)
        number[values] = np.arange(len(values))
        place = number[place]
    return values + low, place.astype(np.uint32)


def refuse_missing(y: NDArray[Any], what: str) -> None:
    """Name the first row whose label, or number, is not there."""
    if y.dtype.kind != "f" or y.ndim not in (1, 2) or y.size == 0:
        return
    is_missing = np.isnan(y.reshape(len(y), -1)).any(axis=1)
    if is_missing.any():
        row = int(is_missing.argmax())
        n = int(is_missing.sum())
        more = f" ({n} rows have none)" if n > 1 else ""
        raise ValueError(
            f"Input y contains NaN: the {what} of row {row} is missing{more}; drop "
            f"rows without a {what}"
        )


def _is_huge(value: Any) -> bool:
    """Return whether this is a whole number of Python that no float holds."""
    return type(value) is int and abs(value) > sys.float_info.max


def refuse_huge(values: NDArray[Any], name: str) -> None:
    """Name the first row with a whole number of Python that no float holds."""
    if values.dtype.kind != "O":
        return
    for place, value in enumerate(values.ravel()):
        if _is_huge(value):
            row = place // max(1, values.size // len(values))
            raise ValueError(
                f"{name} has {show(value)} in row {row}, which is {TOO_LARGE}"
            )


def _refuse_fractions(y: NDArray[Any]) -> None:
    """Point to regression in place of classes such as 0.5 and 1.25."""
    if y.dtype.kind != "f" or y.ndim != 1:
        return
    is_odd = y != np.floor(y)
    if is_odd.any():
        row = int(is_odd.argmax())
        raise ValueError(
            "Unknown label type: continuous. y has numbers with fractions, such as "
            f"{y[row]} in row {row}; a regressor, such as DecisionTreeRegressor, "
            "learns numbers, and classes must be whole numbers or text"
        )


def _check_objects(labels: NDArray[Any]) -> set[type]:
    """Refuse labels that are not there, or of several types; give their types."""
    kinds = set(map(type, labels.ravel()))
    if kinds == {str}:
        return kinds
    for row, label in enumerate(labels.ravel()):
        if type(label) is int and label.bit_length() > 63:
            raise ValueError(
                f"y has the label {show(label)} in row {row}, which 64 bits do not "
                "hold; use text as labels"
            )
        if label is None or label != label:
            raise ValueError(
                f"Input y contains NaN: the label of row {row} is {label!r}; drop "
                "rows without a label"
            )
    if str in kinds and len(kinds) > 1:
        listing = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise TypeError(f"y has labels of the types {listing}; use one type for all")
    return kinds


def check_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Return one finite weight per row, or None if all rows weigh the same."""
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight)
    if weight.ndim == 0:
        weight = np.full(n_rows, weight)
    if weight.dtype.kind not in "fiub":
        refuse_huge(weight, "sample_weight")
        weight = np.asarray(
            check_array(
                weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
            )
        )
    if weight.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if len(weight) != n_rows:
        raise ValueError(
            f"sample_weight.shape == {weight.shape}, expected {(n_rows,)}: one weight "
            "per row of X"
        )
    weight = weight.astype(np.float64, copy=False)
    for bad, word in (
        (~np.isfinite(weight), "NaN or infinity"),
        (weight < 0, "negative"),
    ):
        if bad.any():
            row = int(bad.argmax())
            raise ValueError(
                f"Input sample_weight contains {word} values: {weight[row]} in row "
                f"{row}; weights must be finite and not negative"
            )
    if not (weight > 0).any():
        raise ValueError("Sample weights must contain at least one non-zero number")
    _check_span(weight)
    return weight


# Squares and products of sums of weights stay numbers within these bounds.
_LARGEST_WEIGHT, _MIN_LARGEST = 1e100, 1e-100
# Sums of weights are exact: they are kept as whole multiples of a unit, of which all
# rows together have at most this many.
_UNITS = 2.0**52


def _check_span(weight: NDArray[np.float64]) -> None:
    """Refuse weights so far apart, so large or so small that sums would lose rows."""
    with np.errstate(over="ignore"):  # infinity is more, too
        is_few = weight.sum() <= 2.0**53
    is_counted = bool(is_few) and bool((weight == np.trunc(weight)).all())
    largest, smallest = weight.max(), weight[weight > 0].min()
    check_span(largest, smallest, len(weight), is_counted)


def check_span(largest: float, smallest: float, n_rows: int, is_counted: bool) -> None:
    """Do so by the largest weight and the smallest above 0; whole ones are counted."""
    seen = f"the largest weight is {largest:g}, the smallest above 0 is {smallest:g}"
    if not _MIN_LARGEST <= largest <= _LARGEST_WEIGHT:
        raise ValueError(
            f"{seen}; the largest may be {_MIN_LARGEST:g} to {_LARGEST_WEIGHT:g}: "
            f"divide all weights by {largest:g}"
        )
    least = largest * 2 * n_rows / _UNITS
    if not is_counted and smallest < least:
        raise ValueError(
            f"{seen}; with {n_rows} rows weights below {least:.3g} are lost "
            "beside the largest: set them to 0, which leaves the rows out, or bring "
            "the weights closer together"
        )


def _check_class_weight(class_weight: Any) -> None:
    if class_weight != "balanced" and not isinstance(class_weight, (dict, list)):
        raise ValueError(
            f"class_weight={class_weight!r} is not allowed; use 'balanced', a dict "
            "{class: weight}, or None"
        )
    for each in class_weight if isinstance(class_weight, list) else [class_weight]:
        for label, weight in each.items() if isinstance(each, dict) else ():
            if _is_huge(weight):
                raise ValueError(
                    f"class_weight has {show(weight)} for the class {label!r}, which "
                    f"is {TOO_LARGE}"
                )


def class_weights(
    class_weight: Any, y: Any, weight: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """Multiply the weights of rows by the weights of their classes."""
    if class_weight is None:
        return weight
    _check_class_weight(class_weight)
    by_class: NDArray[np.float64] = compute_sample_weight(class_weight, y)
    combined = by_class if weight is None else weight * by_class
    return check_weights(combined, len(combined))


def weights_by_class(
    class_weight: Any, classes: list[NDArray[Any]], counts: list[NDArray[np.int64]]
) -> list[NDArray[np.float64]] | None:
    """Return the weight of each class of each output, from the number of its rows."""
    if class_weight is None:
        return None
    _check_class_weight(class_weight)
    given = class_weight if isinstance(class_weight, list) else [class_weight]
    if len(classes) > 1 and isinstance(class_weight, dict):
        raise ValueError(
            "For multi-output, class_weight should be a list of dicts, or the string "
            "'balanced'."
        )
    if class_weight == "balanced":
        return [n.sum() / (len(n) * n.astype(np.float64)) for n in counts]
    if len(given) != len(classes):
        raise ValueError(
            f"class_weight has {len(given)} entries, y has {len(classes)} outputs"
        )
    return [
        compute_class_weight(each, classes=own, y=own)
        if each != "balanced"
        else n.sum() / (len(n) * n.astype(np.float64))
        for each, own, n in zip(given, classes, counts, strict=True)
    ]


def check_costs(cost_matrix: Any, labels: Labels) -> NDArray[np.float64] | None:
    """Get the cost of each true and predicted class, or None if all errors cost 1."""
    if cost_matrix is None:
        return None
    if len(labels.classes) > 1:
        raise ValueError("cost_matrix cannot be used with several outputs")
    n_classes = labels.n_classes[0]
    needed = f"a matrix of {n_classes} x {n_classes} numbers, [true][predicted] class"
    try:
        costs = np.array(cost_matrix, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"cost_matrix={cost_matrix!r} is not allowed ({error}); use {needed}"
        ) from None
    if costs.shape != (n_classes, n_classes):
        raise ValueError(
            f"cost_matrix has shape {costs.shape}; y has {n_classes} classes, so use "
            f"{needed}"
        )
    if not np.isfinite(costs).all():
        raise ValueError(f"cost_matrix must be finite; it is {costs.tolist()}")
    if (costs < 0).any() or np.diag(costs).any():
        raise ValueError(
            f"cost_matrix must not be negative and must be 0 on the diagonal, where "
            f"the prediction is right; it is {costs.tolist()}"
        )
    largest = costs.max(initial=0.0)
    if largest > _LARGEST_WEIGHT or (costs[costs > 0] < _MIN_LARGEST).any():
        raise ValueError(
            f"cost_matrix has costs from {costs[costs > 0].min():g} to {largest:g}; "
            f"use {_MIN_LARGEST:g} to {_LARGEST_WEIGHT:g}: only their ratios matter"
        )
    free = ~costs.any(axis=1)
    if free.any() and n_classes > 1:
        label = labels.classes[0][int(free.argmax())]
        raise ValueError(
            f"cost_matrix has only zeros in the row of class {label!r}; an error in "
            "that class must cost something"
        )
    return costs if n_classes > 1 else None


def class_attributes(model: Any, classes: list[NDArray[Any]]) -> None:
    """Set the attributes that say what is predicted, in scikit-learn's way."""
    n_classes = [len(labels) for labels in classes]
    model.n_outputs_ = len(classes)
    model.classes_ = classes if len(classes) > 1 else classes[0]
    model.n_classes_ = n_classes if len(classes) > 1 else n_classes[0]


def classes_of(model: Any) -> list[NDArray[Any]]:
    """Return the labels of each output."""
    return [model.classes_] if model.n_outputs_ == 1 else model.classes_


def labels_of(model: Any, codes: NDArray[Any]) -> NDArray[Any]:
    """Return the labels of classes that a model predicts, (n_rows, n_outputs)."""
    if model.n_outputs_ == 1:
        return np.asarray(model.classes_.take(codes[:, 0]))
    columns = [classes.take(codes[:, j]) for j, classes in enumerate(model.classes_)]
    return np.column_stack(columns)


def log_of(probabilities: Any) -> Any:
    """Return the logarithms of probabilities, or of those of each output in a list."""
    with np.errstate(divide="ignore"):
        if isinstance(probabilities, list):
            return [np.log(p) for p in probabilities]
        return np.log(probabilities)


def codes_of(model: Any, y: Any) -> NDArray[np.uint32]:
    """Return the codes of labels that a model knows: (n_rows, n_outputs)."""
    return codes_among(classes_of(model), y)


def codes_among(classes: list[NDArray[Any]], y: Any) -> NDArray[np.uint32]:
    """Return the codes of labels among the classes of each output."""
    labels = np.asarray(y)
    labels = labels.reshape(len(labels), -1)
    if labels.shape[1] != len(classes):
        raise ValueError(f"y has {labels.shape[1]} outputs, the model {len(classes)}")
    columns = []
    for j, known in enumerate(classes):
        place = np.searchsorted(known, labels[:, j]).clip(max=len(known) - 1)
        wrong = known[place] != labels[:, j]
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(
                f"y has the label {labels[row, j].item()!r} in row {row}, which did "
                "not occur in fit"
            )
        columns.append(place.astype(np.uint32))
    return np.column_stack(columns)
