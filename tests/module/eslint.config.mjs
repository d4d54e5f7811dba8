import module, { foundryGlobals, rules } from "../../foundry-module/eslint.config.mjs";

const browserModule = module.find(entry => entry.languageOptions);

export default [
  {
    ...browserModule,
    languageOptions: {
      ...browserModule.languageOptions,
      globals: { ...browserModule.languageOptions.globals, ...foundryGlobals, jQuery: "readonly", standIn: "readonly" },
    },
    rules: {
      ...rules,
      // It stands for Foundry, which writes to the console where modules may not.
      "no-console": "off",
      // Each file defines the globals that others read.
      "no-redeclare": "off",
      "no-shadow": "off",
    },
  },
];
