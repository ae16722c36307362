# SPDX-License-Identifier: BSD-3-Clause
"""Survival criteria by their definitions, in plain NumPy: one cut at a time."""

import itertools

import numpy as np

FAMILY = ("logrank", "gehan", "tarone_ware", "peto_peto", "fleming_harrington")


def node_table(time, event, weight, left):
    """Return the event times, at risk and events of the node and of the left side."""
    taus = np.unique(time[event & (weight > 0)])
    at_risk = (weight * (time >= taus[:, None])).sum(axis=1)
    dead = (weight * (event & (time == taus[:, None]))).sum(axis=1)
    at_risk_left = (weight * (left & (time >= taus[:, None]))).sum(axis=1)
    dead_left = (weight * (left & event & (time == taus[:, None]))).sum(axis=1)
    return taus, at_risk, dead, at_risk_left, dead_left


def time_weights(criterion, n, d, params):
    """Return the weights of event times.

    >>> time_weights("gehan", np.array([3.0, 1]), np.array([1.0, 1]), {}).tolist()
    [3.0, 1.0]
    """
    if criterion == "gehan":
        return n
    if criterion == "tarone_ware":
        return np.sqrt(n)
    if criterion == "peto_peto":
        left = np.cumprod(1 - d / (n + 1))
        return left * n / (n + 1) if params.get("andersen") else left
    if criterion == "fleming_harrington":
        before = np.concatenate([[1.0], np.cumprod(1 - d / n)[:-1]])
        rho, gamma = params.get("rho", 1.0), params.get("gamma", 0.0)
        return before**rho * (1 - before) ** gamma
    return np.ones(len(n))


def log_rank(criterion, time, event, weight, left, **params):
    """Return U and V of a cut."""
    _, n, d, n_left, d_left = node_table(time, event, weight, left)
    w = time_weights(criterion, n, d, params)
    c = np.where(n > 1, d * (n - d) / np.where(n > 1, n - 1, 1), 0.0)
    u = (w * (d_left - d * n_left / n)).sum()
    v = (w**2 * c * (n_left / n) * ((n - n_left) / n)).sum()
    return u, v


def score(criterion, time, event, weight, left, **params):
    """Return the score of a cut of the log-rank family; minus infinity without V."""
    u, v = log_rank(criterion, time, event, weight, left, **params)
    return u * u / v if v > 1e-12 else -np.inf


def hazard(time, event, weight):
    """Return the Nelson-Aalen estimate at the time of each row."""
    taus, n, d, _, _ = node_table(time, event, weight, np.zeros(len(time), bool))
    steps = np.concatenate([[0.0], np.cumsum(d / n)])
    return steps[np.searchsorted(taus, time, side="right")]


def hothorn_lausen(time, event, weight):
    """Return the sum of d_j / (n - g_j + 1) up to the time of each row."""
    up_to = (weight * (time <= time[:, None])).sum(axis=1)
    term = weight * event / (weight.sum() - up_to + 1)
    return (term * (time <= time[:, None])).sum(axis=1)


def gehan_scores(time, event, weight):
    """Count pairs: those in which a row is the later one, less the others."""
    before = event & (time < time[:, None])  # j has its event before i
    score = (weight * before).sum(axis=1) - (weight * before.T).sum(axis=1)
    return score, (weight[:, None] * weight * before).sum()


def restricted_mean(time, event, weight, tau):
    """Return the area under the Kaplan-Meier curve up to tau."""
    taus, n, d, _, _ = node_table(time, event, weight, np.zeros(len(time), bool))
    survival = np.concatenate([[1.0], np.cumprod(1 - d / n)])
    ends = np.concatenate([[0.0], np.minimum(taus, tau), [tau]])
    return (survival * np.diff(ends)).sum()


def pseudo_values(time, event, weight, tau):
    """Leave out each row: n theta - (n - 1) theta without it."""
    n, theta = weight.sum(), restricted_mean(time, event, weight, tau)
    found = []
    for i in range(len(time)):
        own = weight.copy()
        own[i] -= 1
        found.append(n * theta - (n - 1) * restricted_mean(time, event, own, tau))
    return np.array(found)


def squares(scores, weight, left):
    """Return what a cut takes off the squared errors of scores."""
    n, n_left = weight.sum(), weight[left].sum()
    mean = (weight * scores).sum() / n
    moved = (weight * scores)[left].sum() - n_left * mean
    return moved**2 / (n_left * (n - n_left) / n)


def standardised(scores, weight, left):
    """Return the same over the variance with n - 1."""
    n = weight.sum()
    mean = (weight * scores).sum() / n
    return squares(scores, weight, left) / (
        (weight * (scores - mean) ** 2).sum() / (n - 1)
    )


def observed_expected(criterion, time, event, weight, left):
    """Return the score of a cut by observed and expected events."""
    e = time if criterion == "exponential" else hazard(time, event, weight)
    own, expected = weight * event, weight * e
    o_left, o_right = own[left].sum(), own[~left].sum()
    e_left, e_right = expected[left].sum(), expected[~left].sum()
    if min(e_left, e_right) <= 0:
        return -np.inf
    if criterion == "approximate_logrank":
        return (o_left + o_right) * (o_left - e_left) ** 2 / (e_left * e_right)

    def term(o, e):
        return o * np.log(o / e) if o > 0 else 0.0

    return (
        term(o_left, e_left)
        + term(o_right, e_right)
        - term(o_left + o_right, e_left + e_right)
    )


def any_score(criterion, time, event, weight, left, **params):
    """Return the score of a cut by the criteria that are scored cut by cut here."""
    if criterion in FAMILY:
        return score(criterion, time, event, weight, left, **params)
    if criterion == "logrank_score":
        if params.get("ties") == "hothorn_lausen":
            a = event - hothorn_lausen(time, event, weight)
        else:
            a = event - hazard(time, event, weight)
        return standardised(a, weight, left)
    if criterion == "gehan_score":
        return standardised(gehan_scores(time, event, weight)[0], weight, left)
    if criterion == "harrell_c":
        g, pairs = gehan_scores(time, event, weight)
        return abs((weight * g)[left].sum()) / (2 * pairs) if pairs else -np.inf
    if criterion == "martingale":
        return squares(event - hazard(time, event, weight), weight, left)
    if criterion == "rmst":
        return squares(pseudo_values(time, event, weight, params["tau"]), weight, left)
    return observed_expected(criterion, time, event, weight, left)


def best_cut(criterion, time, event, weight, x, least, **params):
    """Try all cuts of a column: the best score and the first cut that reaches it."""
    values = np.unique(x)
    best, where = -np.inf, None
    for low, high in itertools.pairwise(values):
        left = x <= low
        if min(left.sum(), (~left).sum()) < least:
            continue
        found = any_score(criterion, time, event, weight, left, **params)
        if found > best + 1e-9 * max(1, abs(best) if np.isfinite(best) else 1):
            best, where = found, (low + high) / 2
    return best, where
