# SPDX-License-Identifier: BSD-3-Clause
"""The plainest engine of partitions: blocks in memory, cut and handed off at will."""

import pickle

import numpy as np
import pandas as pd

from ramify.distributed.core.bins import Sketch
from ramify.distributed.core.blocks import Block, encode
from ramify.distributed.core.boosting import BoostResponse, add_block, spread, squeezed
from ramify.distributed.core.codebook import Extent
from ramify.distributed.core.counting import count, rows_of, weigh
from ramify.distributed.core.fitting import Options, fit_partitioned, remember
from ramify.distributed.core.pieces import Piece
from ramify.distributed.core.summaries import DataSummary, look


class InMemory:
    """Rows in pieces; nodes are handed off by chance, or below a depth."""

    name = "memory"

    def __init__(self, pieces, seed=0, share_apart=0.0, depth_apart=None, slots=10**6):
        self.pieces = pieces
        self.rng = np.random.default_rng(seed)
        self.share_apart, self.depth_apart, self.slots = share_apart, depth_apart, slots
        self.keeps_nodes = True
        self.share_lost = 0.0
        self.all_requests = []

    def look(self, categorical, max_bins, is_sketched, numbers=None):
        facts, sketch = DataSummary(), None
        for i in self.rng.permutation(len(self.pieces)):
            own, columns = look(self.pieces[i], categorical, regression_target=numbers)
            facts = facts.merged(own)
            if is_sketched and columns:
                sketch = sketch or Sketch(len(columns), max_bins)
                part = Sketch(len(columns), max_bins)
                values = [None if x is None else x.numbers() for x in columns]
                part.add(values, self.pieces[i].first_row)
                sketch.merge(part)
        return facts, sketch

    def encode(self, book):
        extent = Extent.empty(book)
        self.blocks = []
        for piece in self.pieces:
            block, own = encode(piece, book)
            self.blocks.append(block)
            extent.merge(own)
        return extent

    def max_slots(self, recipe):
        return self.slots

    def to_finish(self, open_nodes, recipe):
        if recipe.is_best_first:
            open_nodes = [each for each in open_nodes if each[0] == 0]
        return [
            node
            for node, depth, _ in open_nodes
            if self.rng.random() < self.share_apart or depth == self.depth_apart
        ]

    def sums(self, request):
        self.all_requests.append(request)
        total = request.zeros()
        for i in self.rng.permutation(len(self.blocks)):
            request.join(total, count([self.blocks[i]], request))
            if not self.keeps_nodes:
                self.blocks[i].nodes = None
        return total

    def many(self, all_requests):
        return [self.sums(request) for request in all_requests]

    def weigh(self, draws):
        return weigh(self.blocks, draws)

    def boosted(self, request, history):
        """Blocks forget what they know by chance, or if it hangs elsewhere."""
        total = BoostResponse()
        for i in self.rng.permutation(len(self.blocks)):
            block = self.blocks[i]
            if self.rng.random() < self.share_lost:
                block = self.blocks[i] = pickle.loads(pickle.dumps(block))
            own = BoostResponse()
            add_block(block, request, history, own)
            total.join(squeezed(own, request))
        self.all_requests.append(request)
        return spread(total, request)

    def slots_of(self, n_bytes):
        return self.slots

    def each(self, work):
        answers = [work(self.blocks[i]) for i in self.rng.permutation(len(self.blocks))]
        return work.join(answers)

    def finish(self, request, contexts, recipe):
        nodes = np.array(list(contexts), np.int32)
        for node, blocks in rows_of(self.blocks, request, nodes).items():
            yield node, recipe.grow(Block.joined(blocks), contexts[node])


def cut(X, y, weight, rng, n_parts):
    """Cut rows into pieces, some of them empty."""
    n = len(y)
    at = np.sort(rng.integers(0, n + 1, n_parts - 1))
    return [
        Piece(
            X[place],
            y[place],
            None if weight is None else weight[place],
            i,
            int(place[0]) if len(place) else 0,
        )
        for i, place in enumerate(np.split(np.arange(n), at))
    ]


def fit_pieces(model, engine, **options):
    """Fit a tree on what an engine has."""
    has_weights = engine.pieces[0].weight is not None
    fitted = fit_partitioned(model, engine, Options(has_weights=has_weights, **options))
    remember(model, fitted)
    return model


TOWN_FEATURES = ["a", "b", "c", "town"]


def town_rows(rng, n):
    """Draw numbers, some with gaps, and a category; give what depends on them, too."""
    data = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": np.round(rng.normal(size=n), 1),
            "c": rng.integers(0, 30, n) * 1.0,
            "town": pd.Categorical(rng.choice(["Graz", "Linz", "Wels"], n)),
        }
    )
    data.loc[rng.random(n) < 0.1, "b"] = np.nan
    return data, data["a"] + (data["town"] == "Graz") * data["c"] / 10
