# SPDX-License-Identifier: BSD-3-Clause
"""Slow definitions of what survival trees compute, and the table of ten rows."""

import numpy as np

TIME = np.array([2.0, 3, 3, 5, 6, 6, 7, 8, 9, 10])
EVENT = np.array([1, 1, 0, 1, 0, 1, 1, 0, 1, 0]) == 1
X = np.array([1.0, 2, 5, 1, 7, 3, 6, 8, 4, 9])


def survival(time, event, at):
    """Kaplan-Meier at some times, by the definition.

    >>> survival(TIME, EVENT, [4]).round(10).tolist()
    [0.8]
    """
    found = np.ones(len(at))
    for tau in np.unique(time[event]):
        share = (event & (time == tau)).sum() / (time >= tau).sum()
        found *= np.where(np.asarray(at) >= tau, 1 - share, 1)
    return found


def hazard(time, event, at):
    """Nelson-Aalen at some times, by the definition."""
    found = np.zeros(len(at))
    for tau in np.unique(time[event]):
        share = (event & (time == tau)).sum() / (time >= tau).sum()
        found += np.where(np.asarray(at) >= tau, share, 0)
    return found


def uncensored(time, event, at):
    """Kaplan-Meier of censoring: at equal times the events are gone first."""
    found = np.ones(len(at))
    for tau in np.unique(time[~event]):
        gone = (~event & (time == tau)).sum()
        there = (time > tau).sum() + gone
        found *= np.where(np.asarray(at) >= tau, 1 - gone / there, 1)
    return found


def concordance(time, event, risk, weight, tied_tol=1e-8):
    """Look at every pair: C, concordant, discordant, tied risks, tied times."""
    won = compared = 0.0
    pairs = dict.fromkeys(("concordant", "discordant", "tied", "same time"), 0)
    for i in np.flatnonzero(event):
        for j in range(len(time)):
            is_censored_then = time[j] == time[i] and not event[j]
            if not (time[j] > time[i] or is_censored_then):
                continue
            pairs["same time"] += is_censored_then
            if abs(risk[j] - risk[i]) <= tied_tol:
                what, share = "tied", 0.5
            elif risk[j] < risk[i]:
                what, share = "concordant", 1.0
            else:
                what, share = "discordant", 0.0
            pairs[what] += 1
            won += weight[i] * share
            compared += weight[i]
    return won / compared if compared else np.nan, *pairs.values()


def brier(train, test, estimate, time):
    """Brier's score at one time, row by row."""
    total = 0.0
    for i in range(len(test[0])):
        if test[0][i] <= time and test[1][i]:
            total += estimate[i] ** 2 / uncensored(*train, [test[0][i]])[0]
        elif test[0][i] > time:
            total += (1 - estimate[i]) ** 2 / uncensored(*train, [time])[0]
    return total / len(test[0])


def auc(train, test, risk, time):
    """Compare all rows with an event until a time with all that get beyond it."""
    won = compared = 0.0
    for i in range(len(test[0])):
        if not (test[0][i] <= time and test[1][i]):
            continue
        weight = 1 / uncensored(*train, [test[0][i]])[0]
        for j in np.flatnonzero(test[0] > time):
            won += weight * ((risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j]))
            compared += weight
    return won / compared
