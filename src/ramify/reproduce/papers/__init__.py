# SPDX-License-Identifier: BSD-3-Clause
"""The papers that can be reproduced, one module each."""

from ramify.reproduce.papers.bnmcsn import PAPER as BNMCSN
from ramify.reproduce.papers.dgmml import PAPER as DGMML
from ramify.reproduce.papers.ihd import PAPER as IHD
from ramify.reproduce.papers.wodt import PAPER as WODT

__all__ = ["PAPERS"]

PAPERS = {paper.name: paper for paper in (IHD, WODT, DGMML, BNMCSN)}
