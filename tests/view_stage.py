# SPDX-License-Identifier: BSD-3-Clause
"""Runs what the page shows of a tree in node: fold, prune, pan and zoom."""

import json
import shutil
import subprocess
from importlib import resources

from ramify.viewer.page_data import Seen, column_data, tree_data

FILES = ("dom.js", "model.js", "glyphs.js", "layout.js", "places.js")

# All of a page that is needed: something that measures text.
RULER = """
const measureText = (text) => ({ width: 7 * text.length });
const canvas = { getContext: () => ({ measureText }) };
globalThis.document = { createElement: () => canvas };
"""

# Each line in is a list of trees, or a list of deeds; each line out says what is wrong.
DRIVER = """
class Bare extends Places {
  build() {}
  draw() {}
  shift() {}
  dotRadius() {
    return 4;
  }
}
const finite = (...numbers) => numbers.every(Number.isFinite);
const wrongWith = (stage) => {
  const { k, pan, width, bottom, top, levels, level, x, detail, height } = stage;
  if (!finite(k, pan.x, pan.y, width, bottom, ...top)) return "places are no numbers";
  let n = 0;
  for (let d = 0; d < levels.length; d += 1) {
    n += levels[d].length;
    for (let at = 0; at < levels[d].length; at += 1) {
      const g = levels[d][at];
      if (level[g] !== d) return "a node is on another level";
      if (!finite(x[g], height[g], stage.widthAt(g))) return "a node has no place";
      if (at > 0 && !(x[g] > x[levels[d][at - 1]])) return "nodes stand in one another";
    }
  }
  if (n !== level.filter((d) => d >= 0).length) return "a node is shown twice";
  return "";
};
let stage = null;
const open = ({ trees, columns, classes, size }) => {
  stage = new Bare(trees.map((fields) => new TreeModel(fields, columns, classes)));
  stage.size = size;
  stage.relayout();
  stage.fit();
};
const deeds = {
  toggle: (g) => stage.toggle(g),
  fold: (g) => stage.setFolded(g, true),
  foldBelow: (depth) => stage.foldBelow(depth),
  show: (g) => stage.show(g),
  zoomHere: (g) => stage.show(g, true),
  zoom: (factor, x, y) => stage.zoom(factor, x, y),
  move: (dx, dy) => stage.moveBy(dx, dy),
  fit: () => stage.fit(),
  prune: (share) => {
    stage.price = stage.trees.map((tree) => {
      const prices = tree.price.filter((price) => price !== null).sort((a, b) => a - b);
      return prices[Math.floor(share * prices.length)] ?? -1;
    });
    stage.relayout();
  },
};
const answer = (line) => {
  const asked = JSON.parse(line);
  if (!Array.isArray(asked)) {
    open(asked);
    return wrongWith(stage);
  }
  for (const [deed, ...given] of asked) {
    try {
      deeds[deed](...given);
    } catch (error) {
      return `${deed} throws ${error}`;
    }
    const wrong = wrongWith(stage);
    if (wrong) return `after ${deed} ${given}: ${wrong}`;
  }
  return "";
};
require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => process.stdout.write(`${JSON.stringify(answer(line))}\\n`));
"""


class Stage:
    """A process of node that holds the shown tree, and is asked line by line."""

    def __init__(self, node):
        files = resources.files("ramify.viewer")
        script = "\n".join(files.joinpath(name).read_text("utf-8") for name in FILES)
        self._process = subprocess.Popen(
            [node, "-e", RULER + script + DRIVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    @classmethod
    def start(cls):
        """Start node; None where there is none."""
        node = shutil.which("node")
        return None if node is None else cls(node)

    def ask(self, asked):
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def open(self, model, X, y=None, size=(1280, 860)):
        """Show a tree; say what is wrong, which should be nothing."""
        seen = Seen.from_model(model, X, y)
        width, height = size
        return self.ask(
            {
                "trees": [tree_data(seen)],
                "columns": column_data([seen]),
                "classes": seen.classes,
                "size": {"width": width, "height": height},
            }
        )

    def do(self, *deeds):
        """Do one thing after the other; say what went wrong, or nothing."""
        return self.ask([list(deed) for deed in deeds])

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
