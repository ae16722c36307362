// SPDX-License-Identifier: BSD-3-Clause
// Rules for the scripts of the pages and their tests.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import js from "@eslint/js";
import globals from "globals";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

// The viewer's scripts are joined into one page, so each sees the top-level names of all.
// The studio's page has these and its own.
const folders = ["src/ramify/viewer", "src/ramify/serving/page"].map((one) => join(root, one));
const shared = Object.fromEntries(
  folders
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => path.endsWith(".js"))
    .flatMap((path) => [
      ...readFileSync(path, "utf8").matchAll(
        /^(?:async )?(?:function\*?|class|const) (\w+)|^ {2}(\w+) = /gm,
      ),
    ])
    .map((found) => [found[1] ?? found[2], "readonly"]),
);

const rules = {
  ...js.configs.recommended.rules,
  eqeqeq: "error",
  "no-var": "error",
  "prefer-const": "error",
  "prefer-template": "error",
  "object-shorthand": "error",
  "no-shadow": ["error", { builtinGlobals: false, hoist: "functions", allow: ["_"] }],
  "no-param-reassign": "error",
  "no-implicit-coercion": "error",
  "no-eval": "error",
  "no-implied-eval": "error",
  "no-new-func": "error",
  "no-console": "error",
  "no-else-return": "error",
  "no-unused-expressions": "error",
  "no-useless-return": "error",
  "default-case-last": "error",
  strict: ["error", "global"],
  "no-unused-vars": ["error", { argsIgnorePattern: "^_", caughtErrors: "all" }],
};

// Names must never become markup: text is set as text (dom.js).
const noMarkup = [
  "error",
  ...["innerHTML", "outerHTML", "insertAdjacentHTML"].map((name) => ({
    selector: `MemberExpression[property.name='${name}']`,
    message: `${name} lets a name become markup; set text as text.`,
  })),
];

export default [
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["**/src/**/*.js", "**/docs/**/*.js"],
    languageOptions: { ecmaVersion: 2022, sourceType: "script", globals: globals.browser },
    rules: { ...rules, "no-restricted-syntax": noMarkup },
  },
  {
    files: ["**/src/ramify/viewer/*.js", "**/src/ramify/serving/page/*.js"],
    languageOptions: { globals: { ...globals.browser, ...shared } },
    rules: {
      // A script defines the names that the others read.
      "no-redeclare": ["error", { builtinGlobals: false }],
      "no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", caughtErrors: "all", vars: "local" },
      ],
    },
  },
  {
    files: ["**/*.mjs"],
    languageOptions: { ecmaVersion: 2022, sourceType: "module", globals: globals.node },
    rules: { ...rules, strict: "off" },
  },
];
