# SPDX-License-Identifier: BSD-3-Clause
"""The page of a tree in Chromium, under random clicks, keys, wheels and values."""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib.util
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from browsing import Shown, browser, complaints

import ramify
from fuzz.promise import must
from fuzz.tables import Rng, pick

# Does so many things in the page; gives each error with what was done before it.
SCRIPT = """
let [seed, n] = arguments;
const random = (end) => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor((seed / 2147483648) * end);
};
const one = (list) => list[random(list.length)];
const found = [];
let last = "";
const note = (event) => {
  const { message, reason } = event;
  found.push(`${last}: ${message || reason}`);
};
addEventListener("error", note);
addEventListener("unhandledrejection", note);
const { stage } = app;
const KEYS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "Enter",
  " ", "+", "-", "0", "z", "Escape", "x"];
const VALUES = ["", "0", "-1", "1e400", "nan", "x", "2.5", "<b>", "Oslo"];
const CONTROLS = "button, summary, select, input, textarea, [data-tab], [role=button]";
const canPress = (e) =>
  e.getClientRects().length && !/save|copy|print|download|svg|png/i.test(e.textContent);
const deeds = [
  () => {
    const control = one([...document.querySelectorAll(CONTROLS)].filter(canPress));
    if (!control) return;
    last = `press ${control.outerHTML.slice(0, 90)}`;
    if (control.tagName === "SELECT") control.selectedIndex = random(control.length);
    else if ("value" in control && control.type !== "checkbox") {
      if (control.type === "range") control.value = random(Number(control.max) + 1);
      else if (control.tagName !== "BUTTON") control.value = one(VALUES);
    }
    control.click();
    control.dispatchEvent(new Event("input", { bubbles: true }));
    control.dispatchEvent(new Event("change", { bubbles: true }));
  },
  () => {
    const g = random(stage.n);
    last = `choose ${g}`;
    stage.select(g);
  },
  () => {
    const key = one(KEYS);
    last = `key ${key}`;
    stage.svg.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  },
  () => {
    const box = stage.svg.getBoundingClientRect();
    const at = {
      bubbles: true,
      button: 0,
      pointerId: 1,
      clientX: box.left + random(box.width),
      clientY: box.top + random(box.height),
    };
    const kind = random(4);
    last = `pointer ${kind} at ${at.clientX} ${at.clientY}`;
    const send = (type, more = {}) =>
      stage.svg.dispatchEvent(new PointerEvent(type, { ...at, ...more }));
    if (kind === 0) {
      const event = new WheelEvent("wheel", { ...at, deltaY: random(600) - 300 });
      stage.svg.dispatchEvent(event);
    } else if (kind === 1) send("dblclick");
    else {
      send("pointerdown");
      if (kind === 2) send("pointermove", { clientX: at.clientX + random(300) - 150 });
      send("pointerup");
    }
  },
];
for (let i = 0; i < n; i += 1) {
  try {
    deeds[[0, 0, 0, 1, 2, 3][random(6)]]();
  } catch (error) {
    found.push(`${last} throws ${error}`);
  }
}
removeEventListener("error", note);
removeEventListener("unhandledrejection", note);
if (![stage.k, stage.pan.x, stage.pan.y].every(Number.isFinite)) found.push("lost");
return found;
"""


@functools.cache
def _browser() -> Any:
    """Start Chromium for all cases of this process; None where there is none."""
    programs = ("chromium", "chromedriver")
    if importlib.util.find_spec("selenium") is None or not all(
        shutil.which(program) for program in programs
    ):
        return None
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(browser())


@functools.cache
def _pages() -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, 300).astype(float),
            "<b>town": rng.choice(["Oslo", "Rome", "</script>", "Paris"], 300),
            "pay": rng.normal(size=300).round(2),
        }
    )
    X.loc[::9, "age"] = np.nan
    y = np.where((X["age"] > 40) ^ (X["<b>town"] == "Oslo"), "yes", "no")
    deep = ramify.DecisionTreeClassifier(
        record_candidates=3, candidate_criteria=["ihd"]
    ).fit(X, y)
    small = ramify.DecisionTreeClassifier("entropy", max_depth=2).fit(X, y)
    numbers = ramify.DecisionTreeRegressor(max_depth=4).fit(X, X["pay"] ** 2)
    return (
        ramify.view(deep, X, y),
        ramify.view(small),
        ramify.view(numbers, X, X["pay"] ** 2),
        ramify.view(ramify.DecisionTreeClassifier().fit(X, ["a"] * 300), X),
    )


def clicks(rng: Rng) -> list[str]:
    """Open a page, do many things in it, and listen for errors."""
    driver = _browser()
    if driver is None:
        return ["Chromium is not here"]
    pages = _pages()
    which = int(rng.integers(len(pages)))
    size = pick(rng, (1280, 860), (360, 640))
    with tempfile.TemporaryDirectory() as folder:
        shown = Shown(driver, pages[which], Path(folder), size=size)
        wrong = shown.run(SCRIPT, int(rng.integers(2**31)), 60)
        must(not wrong, "nothing that one does breaks a page", wrong[:2])
        must(complaints(driver) == [], "the console is silent")
    return [f"page {which}: 60 deeds"]
