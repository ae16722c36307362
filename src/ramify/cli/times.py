# SPDX-License-Identifier: BSD-3-Clause
"""What the commands have for times to an event: options, trees, predictions."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import click

import ramify
from ramify.cli.options import names_option
from ramify.survival import Surv

__all__ = [
    "answers_of_times",
    "asked_options",
    "is_survival",
    "numbers_option",
    "survival_tree",
    "time_options",
    "times_of",
]

_TIMES = (
    click.option("--time", metavar="NAME", help="Column of times to an event."),
    click.option(
        "--event",
        metavar="NAME",
        help="Column that says whether the event happened at --time, or the row is "
        "censored.",
    ),
    click.option(
        "--event-value",
        metavar="VALUE",
        help="The value of --event that means that it happened. [default: 1, true or "
        "yes]",
    ),
)


def time_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name times and events, and give them as one dict, times."""

    @functools.wraps(command)
    def collected(**given: Any) -> Any:
        times = {key: given.pop(key) for key in ("time", "event", "event_value")}
        return command(times=times, **given)

    made: Any = collected
    for option in reversed(_TIMES):
        made = option(made)
    result: Callable[..., Any] = made
    return result


def times_of(times: Mapping[str, str | None], target: str | None, task: str) -> str:
    """Return the task; refuse half a target, and two."""
    given = [key for key, value in times.items() if value is not None]
    if not given:
        return task
    if target is not None:
        raise click.UsageError(
            f"--{given[0].replace('_', '-')} and --target are two targets; give one."
        )
    for key, other in (("time", "event"), ("event", "time")):
        if times[key] is None:
            raise click.UsageError(f"--{key} is missing: --{other} needs it.")
    return "survival"


def survival_tree(method: str | None, parameters: Mapping[str, Any]) -> Any:
    """Make the tree that the options ask for, not fitted."""
    if method is not None:
        raise ValueError(
            f"--method {method} learns labels; leave it out for --time and --event."
        )
    given = {key: value for key, value in parameters.items() if value is not None}
    known = ramify.SurvivalTree().get_params(deep=False)
    for key in given:
        if key not in known:
            raise click.UsageError(
                f"--{key.replace('_', '-')} is not for survival trees; leave it out."
            )
    tree = ramify.SurvivalTree(**given)
    rows = Surv.from_arrays([True, True], [1.0, 2.0])
    prune, params = tree.prune, tree.prune_params
    tree.set_params(prune=None, prune_params=None).fit([[0.0], [1.0]], rows)
    return tree.set_params(prune=prune, prune_params=params)


def is_survival(model: Any) -> bool:
    """Return whether a model predicts curves of time."""
    return hasattr(model, "predict_survival_function")


def numbers_option(flag: str, text: str) -> Callable[[Any], Any]:
    """Make an option that takes several numbers."""
    return names_option(flag, text, callback=_as_numbers)


def _as_numbers(context: Any, option: Any, words: Any) -> tuple[float, ...] | None:
    if words is None:
        return None
    try:
        numbers = tuple(float(word) for word in words)
    except ValueError:
        raise click.UsageError(
            f"{option.opts[0]} {','.join(words)!r} are no numbers; write times with "
            "commas between them, such as 365,730."
        ) from None
    if list(numbers) != sorted(set(numbers)):
        raise click.UsageError(f"{option.opts[0]} {','.join(words)!r} do not ascend.")
    return numbers


_ASKED = (
    numbers_option("--at", "Of survival models: survival at these times."),
    click.option("--median", is_flag=True, help="Of survival models: the median time."),
    click.option(
        "--rmst", type=float, metavar="T", help="Of survival models: mean time up to T."
    ),
)


def asked_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what survival models may be asked for, and give it as one dict, asked."""

    @functools.wraps(command)
    def collected(**given: Any) -> Any:
        return command(
            asked={key: given.pop(key) for key in ("at", "median", "rmst")}, **given
        )

    made: Any = collected
    for option in reversed(_ASKED):
        made = option(made)
    result: Callable[..., Any] = made
    return result


def answers_of_times(
    model: Any, X: Any, asked: Mapping[str, Any]
) -> tuple[list[str], list[Any]]:
    """Return the names and the values of the columns that a survival model predicts."""
    names, columns = ["risk"], [model.predict(X).tolist()]
    if asked["at"]:
        values = model.predict_survival_function(X, times=asked["at"])
        names += [f"survival_{time:g}" for time in asked["at"]]
        columns += values.T.tolist()
    if asked["median"]:
        medians = model.predict_median(X).tolist()
        names.append("median")
        columns.append(["" if one != one else one for one in medians])
    if asked["rmst"] is not None:
        names.append(f"rmst_{asked['rmst']:g}")
        columns.append(model.predict_rmst(X, asked["rmst"]).tolist())
    return names, columns
