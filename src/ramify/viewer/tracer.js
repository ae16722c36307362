// SPDX-License-Identifier: BSD-3-Clause
// The row tracer: choose or type a row, see its way, and what would change its outcome.
"use strict";

class Tracer {
  constructor(app) {
    this.app = app;
    this.columns = app.data.columns;
    this.locked = new Set();
    this.used = [...new Set(app.trees.flatMap((tree) => tree.usedColumns()))].sort((a, b) => a - b);
    this.row = null;
    this.chosen = -1; // place among the rows of the page
    this.goal = "any";
    /** @type {{ side: string, value: number } | null} */
    this.limit = null;
  }

  // A row to begin with: the middle of every column.
  middle() {
    return this.columns.map((info) =>
      info.kind === "category"
        ? info.frequent
          ? info.frequent[0]
          : info.categories.length
            ? 0
            : NaN
        : info.middle,
    );
  }

  rowAt(place) {
    const { rows } = this.app.data;
    const row = this.middle();
    rows.columns.forEach((j, c) => {
      const x = rows.values[c][place];
      row[j] = x === null ? NaN : x;
    });
    return row;
  }

  choose(place) {
    const { rows } = this.app.data;
    const n = rows ? rows.index.length : 0;
    if (n) {
      this.chosen = ((place % n) + n) % n;
      this.row = this.rowAt(this.chosen);
    } else this.row = this.middle();
    this.update();
  }

  set(j, value) {
    if (!this.row) this.row = this.middle();
    this.row[j] = value;
    this.chosen = -1;
    this.update();
  }

  clear() {
    this.row = null;
    this.chosen = -1;
    this.app.stage.traced = this.app.trees.map(() => null);
    this.app.stage.draw();
    this.app.changed();
  }

  isCut(t) {
    return (i) => this.app.stage.isCut(t, i);
  }

  // What the models see: a category that is new may count as missing.
  asSeen(tree) {
    return tree.unseen === "missing"
      ? this.row.map((x, j) => (this.columns[j].kind === "category" && x < 0 ? NaN : x))
      : this.row;
  }

  refusal(tree) {
    for (const j of tree.usedColumns()) {
      const info = this.columns[j];
      if (tree.refusesMissing && Number.isNaN(this.row[j]))
        return `The model refuses rows without a value, and ${info.name} has none.`;
      if (tree.unseen === "error" && info.kind === "category" && this.row[j] < 0)
        return `The model refuses categories that training did not see, and ${info.name} has one.`;
    }
    return "";
  }

  update() {
    const { app } = this;
    app.trees.forEach((tree, t) => {
      if (this.refusal(tree)) {
        app.stage.traced[t] = null;
        return;
      }
      const row = this.asSeen(tree);
      const found = tree.predict(row, this.isCut(t));
      app.stage.traced[t] = { row, ...found, passed: new Set(found.passed) };
    });
    app.stage.draw();
    this.fillResult();
    app.changed();
  }

  // --- the panel ---------------------------------------------------------------------

  panel() {
    if (!this.row) this.choose(0);
    const { app } = this;
    this.result = h("div", { class: "result", "aria-live": "polite" });
    this.change = h("div", { class: "change", "aria-live": "polite" });
    this.fields = h("div", { class: "fields" });
    const parts = [
      h("h2", { text: "Trace a row" }),
      this.chooser(),
      this.result,
      h("h3", { text: "What would change it" }),
      this.change,
      h("h3", { text: "Its values" }),
      h("p", {
        class: "note",
        text: "Type to see what happens. A lock keeps a column as it is when changes are looked for.",
      }),
      this.fields,
      h(
        "p",
        { class: "buttons" },
        button("Let go of the row", () => {
          this.clear();
          app.openTab("node");
        }),
      ),
    ];
    this.fillFields();
    this.fillResult();
    return parts;
  }

  chooser() {
    const { rows } = this.app.data;
    if (!rows)
      return h("p", {
        class: "note",
        text: "No rows were given to this page: these are the middles of the cuts. Type the row you mean.",
      });
    const truth = rows.truth,
      { trees } = this.app;
    const label = (k) => {
      const words = truth
        ? ` · ${trees[0].classes ? trees[0].classes[truth[k]] : short(truth[k], 5)}`
        : "";
      return `row ${rows.index[k]}${words}`;
    };
    const list = h("select", {
      "aria-label": "Row of the data",
      id: "row-choice",
      onchange: () => this.pick(Number(list.value)),
    });
    const fillIn = () => {
      list.replaceChildren(
        h("option", { value: -1, text: "own values" }),
        ...rows.index.flatMap((_, k) =>
          this.onlyWrong && !this.isWrong(k) ? [] : [h("option", { value: k, text: label(k) })],
        ),
      );
      list.value = String(this.chosen);
    };
    this.syncChooser = () => {
      list.value = String(this.chosen);
    };
    fillIn();
    const step = (by) => {
      const places = [...list.options].map((one) => Number(one.value)).filter((k) => k >= 0);
      if (!places.length) return;
      const at = places.indexOf(this.chosen);
      this.pick(places[(at + by + places.length) % places.length]);
    };
    const wrong =
      truth && trees[0].classes
        ? h(
            "label",
            { class: "check" },
            h("input", {
              type: "checkbox",
              onchange: (event) => {
                this.onlyWrong = event.target.checked;
                fillIn();
              },
            }),
            trees.length > 1 ? "only rows on which they disagree" : "only wrong ones",
          )
        : null;
    const note =
      rows.total > rows.index.length
        ? h("p", {
            class: "note",
            text: `${count(rows.index.length)} of ${count(rows.total)} rows are in this page.`,
          })
        : null;
    return h(
      "div",
      { class: "chooser" },
      h(
        "div",
        { class: "row-line" },
        button("‹", () => step(-1), { "aria-label": "Previous row" }),
        list,
        button("›", () => step(1), { "aria-label": "Next row" }),
      ),
      wrong,
      note,
    );
  }

  isWrong(k) {
    const { trees, data: all } = this.app;
    const row = this.rowAt(k);
    const found = trees.map((tree) => tree.predict(row).best);
    return trees.length > 1 ? found[0] !== found[1] : found[0] !== all.rows.truth[k];
  }

  pick(place) {
    if (place < 0) return;
    this.choose(place);
    this.fillFields();
  }

  fillFields() {
    if (!this.fields || !this.row) return;
    const onPath = new Set();
    this.app.trees.forEach((tree, t) => {
      const traced = this.app.stage.traced[t];
      if (traced)
        for (const i of traced.passed) {
          if (tree.isLeaf(i)) continue;
          if (isSum(tree, i)) tree.terms[i].column.forEach((j) => onPath.add(j));
          else onPath.add(tree.feature[i]);
        }
    });
    const first = this.used.filter((j) => onPath.has(j));
    const rest = this.used.filter((j) => !onPath.has(j));
    const parts = first.map((j) => this.field(j));
    if (rest.length) {
      parts.push(
        h(
          "details",
          { open: first.length + rest.length <= 8 },
          h("summary", { text: `${plural(rest.length, "column")} not on its way` }),
          rest.map((j) => this.field(j)),
        ),
      );
    }
    this.fields.replaceChildren(...parts);
  }

  field(j) {
    const info = this.columns[j];
    const id = `field-${j}`;
    const value = this.row[j];
    let input;
    if (info.kind === "category") {
      const options = [
        h("option", { value: "nan", text: "(missing)" }),
        h("option", { value: "-1", text: "(a new category)" }),
        ...info.categories.map((name, k) => h("option", { value: k, text: String(name) })),
      ];
      input = h(
        "select",
        { id, onchange: () => this.set(j, input.value === "nan" ? NaN : Number(input.value)) },
        options,
      );
      input.value = Number.isNaN(value) ? "nan" : String(value);
    } else {
      input = h("input", {
        id,
        type: "text",
        inputmode: info.unit ? "text" : "decimal",
        placeholder: info.unit ? "missing, or YYYY-MM-DD" : "missing",
        autocomplete: "off",
        oninput: () => {
          const written = input.value.trim();
          const text = info.unit ? written : written.replace(",", ".").replace("−", "-");
          const read = info.unit ? timeOf(text, info.unit) : Number(text);
          const number = text === "" ? NaN : read;
          const isGood = text === "" || Number.isFinite(number);
          input.setAttribute("aria-invalid", String(!isGood));
          if (isGood) this.set(j, number);
        },
      });
      const known = info.unit ? timeText(value, info.unit) : String(value);
      input.value = Number.isNaN(value) ? "" : known;
    }
    const isLocked = this.locked.has(j);
    const lock = button(
      isLocked ? "locked" : "lock",
      () => {
        if (this.locked.has(j)) this.locked.delete(j);
        else this.locked.add(j);
        const now = this.locked.has(j);
        lock.textContent = now ? "locked" : "lock";
        lock.setAttribute("aria-pressed", String(now));
        this.fillChange();
      },
      { class: "lock", "aria-pressed": String(isLocked), "aria-label": `Lock ${info.name}` },
    );
    return h(
      "div",
      { class: "field" },
      h("label", { for: id, title: info.name }, h("bdi", { text: info.name })),
      input,
      lock,
    );
  }

  fillResult() {
    if (!this.result || !this.row) return;
    if (this.syncChooser) this.syncChooser();
    const { app } = this;
    const parts = app.trees.map((tree, t) => {
      const refused = this.refusal(tree);
      const title = app.trees.length > 1 ? h("h3", { text: tree.name }) : null;
      if (refused) return [title, h("p", { class: "warning", text: refused })];
      const found = app.stage.traced[t];
      const shares = tree.classes ? [...found.shares].sort((a, b) => b[1] - a[1]) : null;
      const says = tree.classes ? String(tree.classes[found.best]) : short(found.value, 6);
      const steps = app.trees.length > 1 ? null : this.steps(tree, t, found);
      const many =
        found.leaves.length > 1
          ? h("p", {
              class: "note",
              text: `A value is missing: the row goes down ${found.leaves.length} branches, and the average counts.`,
            })
          : null;
      return [
        title,
        h(
          "p",
          { class: "says" },
          "predicted ",
          h("strong", { text: says }),
          this.truthWords(tree, found),
        ),
        many,
        shares ? classBars(tree, shares, null) : null,
        steps,
      ];
    });
    const differ =
      app.trees.length > 1 &&
      app.trees[0].classes &&
      app.stage.traced.every(Boolean) &&
      app.stage.traced[0].best !== app.stage.traced[1].best;
    if (differ)
      parts.unshift(h("p", { class: "warning", text: "The two trees disagree on this row." }));
    this.result.replaceChildren(...parts.flat(Infinity).filter(Boolean));
    this.fillChange();
  }

  truthWords(tree, found) {
    const { rows } = this.app.data;
    if (!rows || !rows.truth || this.chosen < 0) return null;
    const truth = rows.truth[this.chosen];
    if (!tree.classes) return h("span", { class: "muted", text: ` · is ${short(truth, 6)}` });
    const isRight = truth === found.best;
    return h("span", {
      class: isRight ? "right" : "wrong",
      text: isRight ? " · right" : ` · is ${tree.classes[truth]}`,
    });
  }

  steps(tree, t, found) {
    if (found.leaves.length > 1) return null;
    const path = tree.path(found.leaves[0][0]);
    const items = path.slice(1).map((i) => {
      const above = tree.parent[i];
      const demand = tree.demands(above)[tree.branch[i]];
      const go = button("", () => this.app.choose(this.app.stage.offset[t] + above), {
        class: "link",
      });
      go.append(h("bdi", { text: tree.say(demand, 3) }));
      return h(
        "li",
        {},
        go,
        h("span", { class: "muted", text: ` ${this.valueWords(tree, above)}` }),
      );
    });
    return h("ol", { class: "rule" }, items);
  }

  valueWords(tree, i) {
    const row = this.asSeen(tree);
    if (isSum(tree, i)) return `(is ${short(tree.sum(i, row), 4)})`;
    return `(is ${this.show(tree.feature[i], row[tree.feature[i]])})`;
  }

  show(j, x) {
    if (Number.isNaN(x)) return "missing";
    const info = this.columns[j];
    if (info.kind === "category") return x < 0 ? "a new category" : String(info.categories[x]);
    return info.unit ? timeText(x, info.unit) : short(x, 6);
  }

  // --- what would change it ------------------------------------------------------------

  fillChange() {
    if (!this.change || !this.row) return;
    const parts = [];
    this.app.trees.forEach((tree, t) => {
      if (this.app.trees.length > 1) parts.push(h("h4", { text: tree.name }));
      parts.push(...this.changeOf(tree, t));
    });
    this.change.replaceChildren(...parts);
  }

  changeOf(tree, t) {
    const found = this.app.stage.traced[t];
    if (!found) return [h("p", { class: "note", text: "The row has no prediction." })];
    return tree.classes ? this.toClass(tree, t, found) : this.toNumber(tree, t, found);
  }

  toClass(tree, t, found) {
    const there = new Set(this.app.stage.leaves(t).map((i) => tree.best[i]));
    const others = [...there].filter((k) => k !== found.best).sort((a, b) => a - b);
    if (!others.length)
      return [
        h("p", {
          class: "note",
          text: `Nothing: every leaf predicts ${tree.classes[found.best]}.`,
        }),
      ];
    const goal =
      this.goal !== "any" && others.includes(Number(this.goal)) ? Number(this.goal) : "any";
    const id = `goal-${t}`;
    const choice = h(
      "select",
      {
        id,
        onchange: () => {
          this.goal = choice.value;
          this.fillChange();
        },
      },
      h("option", { value: "any", text: "any other class" }),
      others.slice(0, 300).map((k) => h("option", { value: k, text: String(tree.classes[k]) })),
    );
    choice.value = String(goal);
    const wants = goal === "any" ? (k) => k !== found.best : (k) => k === goal;
    const absent = tree.classes.length - there.size;
    const note = absent
      ? h("p", {
          class: "note",
          text: `No leaf predicts the other ${plural(absent, "class", "classes")}.`,
        })
      : null;
    return [
      h("p", { class: "goal" }, h("label", { for: id, text: "to " }), choice),
      ...this.nearest(tree, t, wants),
      note,
    ].filter(Boolean);
  }

  toNumber(tree, t, found) {
    if (tree.lines)
      return [
        h("p", {
          class: "note",
          text: "The leaves have lines, so every change of a column in them changes the number: try values above.",
        }),
      ];
    const now = found.value;
    this.limit ??= { side: "above", value: now };
    const { limit } = this;
    const side = h(
      "select",
      {
        "aria-label": "Which way",
        onchange: () => {
          limit.side = side.value;
          this.fillChange();
        },
      },
      h("option", { value: "above", text: "more than" }),
      h("option", { value: "below", text: "less than" }),
    );
    side.value = limit.side;
    const input = h("input", {
      type: "text",
      inputmode: "decimal",
      "aria-label": "Number",
      onchange: () => {
        const number = Number(input.value.replace(",", "."));
        if (Number.isFinite(number)) {
          limit.value = number;
          this.fillChange();
        }
      },
    });
    input.value = exact(limit.value);
    const wants = limit.side === "above" ? (x) => x > limit.value : (x) => x < limit.value;
    const answer = wants(now)
      ? [h("p", { class: "note", text: "It is already." })]
      : this.nearest(tree, t, wants);
    return [h("p", { class: "goal" }, "to ", side, " ", input), ...answer];
  }

  nearest(tree, t, wants) {
    const row = this.asSeen(tree);
    const cut = this.isCut(t);
    const found = counterfactual(tree, row, wants, this.locked, cut);
    if (!found) {
      const locks = this.locked.size ? " with these columns locked; unlock one" : "";
      return [
        h("p", {
          class: "note",
          "data-change": "none",
          text: `No change of the known values leads there${locks}.`,
        }),
      ];
    }
    const nice = rounded(tree, found, wants, cut);
    const items = nice.changes.map((one) =>
      h(
        "li",
        {},
        h("bdi", { text: this.columns[one.column].name }),
        ": ",
        h("span", { class: "muted", text: this.show(one.column, one.from) }),
        " → ",
        h("strong", { text: this.show(one.column, one.to) }),
        this.edge(one),
      ),
    );
    const prediction = tree.predict(nice.row, cut);
    const says = tree.classes ? String(tree.classes[prediction.best]) : short(prediction.value, 6);
    const leaf = this.app.stage.offset[t] + found.leaf;
    return [
      h("ul", { class: "changes", "data-change": "found" }, items),
      h(
        "p",
        {},
        "then predicted ",
        h("strong", { text: says }),
        h("span", { class: "muted", text: ` · distance ${short(found.distance, 3)}` }),
      ),
      h(
        "p",
        { class: "buttons" },
        button(
          "Make the change",
          () => {
            this.row = [...nice.row];
            this.chosen = -1;
            this.update();
            this.fillFields();
          },
          { "data-action": "apply" },
        ),
        button("Show the leaf", () => this.app.choose(leaf)),
      ),
    ];
  }

  edge({ demand }) {
    if (!demand || demand.codes) return null;
    const { low, high } = demand;
    const unit = demand.column === undefined ? null : this.columns[demand.column].unit;
    const say = (x) => (unit ? timeText(Math.floor(x) + 1, unit) : exact(x));
    const [most, above] = unit ? ["before", "from"] : ["at most", "above"];
    const words =
      low === -Infinity
        ? `${most} ${say(high)}`
        : high === Infinity
          ? `${above} ${say(low)}`
          : `${above} ${say(low)}, ${most} ${say(high)}`;
    return h("span", { class: "muted", text: ` (${words})` });
  }
}

// The same change in numbers with few digits, if that still leads there.
function rounded(tree, found, wants, isCut) {
  for (let digits = 3; digits <= 12; digits += 1) {
    const row = [...found.row];
    for (const { column, from, to, demand } of found.changes) {
      if (tree.columns[column].kind === "category" || Number.isInteger(to)) continue;
      const size = 10 ** (digits - 1 - Math.floor(Math.log10(Math.abs(to) || 1)));
      const isUp = Number.isNaN(from)
        ? demand && !(to > demand.low + 1e-9 * Math.abs(to))
        : to > from;
      if (tree.columns[column].unit) {
        row[column] = isUp ? Math.ceil(to) : Math.floor(to); // a day, or a second
        continue;
      }
      row[column] = Number(
        ((isUp ? Math.ceil(to * size) : Math.floor(to * size)) / size).toPrecision(digits),
      );
    }
    const prediction = tree.predict(row, isCut);
    if (wants(tree.classes ? prediction.best : prediction.value)) {
      return { row, changes: found.changes.map((one) => ({ ...one, to: row[one.column] })) };
    }
  }
  return found;
}
