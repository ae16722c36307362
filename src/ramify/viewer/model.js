// SPDX-License-Identifier: BSD-3-Clause
// A tree as the page knows it: where a row goes, and what a path demands of it, in words.
//
// A row is an array with one entry per column of the model: a number, the code of a
// category, -1 for a category that training did not see, NaN where nothing is known.
"use strict";

const THRESHOLD = 0,
  CATEGORIES = 1,
  INTERVALS = 2,
  HYPERPLANE = 3;

class TreeModel {
  /**
   * @param {TreeData} data
   * @param {Column[]} columns
   * @param {CategoryName[] | null} classes null of a regression tree
   */
  constructor(data, columns, classes) {
    Object.assign(this, data);
    this.columns = columns;
    this.classes = classes;
    const n = (this.n = data.left.length);
    /** @type {number[][]} */
    this.children = Array.from({ length: n }, () => []);
    this.parent = new Int32Array(n).fill(-1);
    this.branch = new Int32Array(n);
    this.depth = new Int32Array(n);
    for (let i = 0; i < n; i += 1) {
      for (let child = data.left[i]; child >= 0; child = data.next[child]) {
        this.branch[child] = this.children[i].length;
        this.children[i].push(child);
        this.parent[child] = i;
      }
    }
    this.leavesBelow = new Int32Array(n);
    this.end = new Int32Array(n); // nodes i to end[i] - 1 are the subtree: preorder
    for (let i = 1; i < n; i += 1) this.depth[i] = this.depth[this.parent[i]] + 1;
    for (let i = n - 1; i >= 0; i -= 1) {
      const below = this.children[i];
      this.leavesBelow[i] = below.length ? 0 : 1;
      this.end[i] = below.length ? this.end[below[below.length - 1]] : i + 1;
      for (const child of below) this.leavesBelow[i] += this.leavesBelow[child];
    }
    this.maxDepth = this.depth.reduce((a, b) => Math.max(a, b), 0);
  }

  /** @param {number} i */
  isLeaf(i) {
    return this.children[i].length === 0;
  }

  /** @param {number} i */
  path(i) {
    const found = [];
    for (let at = i; at >= 0; at = this.parent[at]) found.unshift(at);
    return found;
  }

  /**
   * @param {number} i
   * @param {Row} row
   */
  sum(i, row) {
    // Products are rounded and added in the order of the terms, as the library does.
    const { column, category, weight, fill } = this.terms[i];
    let total = 0;
    for (let k = 0; k < column.length; k += 1) {
      const x = row[column[k]];
      if (category[k] < 0) total += weight[k] * (Number.isNaN(x) ? fill[k] : x);
      else if (x === category[k]) total += weight[k];
    }
    return total;
  }

  /**
   * The branch of a row; -1 if it goes down every branch.
   * @param {number} i
   * @param {Row} row
   * @returns {number}
   */
  branchOf(i, row) {
    const kind = this.kind[i];
    if (kind === HYPERPLANE) return this.sum(i, row) > limitOf(this.threshold[i]) ? 1 : 0;
    const x = row[this.feature[i]];
    if (Number.isNaN(x)) return this.missing[i];
    if (kind === THRESHOLD) return x > limitOf(this.threshold[i]) ? 1 : 0;
    const { values, branches } = this.listed[i];
    if (kind === CATEGORIES) {
      const at = values.indexOf(x);
      return at < 0 ? this.other[i] : branches[at];
    }
    const at = values.findIndex((bound) => x <= limitOf(bound));
    return branches[at < 0 ? branches.length - 1 : at];
  }

  /**
   * The leaves that a row reaches, each with its share: one, unless values are missing and
   * go down every branch.
   * @param {Row} row
   * @param {(i: number) => boolean} isCut says where a smaller tree ends
   */
  walk(row, isCut = () => false) {
    /** @type {[number, number][]} */
    const found = [];
    /** @type {number[]} */
    const passed = [];
    /** @type {[number, number][]} */
    const stack = [[0, 1]];
    for (let next = stack.pop(); next; next = stack.pop()) {
      const [i, share] = next;
      passed.push(i);
      const below = this.children[i];
      if (!below.length || isCut(i)) {
        found.push([i, share]);
        continue;
      }
      const branch = this.branchOf(i, row);
      if (branch >= 0) {
        stack.push([below[branch], share]);
        continue;
      }
      const total = below.reduce((sum, child) => sum + this.weight[child], 0);
      for (const child of [...below].reverse()) {
        stack.push([child, (share * this.weight[child]) / total]);
      }
    }
    return { leaves: found, passed };
  }

  /**
   * What a node says of a row: its value, or that of its line.
   * @param {number} i
   * @param {Row} row
   */
  valueAt(i, row) {
    const line = this.lines && this.lines[i];
    if (!line) return this.value[i];
    const { column, slope, low, high, fill } = line;
    let total = line.intercept;
    for (let k = 0; k < column.length; k += 1) {
      let x = row[column[k]];
      if (Number.isNaN(x)) x = fill[k];
      total += slope[k] * Math.min(Math.max(x, low[k]), high[k]);
    }
    return Math.min(Math.max(total, line.bottom), line.top);
  }

  /**
   * What is predicted: best and shares of a class, or value of a number.
   * @param {Row} row
   * @param {(i: number) => boolean} [isCut]
   * @returns {Prediction}
   */
  predict(row, isCut) {
    const { leaves, passed } = this.walk(row, isCut);
    if (!this.classes) {
      let value = 0;
      for (const [leaf, share] of leaves) value += share * this.valueAt(leaf, row);
      return { value, leaves, passed };
    }
    /** @type {Map<number, number>} */
    const shares = new Map();
    for (const [leaf, share] of leaves) {
      for (const [k, part] of this.mixture(leaf)) {
        shares.set(k, (shares.get(k) || 0) + share * part);
      }
    }
    let best = this.best[leaves[0][0]];
    if (leaves.length > 1) {
      const score = (/** @type {number} */ k) => shares.get(k) || 0;
      best = [...shares.keys()].sort((a, b) => score(b) - score(a) || a - b)[0];
    }
    return { best, shares, leaves, passed };
  }

  /**
   * Shares of the classes that a node has, as [class, share].
   * @param {number} i
   */
  mixture(i) {
    const flat = this.shares[i];
    /** @type {[number, number][]} */
    const found = [];
    for (let k = 0; k < flat.length; k += 2) found.push([flat[k], flat[k + 1]]);
    return found;
  }

  usedColumns() {
    /** @type {Set<number>} */
    const used = new Set();
    for (let i = 0; i < this.n; i += 1) {
      if (this.isLeaf(i)) continue;
      if (this.kind[i] === HYPERPLANE) this.terms[i].column.forEach((j) => used.add(j));
      else used.add(this.feature[i]);
    }
    return [...used].sort((a, b) => a - b);
  }

  // --- what a branch, and a path, demands ------------------------------------------

  /**
   * What each branch of a node demands of one column, or of a sum.
   * @param {number} i
   * @returns {Demand[]}
   */
  demands(i) {
    const column = this.feature[i],
      kind = this.kind[i];
    if (kind === HYPERPLANE) {
      const bound = limitOf(this.threshold[i]);
      return [false, true].map((above) => ({ node: i, above, bound }));
    }
    const takesMissing = (/** @type {number} */ b) => this.missing[i] === b || this.missing[i] < 0;
    const isCategory = this.columns[column].kind === "category";
    return this.children[i].map((_, b) => {
      const missing = takesMissing(b);
      if (kind === CATEGORIES) {
        const { branches } = this.listed[i];
        const values = /** @type {number[]} */ (this.listed[i].values);
        const own = values.filter((_, k) => branches[k] === b);
        if (b !== this.other[i]) return { column, codes: own, excluded: false, missing };
        const not = values.filter((_, k) => branches[k] !== b);
        return { column, codes: not, excluded: true, missing };
      }
      if (isCategory) return { column, codes: [], excluded: b === 0, missing };
      if (kind === INTERVALS) {
        const { values, branches } = this.listed[i];
        const first = branches.indexOf(b),
          last = branches.lastIndexOf(b);
        if (first < 0) return { column, low: Infinity, high: Infinity, missing };
        return {
          column,
          low: first > 0 ? limitOf(values[first - 1]) : -Infinity,
          high: limitOf(values[last]),
          missing,
        };
      }
      const cut = limitOf(this.threshold[i]);
      return b === 0
        ? { column, low: -Infinity, high: cut, missing }
        : { column, low: cut, high: Infinity, missing };
    });
  }

  /**
   * The conditions of a path, merged per column, in the order of the path.
   * @param {number} leaf
   */
  conditions(leaf) {
    /** @type {Map<number | string, Demand>} */
    const merged = new Map();
    for (const i of this.path(leaf).slice(1)) {
      const demand = this.demands(this.parent[i])[this.branch[i]];
      const key = demand.column === undefined ? `node ${demand.node}` : demand.column;
      const old = merged.get(key);
      const isBoth = old && old.column !== undefined && demand.column !== undefined;
      merged.set(key, isBoth ? both(old, demand) : demand);
    }
    return [...merged.values()].filter((demand) => !this.takesAll(demand));
  }

  /** @param {Demand} demand */
  takesAll(demand) {
    if (demand.column === undefined || !demand.missing) return false;
    if (demand.codes) return demand.excluded && demand.codes.length === 0;
    return demand.low === -Infinity && demand.high === Infinity;
  }

  // --- words ---------------------------------------------------------------------

  /**
   * @param {number} i
   * @param {number} most terms that are written out
   */
  termsText(i, most, digits = 3) {
    const { column, category, weight, share } = this.terms[i];
    const order = column.map((_, k) => k).sort((a, b) => share[b] - share[a] || a - b);
    const parts = order.slice(0, most).map((k, place) => {
      const info = this.columns[column[k]];
      const what = category[k] < 0 ? info.name : `[${info.name} = ${info.categories[category[k]]}]`;
      const size = short(Math.abs(weight[k]), digits);
      const sign = weight[k] < 0 ? (place ? "− " : "−") : place ? "+ " : "";
      return sign + (size === "1" ? what : `${size} ${what}`);
    });
    if (column.length > parts.length) parts.push(`+ ${column.length - parts.length} more`);
    return parts;
  }

  /**
   * A demand in words: "2.5 < age ≤ 7", "city in {Oslo}", "0.8 a − 0.3 b ≤ 4.1". Numbers
   * have six digits, unless they are to be exact.
   * @param {Demand} demand
   * @param {number} most categories or terms that are written out
   */
  say(demand, most = 6, isExact = false) {
    if (demand.column === undefined) {
      const sum = this.termsText(demand.node, most, isExact ? 15 : 3).join(" ");
      return `${sum} ${demand.above ? ">" : "≤"} ${isExact ? exact(demand.bound) : short(demand.bound, 4)}`;
    }
    const { name, categories } = this.columns[demand.column];
    if (!demand.codes) {
      const number = (/** @type {number} */ x) => this.boundText(demand.column, x);
      const [low, high] = intervalOf(demand);
      if (low >= high) return demand.missing ? `${name} is missing` : `${name} in {}`;
      if (low === -Infinity && high === Infinity) return `${name} is known`;
      const [upto, above, below] = this.columns[demand.column].date
        ? ["<", "≥", "≤"]
        : ["≤", ">", "<"];
      if (low === -Infinity) return `${name} ${upto} ${number(high)}`;
      if (high === Infinity) return `${name} ${above} ${number(low)}`;
      return `${number(low)} ${below} ${name} ${upto} ${number(high)}`;
    }
    const members = this.membersOf(demand);
    const others = categories.map((_, k) => k).filter((k) => !members.includes(k));
    if (!members.length) return `${name} is ${demand.missing ? "missing" : "unseen"}`;
    if (!others.length) return `${name} is known`;
    const [word, listed] = members.length <= others.length ? ["in", members] : ["not in", others];
    const shown = listed.slice(0, most).map((k) => String(categories[k]));
    if (listed.length > most) shown.push(`+${listed.length - most}`);
    return `${name} ${word} {${shown.join(", ")}}`;
  }

  /**
   * A bound of a column as Python writes it: short, and on no other side of a value.
   * @param {number} column
   * @param {number} x
   */
  boundText(column, x) {
    const info = this.columns[column];
    if (!info.boundTexts) info.boundTexts = new Map(info.bounds || []);
    return info.boundTexts.get(x) ?? (info.unit ? timeText(Math.floor(x) + 1, info.unit) : exact(x));
  }

  /**
   * @param {ColumnDemand} demand of a set
   * @returns {number[]} the codes of its categories
   */
  membersOf(demand) {
    const codes = demand.codes ?? [];
    if (!demand.excluded) return codes;
    const all = this.columns[demand.column].categories.map((_, k) => k);
    return all.filter((k) => !codes.includes(k));
  }

  /** @param {number} i */
  outcome(i) {
    return this.classes ? this.classes[this.best[i]] : short(this.value[i], 4);
  }

  /**
   * What a leaf predicts: its outcome, or the line of a model tree in words.
   * @param {number} i
   */
  says(i) {
    return this.lines ? this.lines[i].text : String(this.outcome(i));
  }

  /** @param {number} leaf */
  rule(leaf) {
    const parts = this.conditions(leaf).map((demand) => {
      const text = this.say(demand, Infinity, true);
      return demand.missing && !text.endsWith("is missing") ? `(${text} or missing)` : text;
    });
    return `IF ${parts.join(" AND ") || "TRUE"} THEN ${this.says(leaf)}`;
  }

  /**
   * The rule as a condition of SQL that is true for exactly the rows of the leaf. A missing
   * value is NULL; a comparison with it is never true, so it is named where it passes.
   * @param {number} leaf
   */
  sql(leaf) {
    const parts = this.conditions(leaf).map((demand) => this.sqlOf(demand));
    return parts.join("\n  AND ") || "TRUE";
  }

  /** @param {Demand} demand */
  sqlOf(demand) {
    if (demand.column === undefined) {
      const { column, category, weight, fill } = this.terms[demand.node];
      const sum = column.map((j, k) => {
        const name = sqlName(this.columns[j].name);
        if (category[k] < 0) return `${weight[k]} * COALESCE(${name}, ${fill[k]})`;
        const value = sqlValue(this.columns[j].categories[category[k]]);
        return `CASE WHEN ${name} = ${value} THEN ${weight[k]} ELSE 0 END`;
      });
      return `(${sum.join(" + ")}) ${demand.above ? ">" : "<="} ${demand.bound}`;
    }
    const info = this.columns[demand.column],
      name = sqlName(info.name);
    const isNull = `${name} IS NULL`;
    let known = "";
    if (demand.codes) {
      const list = demand.codes.map((k) => sqlValue(info.categories[k])).join(", ");
      if (demand.excluded) known = list ? `${name} NOT IN (${list})` : `${name} IS NOT NULL`;
      else known = list ? `${name} IN (${list})` : "FALSE";
    } else {
      const [low, high] = intervalOf(demand);
      const bounds = [];
      if (low > -Infinity) bounds.push(`${name} > ${low}`);
      if (high < Infinity) bounds.push(`${name} <= ${high}`);
      known = low >= high ? "FALSE" : bounds.join(" AND ") || `${name} IS NOT NULL`;
    }
    if (!demand.missing) return known;
    return known === "FALSE" ? isNull : `(${known} OR ${isNull})`;
  }
}

/**
 * JSON has no infinity: null stands for the end of the line.
 * @param {number | null} bound
 */
function limitOf(bound) {
  return bound === null ? Infinity : bound;
}

/**
 * The interval of a demand on a number.
 * @param {ColumnDemand} demand
 * @returns {[number, number]}
 */
function intervalOf({ low = -Infinity, high = Infinity }) {
  return [low, high];
}

/**
 * What meets two demands on the same column.
 * @param {ColumnDemand} one
 * @param {ColumnDemand} two
 * @returns {ColumnDemand}
 */
function both(one, two) {
  const missing = one.missing && two.missing;
  if (!one.codes || !two.codes) {
    const [low, high] = intervalOf(one);
    const [otherLow, otherHigh] = intervalOf(two);
    return {
      column: one.column,
      low: Math.max(low, otherLow),
      high: Math.min(high, otherHigh),
      missing,
    };
  }
  if (one.excluded && two.excluded) {
    const codes = [...new Set([...one.codes, ...two.codes])].sort((a, b) => a - b);
    return { column: one.column, codes, excluded: true, missing };
  }
  const [kept, other] = one.excluded ? [two.codes, one] : [one.codes, two];
  const codes = kept.filter((k) => other.codes?.includes(k) !== other.excluded);
  return { column: one.column, codes, excluded: false, missing };
}

/** @param {string} name */
function sqlName(name) {
  return `"${name.replaceAll('"', '""')}"`;
}

/** @param {CategoryName} value */
function sqlValue(value) {
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  return typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

// --- numbers in words --------------------------------------------------------------

/**
 * A number of days or seconds since 1970 as a date.
 *
 * @param {number} x
 * @param {string} unit
 */
function timeText(x, unit) {
  const when = new Date(unit === "days" ? x * 86400000 : x * 1000);
  if (Number.isNaN(when.getTime())) return exact(x);
  const [day, clock] = when.toISOString().split("T");
  return clock.startsWith("00:00:00.000") ? day : `${day} ${clock.slice(0, 8)}`;
}

/**
 * The number of a date, or NaN for what is none.
 *
 * @param {string} text
 * @param {string} unit
 */
function timeOf(text, unit) {
  const found = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?$/.exec(text);
  if (!found) return NaN;
  const when = Date.parse(`${found[1]}T${found[2] || "00:00"}Z`);
  return unit === "days" ? when / 86400000 : when / 1000;
}

/** @param {number} x */
function exact(x) {
  const number = Number(x.toPrecision(12));
  return Math.abs(number) >= 1e15 || (number !== 0 && Math.abs(number) < 1e-6)
    ? number.toExponential()
    : String(number);
}

/** @param {number | null | undefined} x */
function short(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e9 || size < 1e-4) return x.toExponential(2).replace("-", "−");
  const text = size >= 10 ** digits ? String(Math.round(x)) : String(Number(x.toPrecision(digits)));
  return text.replace("-", "−");
}

/** @param {number} n */
function count(n) {
  const whole = Math.abs(n - Math.round(n)) < 1e-9;
  if (!whole) return short(n, 4);
  return String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** @param {number} share */
function percent(share) {
  const x = 100 * share;
  if (x > 0 && x < 1) return "<1 %";
  if (x > 99 && x < 100) return ">99 %";
  return `${Math.round(x)} %`;
}

/**
 * @param {number} n
 * @param {string} word
 */
function plural(n, word, words = `${word}s`) {
  return `${count(n)} ${n === 1 ? word : words}`;
}
