import js from "@eslint/js";
import globals from "globals";

/** What Foundry puts on `globalThis` and the module uses. */
export const foundryGlobals = Object.fromEntries([
  "foundry", "game", "ui", "canvas", "CONFIG", "CONST", "Hooks", "Roll", "ChatMessage", "Actor", "Macro", "User",
  "JournalEntry", "Item", "fromUuid", "fromUuidSync", "Handlebars",
].map(name => [name, "readonly"]));

/** Rules for every module of this project that runs in a browser. */
export const rules = {
  ...js.configs.recommended.rules,
  "array-callback-return": "error",
  "consistent-return": "error",
  "curly": ["error", "multi-line"],
  "eqeqeq": ["error", "always", { null: "ignore" }],
  "max-lines": ["error", { max: 320, skipBlankLines: true }],
  "no-console": "error",
  "no-eval": "error",
  "no-implied-eval": "error",
  "no-new-func": "error",
  "no-promise-executor-return": "error",
  "no-shadow": "error",
  "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-const": "error",
  "prefer-template": "error",
};

export default [
  { ignores: ["node_modules/", "vendor/"] },
  {
    files: ["**/*.mjs"],
    languageOptions: {
      ecmaVersion: "latest",
      sourceType: "module",
      globals: { ...globals.browser, ...foundryGlobals },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules,
  },
  // The module's logger is the one place that writes to the console.
  { files: ["**/log.mjs"], rules: { "no-console": "off" } },
];
