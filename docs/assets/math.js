// SPDX-License-Identifier: BSD-3-Clause
// What MathJax draws: the formulas that the extension arithmatex marks, and nothing else.
"use strict";

window.MathJax = {
  tex: { inlineMath: [["\\(", "\\)"]], displayMath: [["\\[", "\\]"]] },
  options: {
    ignoreHtmlClass: ".*|",
    processHtmlClass: "arithmatex",
    enableMenu: false, // its files are not copied
  },
};
