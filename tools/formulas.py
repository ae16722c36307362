# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of criteria: read from their text, as TeX, and worked out step by step.

The registry has one text per criterion, such as

    G(S) - rho_L G(L) - rho_R G(R),  G = 1 - sum_k p_k^2

`Formula` reads it, writes it as TeX, lists its symbols, and evaluates it for a split of
class weights, with the numbers put in. The tools that write pages compare the result
with what the core computes. A text that is prose in part cannot be read:
`UnreadableError` says so, and `IN_TEX` has the formula.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<name>[A-Za-z]+\d?'?\*?(?:_\{[^}]*\}|_[A-Za-z]+)?)"
    r"|(?P<sign>[-+/^()|!,]))"
)
BIG = {"sum": r"\sum", "prod": r"\prod", "max": r"\max", "min": r"\min"}
FUNCTIONS = {"sqrt", "log2", "ln", "exp", "lnG", "min", "max"}
GREEK = {"rho", "alpha", "theta", "pi"}
PIECES = re.compile(r",  |\n")

Tree = tuple[Any, ...]


class UnreadableError(ValueError):
    """A formula that is not written in signs alone."""


# Texts of the registry with words in them, in signs.
IN_SIGNS = {
    "bayes": """(M(L) + M(R) - M(S)) / (n ln 2)
M = lnG(K alpha) - lnG(n + K alpha) + sum_k (lnG(n_k + alpha) - lnG(alpha))""",
    "stochastic_complexity": (
        "IG + (((K - 1) / 2) (ln(n / 2) - ln(n_L / 2) - ln(n_R / 2)) "
        "- (K / 2) ln pi + lnG(K / 2)) / (n ln 2)"
    ),
    "exact_probability": (
        "-log2((prod_k n_k!) (prod_t n_t!) / (n! prod_tk n_tk!)) / n"
    ),
    "mantaras": "IG / J,  J = -sum_tk (n_tk / n) log2(n_tk / n)",
    "mdl": """(M(S) - M(L) - M(R)) / n
M = (lnG(n + K) - lnG(K) - sum_k lnG(n_k + 1)) / ln 2""",
    "miller_madow": (
        "H'(S) - rho_L H'(L) - rho_R H'(R),  H'(t) = H(t) + (D_t - 1) / (2 n_t ln 2),  "
        "H(t) = -sum_k p_tk log2 p_tk"
    ),
    "symmetric_tau": ("(gini + 2 mpi) / (G + 2 rho_L rho_R),  G = 1 - sum_k p_k^2"),
    "tsallis_ratio": (
        "(T(S) - rho_L T(L) - rho_R T(R)) / B,  T = (1 - sum_k p_k^q) / (q - 1),  "
        "B = (1 - rho_L^q - rho_R^q) / (q - 1)"
    ),
    "unbiased_gini": (
        "G'(S) - rho_L G'(L) - rho_R G'(R),  G'(t) = G(t) min(2, n_t / (n_t - 1)),  "
        "G(t) = 1 - sum_k p_tk^2"
    ),
}
# What the texts say in words, as TeX.
_DROP = r"{0}(S) - \rho_L\, {0}(L) - \rho_R\, {0}(R)"
IN_TEX = {
    "angle": (
        r"\operatorname*{mean}_{i<j} \sqrt{1 - \cos\angle"
        r"\left((r_{Li}, r_{Ri}), (r_{Lj}, r_{Rj})\right)}",
        r"r_{tk} = \frac{n_{tk}}{n_k}",
    ),
    "asymmetric_entropy": (
        _DROP.format("h"),
        r"h = \operatorname*{mean}_k \frac{p_k (1 - p_k)}{(1 - 2 w_k)\, p_k + w_k^2}",
    ),
    "credal_gain": (
        _DROP.format("H^*"),
        r"H^* = \max\left\{H\left(\tfrac{n_1 + s_1}{n + s}, \ldots, "
        r"\tfrac{n_K + s_K}{n + s}\right) : s_k \ge 0,\ "
        r"\textstyle\sum_k s_k = s\right\}",
        r"H = -\sum_k p_k \log_2 p_k",
    ),
    "credal_ratio": (
        r"\frac{H^*(S) - m_L\, H^*(L) - m_R\, H^*(R)}{\mathrm{SI}}",
        r"H^* = \max\left\{H\left(\tfrac{n_1 + s_1}{n + s}, \ldots, "
        r"\tfrac{n_K + s_K}{n + s}\right) : s_k \ge 0,\ "
        r"\textstyle\sum_k s_k = s\right\}",
        r"m_t = \frac{n_t}{n + s} \text{, the child with the larger } H^* "
        r"\text{ with } s \text{ more}",
        r"\mathrm{SI} = -\rho_L \log_2 \rho_L - \rho_R \log_2 \rho_R",
    ),
    "information_value": (
        r"\sum_t (a_t - b_t) \ln\frac{a_t}{b_t}",
        r"a_t = \frac{n_{ta} + \mathrm{adjust}\, \rho_t}{n_a + \mathrm{adjust}}, "
        r"\quad b_t = \frac{n_{tb} + \mathrm{adjust}\, \rho_t}{n_b + \mathrm{adjust}}",
    ),
    "off_centred_entropy": (
        r"H(\pi(S)) - \rho_L\, H(\pi(L)) - \rho_R\, H(\pi(R))",
        r"\pi_k = \begin{cases} \frac{p_k}{K w_k} & p_k \le w_k \\ "
        r"\frac{K (p_k - w_k) + 1 - p_k}{K (1 - w_k)} & \text{else} \end{cases} "
        r"\quad \text{scaled to a sum of 1}",
        r"H = -\sum_k \pi_k \log_2 \pi_k",
    ),
    "ordinal_gini": (
        _DROP.format("O"),
        r"O = \sum_{k < K} F_k (1 - F_k), \quad F_k = p_1 + \cdots + p_k",
    ),
    "ranking_impurity": (
        r"\frac{I(S) - I(L) - I(R)}{n^2}",
        r"I = \sum_{i < j} (c_j - c_i)\, n_i n_j",
    ),
    "weighted_information_gain": (
        _DROP.format("H"),
        r"H = -\sum_k w_k\, p_k \log_2 p_k",
        r"w_k = \frac{|c_k - \mathrm{mode}|^{\mathrm{power}}}"
        r"{\sum_j |c_j - \mathrm{mode}|^{\mathrm{power}}}",
    ),
    "uplift": (
        r"\rho_L\, D(L) + \rho_R\, D(R) - D(S)",
        r"D_{\mathrm{kl}} = p \ln\frac{p}{q} + (1 - p) \ln\frac{1 - p}{1 - q}",
        r"D_{\mathrm{ed}} = 2 (p - q)^2",
        r"D_{\mathrm{chi}} = \frac{(p - q)^2}{q} + \frac{(p - q)^2}{1 - q}",
    ),
    "absolute_error": (
        _DROP.format("A"),
        r"A = \frac{1}{n} \sum_i |y_i - \operatorname{median}(y)|",
    ),
    "crps": (
        _DROP.format("C"),
        r"C = \frac{1}{2 n^2} \sum_{i,j} |y_i - y_j| \text{; with }"
        r"\mathtt{unbiased} \text{ times } \frac{n}{n - 1}",
    ),
    "gamma": (
        _DROP.format("D"),
        r"D = \ln m - \frac{1}{n} \sum_i \ln y_i",
    ),
    "negative_binomial": (
        _DROP.format("N"),
        r"N = -m \ln m + \left(m + \frac{1}{a}\right) \ln(1 + a\, m)",
    ),
    "poisson": (
        _DROP.format("D"),
        r"D = \frac{1}{n} \sum_i y_i \ln\frac{y_i}{m}",
        r"\mathtt{shrink} > 0: \text{ a leaf predicts } "
        r"\frac{n\, m + a}{n + a / m_0}, \quad a = \frac{1}{\mathtt{shrink}^2}",
    ),
    "quantile": (
        _DROP.format("P"),
        r"P = \frac{1}{n} \sum_i (\mathtt{level} - [y_i < q]) (y_i - q)",
    ),
    "squared_error": (
        _DROP.format("V"),
        r"V = \frac{1}{n} \sum_i (y_i - m)^2",
    ),
    "tweedie": (r"\frac{\sum_t \rho_t\, m_t^{2 - p} - m^{2 - p}}{(1 - p)(2 - p)}",),
    "class_auc": (
        r"\operatorname*{mean}_k \max(A_k, 1 - A_k)",
        r"A_k = \frac{1 + r_{Lk} - r_{L,\text{rest}}}{2}, \quad "
        r"r_{Lk} = \frac{n_{Lk}}{n_k}",
    ),
    "sensitive_auc": (
        r"\max_g \max(A_g, 1 - A_g) \text{, or the mean over } g",
        r"A_g = \frac{1 + r_{Lg} - r_{L,\text{rest}}}{2}",
    ),
    "cluster_validity": (
        r"\frac{B}{B + W}",
        r"B = \sum_k n_k (m_k - m)^2, \quad "
        r"W = \sum_k \sum_{i \in k} (x_i - m_k)^2",
    ),
    "csn": (
        r"\rho_L\, \mathrm{CSN}(L) + \rho_R\, \mathrm{CSN}(R)"
        r"\text{, 0 for a pure child}",
        r"\mathrm{CSN}(t) = \frac{\sum_k \sum_{i \in k} \lVert z_i - m_{tk} \rVert^2}"
        r"{\mathrm{BCM}(t)}",
        r"\mathrm{BCM}(t) = \sum_{(A, B)} \lVert m_{tA} - m_{tB} \rVert^2"
        r"\text{, over the code's pairs of class groups}",
    ),
    "bnm": (
        r"\mathrm{margin} - \mathrm{pen}_L - \mathrm{pen}_R",
        r"\mathrm{margin} = \operatorname*{mean}_k \lVert m_{Lk} - m_{Rk} \rVert^2"
        r"\text{, over the classes in both children}",
        r"\mathrm{pen}_t = \operatorname*{mean}_{k \in t} \left(d_k + "
        r"\min_{j \ne k} d_j\right)\text{, 0 if } t \text{ is pure}",
    ),
    "cluster_complexity": (
        r"1 - \frac{E - 1}{N - 1}, \quad E = \rho_L\, \mathrm{Seg}(L) + "
        r"\rho_R\, \mathrm{Seg}(R)",
    ),
    "imbalance": (r"\frac{\min_k n_k}{\max_k n_k}",),
    "prior_accuracy": (
        r"\sum_t \rho'_t \max_k p'_{tk}, \quad "
        r"n'_{tk} = n_{tk} \frac{\mathrm{prior}_k}{p_k}",
    ),
    "segment_ratio": (
        r"\frac{\min(\mathrm{Seg}(L), \mathrm{Seg}(R))}"
        r"{\max(\mathrm{Seg}(L), \mathrm{Seg}(R))}",
    ),
    "segments": (
        r"\rho_L\, \mathrm{Seg}(L) + \rho_R\, \mathrm{Seg}(R)"
        r"\text{; not weighted: } \mathrm{Seg}(L) + \mathrm{Seg}(R)",
    ),
    "separating_gap": (
        r"\frac{x_{\text{next}} - x_{\text{last}}}{x_{\max} - x_{\min}}"
        r"\text{ if every class is on one side, else 0}",
    ),
}
NOTES = {
    "bnm": (
        "Columns are scaled to 0..1 in the node. With `penalty='euclidean'` the "
        "penalty of a child is the mean over its classes $k$ of the smallest squared "
        "distance between a row of $k$ and a row of another class; with "
        "`scale='mean'` squared distances are divided by the number of columns."
    ),
    "csn": (
        "`code='exhaustive'` takes all pairs of groups for up to six classes, and one "
        "class against the rest for more."
    ),
}
SIGNS = {
    "S": "the node",
    "L, R": "its left and right child",
    "t": "either child",
    "n": "weight of the node (its rows, if no weights are given)",
    "n_t": "weight of child $t$",
    "n_k": "weight of class $k$ in the node",
    "n_{tk}": "weight of class $k$ in child $t$",
    "p_k": "share of class $k$ in the weight of the node",
    "p_{tk}": "share of class $k$ in the weight of child $t$",
    r"\rho_t": "share of the node's weight that goes to child $t$",
    "K": "number of classes in the node",
    "D": "number of classes in the node",
    "D_t": "number of classes in child $t$",
    r"\mathrm{IG}": "information gain, the score of [entropy](entropy.md)",
    r"\mathrm{gini}": "the score of [gini](gini.md)",
    r"\mathrm{mpi}": "the score of [mpi](mpi.md)",
    "w_k": "weight of class $k$ in the criterion, a parameter",
    "c_k": "place of class $k$ among the ordered classes",
    "y_i": "target of row $i$",
    "m": "mean of the target in the node",
    "m_t": "mean of the target in child $t$",
    "m_0": "mean of the target in the root",
    "x_i": "value of row $i$ in the column of the cut",
    "z_i": "row $i$, columns scaled in the node",
    "m_k": "mean of class $k$",
    "m_{tk}": "mean of class $k$ in child $t$",
    "d_k": "distance of class $k$ in the child from the threshold, on the cut's column",
    r"\mathrm{Seg}(t)": (
        "runs of equal labels in child $t$, in the order of the column that has the "
        "fewest (`mode='min'`) or of the cut's own column (`mode='split'`)"
    ),
    "N": "number of rows of the node",
    "r_{Lg}": "share of group $g$ that goes left",
    "q": "quantile of the target at `level`",
    r"\Gamma": "the gamma function",
    r"\mathrm{prior}_k": "given prior of class $k$",
    r"x_{\text{last}}": "largest value left of the cut",
    r"x_{\text{next}}": "smallest value right of the cut",
}
SIGNS_OF = {
    "uplift": {
        "p": "share of the outcome among the treated rows of a node",
        "q": "share of the outcome among the untreated ones",
    },
    "cluster_validity": {"m": "mean of the cut's column in the node"},
    "information_value": {
        "n_{ta}": "weight of the first class in child $t$",
        "n_{tb}": "weight of the second class in child $t$",
    },
    "ordinal_gini": {"F_k": "share of the classes up to $k$"},
    "negative_binomial": {"a": "dispersion, a parameter"},
    "tweedie": {"p": "power of the variance, a parameter"},
}


# --- reading --------------------------------------------------------------------------


class _Reader:
    """Recursive descent; a space between two factors multiplies them."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str, bool]] = []
        at = 0
        while at < len(text.rstrip()):
            found = TOKEN.match(text, at)
            if found is None:
                raise UnreadableError(text[at:])
            kind = str(found.lastgroup)
            is_next = found.start(kind) == at  # no space before it
            self.tokens.append((kind, found[kind], is_next))
            at = found.end()
        self.at = 0

    def peek(self, ahead: int = 0) -> tuple[str, str, bool]:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else ("end", "", False)

    def take(self, sign: str) -> None:
        if self.peek()[1] != sign:
            raise UnreadableError(f"{self.peek()[1]!r} where {sign!r} should be")
        self.at += 1

    def whole(self) -> Tree:
        found = self.sum()
        if self.peek()[0] != "end":
            raise UnreadableError(self.peek()[1])
        return found

    def sum(self) -> Tree:
        if self.peek()[1] == "-":
            self.at += 1
            found: Tree = ("negative", self.product())
        else:
            found = self.product()
        while self.peek()[1] in ("+", "-"):
            sign = self.peek()[1]
            self.at += 1
            found = (sign, found, self.product())
        return found

    def product(self) -> Tree:
        found = self.factor()
        while True:
            kind, text, _ = self.peek()
            if text == "/":
                if _is_big(self.peek(1)) and not _is_ratio_part(found):
                    return found  # the sum that this is in has the denominator
                self.at += 1
                found = ("/", found, self.factor())
            elif kind in ("number", "name") or text == "(":
                found = ("times", found, self.factor())
            else:
                return found

    def factor(self) -> Tree:
        found = self.atom()
        while True:
            text = self.peek()[1]
            if text == "^":
                self.at += 1
                found = ("power", found, self.atom())
            elif text == "!":
                self.at += 1
                found = ("factorial", found)
            else:
                return found

    def atom(self) -> Tree:
        kind, text, _ = self.peek()
        self.at += 1
        if kind == "number":
            return ("number", float(text))
        if text == "(":
            inside = self.sum()
            self.take(")")
            return ("group", inside)
        if text == "|":
            inside = self.sum()
            self.take("|")
            return ("size", inside)
        if kind != "name":
            raise UnreadableError(text)
        base, _, index = text.partition("_")
        if base in BIG and index:
            if "{" in index:
                raise UnreadableError(text)
            body = self.product()
            found: Tree = ("big", base, index, body)
            if self.peek()[1] == "/":
                self.at += 1
                return ("/", found, self.factor())
            return found
        _, after, is_next = self.peek()
        if base in FUNCTIONS and not index:
            if after == "(":
                return ("call", base, self.arguments())
            return ("call", base, [self.factor()])
        if after == "(" and is_next and base[0].isupper() and not index:
            return ("call", base, self.arguments())
        return ("name", base, index)

    def arguments(self) -> list[Tree]:
        self.take("(")
        found = [self.sum()]
        while self.peek()[1] == ",":
            self.at += 1
            found.append(self.sum())
        self.take(")")
        return found


def _is_big(token: tuple[str, str, bool]) -> bool:
    base, _, index = token[1].partition("_")
    return base in BIG and bool(index)


def _is_ratio_part(tree: Tree) -> bool:
    return tree[0] in ("big", "/")


# --- a formula ------------------------------------------------------------------------


@dataclass(frozen=True)
class Definition:
    """`G = ...`, of a node; `D(t) = ...`, of a child; `e_tk = ...`, for each index."""

    name: str
    argument: str
    index: str
    value: Tree


@dataclass
class Formula:
    """What a criterion computes, as read from its text."""

    main: Tree
    definitions: dict[str, Definition] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> "Formula":
        """Read a text; raises `UnreadableError` if there is prose in it."""
        first, *others = PIECES.split(text.strip())
        made = cls(_Reader(first).whole())
        for piece in others:
            left, equals, right = piece.partition(" = ")
            found = re.fullmatch(r"([A-Za-z]\w*?'?)(?:\((\w)\))?(?:_(\w+))?", left)
            if not equals or found is None:
                raise UnreadableError(piece)
            name, argument, index = found[1], found[2] or "", found[3] or ""
            value = _Reader(right).whole()
            made.definitions[name] = Definition(name, argument, index, value)
        return made

    def tex(self) -> str:
        """Return it as lines of TeX."""
        lines = [f"& {tex(self.main)}"]
        for each in self.definitions.values():
            left = tex(("name", each.name, each.index))
            left += f"({each.argument})" if each.argument else ""
            lines.append(rf"& {left} = {tex(each.value)}")
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def names(self) -> list[tuple[str, str]]:
        """Return base and index of all symbols, in the order of the text."""
        trees = [self.main, *(each.value for each in self.definitions.values())]
        found = [name for tree in trees for name in _names(tree)]
        return list(dict.fromkeys(found))


def _names(tree: Any) -> Iterator[tuple[str, str]]:
    if isinstance(tree, tuple):
        if tree[0] == "name":
            yield tree[1], tree[2]
        elif tree[0] == "call" and tree[1] not in FUNCTIONS:
            yield tree[1], "()"
        for part in tree[1:]:
            yield from _names(part)
    elif isinstance(tree, list):
        for part in tree:
            yield from _names(part)


def symbol(base: str, index: str = "") -> str:
    """Return a symbol as TeX."""
    mark = ("'" if base.endswith("'") else "") + ("^*" if base.endswith("*") else "")
    base = base.rstrip("'*")
    if base in GREEK:
        name = f"\\{base}"
    elif re.fullmatch(r"[A-Za-z]\d", base):
        name = f"{base[0]}_{base[1]}"
    else:
        name = base if len(base) == 1 else rf"\mathrm{{{base}}}"
    return name + mark + (f"_{{{index}}}" if index else "")


Number = Callable[[Tree], str | None]


def tex(tree: Tree, number: Number = lambda _: None) -> str:
    """Write a tree as TeX; `number` may put a number where a part stands."""
    shown = number(tree)
    if shown is not None:
        return shown
    kind, *parts = tree

    def inner(part: Tree) -> str:  # without the brackets that a bar or root replaces
        return _unwrapped(tex(part[1] if part[0] == "group" else part, number))

    if kind == "number":
        return f"{parts[0]:g}"
    if kind == "name":
        return symbol(*parts)
    if kind == "group":
        return rf"\left({tex(parts[0], number)}\right)"
    if kind == "size":
        return rf"\left|{tex(parts[0], number)}\right|"
    if kind == "negative":
        return f"-{tex(parts[0], number)}"
    if kind in ("+", "-"):
        return f"{tex(parts[0], number)} {kind} {tex(parts[1], number)}"
    if kind == "/":
        return rf"\frac{{{inner(parts[0])}}}{{{inner(parts[1])}}}"
    if kind == "power":
        return f"{{{tex(parts[0], number)}}}^{{{inner(parts[1])}}}"
    if kind == "factorial":
        return f"{tex(parts[0], number)}!"
    if kind == "times":
        left, right = (tex(part, number) for part in parts)
        return f"{left} {times(left, right)} {right}"
    if kind == "big":
        return rf"{BIG[parts[0]]}_{{{parts[1]}}} {tex(parts[2], number)}"
    name, arguments = parts
    if name == "sqrt":
        return rf"\sqrt{{{inner(arguments[0])}}}"
    written = {"log2": r"\log_2", "ln": r"\ln", "exp": r"\exp", "lnG": r"\ln\Gamma"}
    head = written.get(name) or (rf"\{name}" if name in BIG else symbol(name))
    inside = ", ".join(tex(each, number) for each in arguments)
    is_bare = arguments[0][0] in ("name", "number")
    if is_bare and name in ("log2", "ln"):
        return f"{head} {inside}"
    if is_bare and name not in FUNCTIONS:
        return f"{head}({inside})"
    return rf"{head}\left({inside}\right)"


def times(left: str, right: str) -> str:
    """Return the sign between two factors: none between symbols, a dot at numbers."""
    return r"\cdot" if right[:1].isdigit() or left[-1:].isdigit() else r"\,"


# --- a formula with numbers -----------------------------------------------------------


@dataclass
class Worked:
    """A formula for one split of class weights."""

    formula: Formula
    left: Sequence[float]
    right: Sequence[float]
    known: Mapping[str, float]  # parameters, and scores of other criteria

    def weights(self, node: str) -> list[float]:
        """Return the class weights of S, L or R."""
        if node == "S":
            return [a + b for a, b in zip(self.left, self.right, strict=True)]
        return list(self.left if node == "L" else self.right)

    def value(self, tree: Tree, at: Mapping[str, Any]) -> float:
        """Evaluate a tree; `at` has the node, and what t and k stand for."""
        kind, *parts = tree
        if kind == "number":
            return float(parts[0])
        if kind in ("group", "size", "negative", "factorial"):
            inside = self.value(parts[0], at)
            return {
                "group": inside,
                "size": abs(inside),
                "negative": -inside,
                "factorial": math.gamma(inside + 1) if kind == "factorial" else 0.0,
            }[kind]
        if kind == "name":
            return self.named(parts[0], parts[1], at)
        if kind == "big":
            values = [self.value(parts[2], each) for each in self.places(parts[1], at)]
            if parts[0] in ("max", "min"):
                return max(values) if parts[0] == "max" else min(values)
            return math.fsum(values) if parts[0] == "sum" else math.prod(values)
        if kind == "call":
            return self.called(parts[0], parts[1], at)
        a, b = (self.value(part, at) for part in parts)
        if kind == "power":
            return float(a**b)
        if kind == "/":
            return a / b
        return {"+": a + b, "-": a - b, "times": a * b}[kind]

    def places(self, index: str, at: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return what the index of a sum runs over."""
        found = [dict(at)]
        for letter in index:
            if letter not in "tkj":
                raise UnreadableError(f"index {letter}")
            over: Sequence[Any] = "LR" if letter == "t" else range(len(self.left))
            found = [{**one, letter: each} for one in found for each in over]
        return found

    def called(self, name: str, arguments: list[Tree], at: Mapping[str, Any]) -> float:
        """Evaluate a function, or a definition for a node."""
        if name in self.formula.definitions:
            each = self.formula.definitions[name]
            if len(arguments) != 1 or arguments[0][0] != "name":
                raise UnreadableError(name)
            node = str(at.get(arguments[0][1], arguments[0][1]))
            if node not in "SLR" or each.index:
                raise UnreadableError(name)
            place = {"t": node} if each.argument else {"node": node}
            return self.value(each.value, place)
        if name not in FUNCTIONS:
            raise UnreadableError(name)
        values = [self.value(each, at) for each in arguments]
        if name in ("min", "max"):
            return min(values) if name == "min" else max(values)
        plain: dict[str, Callable[[float], float]] = {
            "sqrt": math.sqrt,
            "log2": math.log2,
            "ln": math.log,
            "exp": math.exp,
            "lnG": math.lgamma,
        }
        return plain[name](values[0])

    def named(self, base: str, index: str, at: Mapping[str, Any]) -> float:
        """Return the value of a symbol."""
        if base in self.formula.definitions:
            each = self.formula.definitions[base]
            if each.index or not index:
                place = dict(zip(each.index, self.bound(index, at), strict=True))
                return self.value(each.value, {**at, **place})
        if base in self.known and not index:
            return float(self.known[base])
        node, of = str(at.get("node", "S")), None
        for each in self.bound(index, at):
            if isinstance(each, str):
                node = each
            else:
                of = each
        weights = self.weights(node)
        total, everything = sum(weights), sum(self.weights("S"))
        if base == "n":
            return total if of is None else weights[of]
        if base == "p" and of is not None:
            return weights[of] / total
        if base == "rho" and of is None:
            return total / everything
        if base in ("K", "D") and of is None:
            own = weights if index else self.weights("S")
            return float(sum(weight > 0 for weight in own))
        if base in ("e", "pi") and not index:
            return math.e if base == "e" else math.pi
        raise UnreadableError(symbol(base, index))

    def bound(self, index: str, at: Mapping[str, Any]) -> list[Any]:
        """Return what the letters of an index stand for."""
        found: list[Any] = []
        for letter in index:
            if letter in "LRS":
                found.append(letter)
            elif letter in at:
                found.append(at[letter])
            else:
                raise UnreadableError(index)
        return found

    def steps(self) -> list[str]:
        """Return lines of TeX: the definitions with numbers, then the whole."""
        lines = []
        for name, arguments in _defined(self.formula.main, self.formula.definitions):
            each = self.formula.definitions[name]
            places = (
                [{"t": node} if each.argument else {"node": node} for node in arguments]
                if not each.index
                else self.places(each.index, {})
            )
            for place in places:
                left = _head(each, place)
                lines.append(self.line(left, each.value, place))
        lines.append(self.line(r"\text{score}", self.formula.main, {}))
        return lines

    def line(self, left: str, tree: Tree, at: Mapping[str, Any]) -> str:
        """Write `left = the tree with its numbers = its value`."""
        value = shown(self.value(tree, at))
        middle = self.put_in(tree, at)
        if middle == value or len(middle) > 900:
            return f"{left} &= {value}"
        return f"{left} &= {middle} = {value}"

    def put_in(self, tree: Tree, at: Mapping[str, Any]) -> str:
        """Write a tree with numbers in place of symbols, and sums written out."""

        def number(part: Tree) -> str | None:
            if part[0] == "name":
                return shown(self.value(part, at))
            if part[0] == "call" and part[1] in self.formula.definitions:
                return shown(self.value(part, at))
            if part[0] == "big":
                terms = [
                    self.put_in(part[3], each) for each in self.places(part[2], at)
                ]
                if part[1] in ("max", "min"):
                    return rf"\{part[1]}\left({', '.join(terms)}\right)"
                joint = " + " if part[1] == "sum" else r" \cdot "
                bare = not any(_is_sum(term) for term in terms)
                written = joint.join(
                    term if bare else rf"\left({term}\right)" for term in terms
                )
                return rf"\left({written}\right)" if len(terms) > 1 else written
            return None

        found = tex(tree, number)
        return _unwrapped(found)


def _head(each: Definition, place: Mapping[str, Any]) -> str:
    if each.index:
        words = "".join(
            str(place[letter] + 1) if isinstance(place[letter], int) else place[letter]
            for letter in each.index
        )
        return symbol(each.name, words)
    node = place.get("t") or place.get("node")
    return f"{symbol(each.name)}({node})" if node else symbol(each.name)


def _defined(
    tree: Tree, definitions: Mapping[str, Definition]
) -> list[tuple[str, list[str]]]:
    """Return the definitions that a formula uses and their nodes; inner ones first."""
    nodes: dict[str, list[str]] = {}
    _collect(tree, definitions, nodes)
    order = list(nodes)[::-1]
    return [(name, nodes[name]) for name in order]


def _collect(
    tree: Any, definitions: Mapping[str, Definition], nodes: dict[str, list[str]]
) -> None:
    if isinstance(tree, list):
        for part in tree:
            _collect(part, definitions, nodes)
    if not isinstance(tree, tuple):
        return
    name = tree[1] if tree[0] in ("call", "name") else None
    if name in definitions:
        arguments = tree[2] if tree[0] == "call" else []
        found = nodes.setdefault(name, [])
        for argument in arguments:
            for node in "LR" if argument[1] == "t" else argument[1]:
                if node not in found:
                    found.append(node)
        if tree[0] == "name" and not definitions[name].index and "" not in found:
            found.append("")
        _collect(definitions[name].value, definitions, nodes)
    for part in tree[1:]:
        _collect(part, definitions, nodes)


def _is_sum(text: str) -> bool:
    """Return whether a plus or minus stands outside of all brackets."""
    depth = 0
    for found in re.finditer(r"\\left|\\right|[{}]| [-+] |^-", text):
        if found[0] in (r"\left", "{"):
            depth += 1
        elif found[0] in (r"\right", "}"):
            depth -= 1
        elif depth == 0:
            return True
    return False


def _unwrapped(text: str) -> str:
    """Drop brackets around the whole."""
    if not (text.startswith(r"\left(") and text.endswith(r"\right)")):
        return text
    depth = 0
    for found in re.finditer(r"\\left[(|]|\\right[)|]", text):
        depth += 1 if found[0].startswith(r"\left") else -1
        if depth == 0 and found.end() < len(text):
            return text
    return text[len(r"\left(") : -len(r"\right)")]


def shown(value: float) -> str:
    """Return a number with at most four digits after the point."""
    if abs(value) < 0.001 and value != 0:
        return f"{value:.1g}"
    return f"{value:.4f}".rstrip("0").rstrip(".")


# --- what a page shows ----------------------------------------------------------------


def formula_lines(name: str, text: str, parameters: Mapping[str, Any]) -> list[str]:
    """Return a formula as TeX, and a table of its symbols."""
    if name in IN_TEX:
        rows = [f"& {row}" for row in IN_TEX[name]]
        written = "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"
    else:
        try:
            written = Formula.read(IN_SIGNS.get(name, text)).tex()
        except UnreadableError:
            return ["```text", text, "```", ""]
    notes = [NOTES[name], ""] if name in NOTES else []
    return ["$$", written, "$$", "", *symbol_lines(name, written, parameters), *notes]


def symbol_lines(name: str, written: str, parameters: Mapping[str, Any]) -> list[str]:
    """Return a table of the symbols of a formula, each with its meaning."""
    # One spelling for all: no braces around single letters, L and R are children t.
    plain = re.sub(r"_\{(\w)\}", r"_\1", written)
    plain = re.sub(r"\{([^{}]+)\}\^", r"\1^", plain)
    generic = re.sub(r"(?<=_)([LR])(?=\b|[^A-Za-z])", "t", plain)
    generic = re.sub(r"(?<=_\{)[LR](?=\w\})", "t", generic)
    own = SIGNS_OF.get(name, {})
    defined = set(re.findall(r"& (\S+?)(?:\(t\))? =", generic))
    rows = []
    if re.search(r"\(?[SLR]\b|_[LR]|_\{[LR]", re.sub(r"\\left|\\right", "", plain)):
        rows.append(("$S$, $L$, $R$", "the node, its left and its right child"))
    if re.search(r"_t\b|_\{t|\(t\)", generic):
        rows.append(("$t$", "either child"))
    if re.search(r"k", re.sub(r"\\[A-Za-z]+", "", plain)):
        rows.append(("$k$", "a class"))
    for sign, meaning in {**SIGNS, **own}.items():
        if sign in ("S", "L, R", "t") or sign in defined:
            continue
        if sign in parameters and sign not in own:
            continue
        if _occurs(sign, generic):
            rows.append((f"${sign}$", meaning))
    for key in parameters:
        if key in own:
            continue
        if len(key) > 1 and key not in GREEK:
            sign, is_there = rf"\mathrm{{{key}}}", f"{{{key}}}" in generic
        else:
            sign = f"\\{key}" if key in GREEK else key
            is_there = _occurs(sign, generic)
        if is_there:
            rows.append((f"${sign}$", "a parameter, see below"))
    lines = ["| symbol | meaning |", "| --- | --- |"]
    return [*lines, *(f"| {sign} | {meaning} |" for sign, meaning in rows), ""]


def _occurs(sign: str, written: str) -> bool:
    return (
        re.search(rf"(?<![A-Za-z\\_]){re.escape(sign)}(?![\w{{]|_)", written)
        is not None
    )


def step_lines(
    name: str,
    text: str,
    split: tuple[Sequence[float], Sequence[float]],
    known: Mapping[str, float],
    score: float,
) -> list[str]:
    """Return the steps of a worked example; none if the formula has words in it.

    Raises
    ------
    ValueError
        If the formula has another value than the core computes.
    """
    try:
        formula = Formula.read(IN_SIGNS.get(name, text))
        worked = Worked(formula, *split, known)
        value, steps = worked.value(formula.main, {}), worked.steps()
    except UnreadableError:
        return []
    if abs(value - score) > 1e-7 * max(1.0, abs(score)):
        raise ValueError(f"the formula of {name} gives {value}, the core {score}")
    body = " \\\\\n".join(steps)
    return ["$$", f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}", "$$", ""]
