# SPDX-License-Identifier: BSD-3-Clause
"""``ramify compare --stream``: models that learn row by row."""

import os
from dataclasses import asdict

import click

from ramify.cli.output import folder, print_json
from ramify.datasets import Dataset

__all__ = ["compare_streams"]


def compare_streams(
    methods: tuple[str, ...] | None,
    datasets: list[Dataset],
    window: int,
    out: str,
    *,
    as_json: bool,
) -> None:
    """Print a table for each stream, and draw its accuracy by window."""
    # Here, so that the other commands need not wait for matplotlib.
    from ramify.comparison.pictures import stream_curves
    from ramify.comparison.streams import compare_stream

    results = []
    with folder(out):
        for dataset in datasets:
            result = compare_stream(methods or ("gini",), dataset, window=window)
            picture = os.path.join(out, f"{dataset.name}-stream.svg")
            stream_curves(result).save(picture)
            results.append({**asdict(result), "picture": picture})
            if not as_json:
                click.echo(result.to_text())
                click.echo(f"\nPicture: {picture}\n")
    if as_json:
        print_json(results)
