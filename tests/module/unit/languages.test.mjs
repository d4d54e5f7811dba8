import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const MODULE = new URL("../../../foundry-module/", import.meta.url);
const FOLDERS = ["forms", "hooks", "places", "rolls", "service", "settings", "windows"];
const LANGUAGES = ["en", "de", "fr", "es", "pt-BR"];

/** The texts of a language by their keys. */
function texts(language) {
  const flat = (below, path) =>
    Object.entries(below).flatMap(([name, value]) =>
      typeof value === "string" ? [[`${path}${name}`, value]] : flat(value, `${path}${name}.`));
  return new Map(flat(JSON.parse(readFileSync(new URL(`lang/${language}.json`, MODULE), "utf8")), ""));
}

const places = text => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();
const english = texts("en");

for (const language of LANGUAGES.slice(1)) {
  test(`${language} says all that English says, with the same places to fill in`, () => {
    const own = texts(language);
    assert.deepEqual([...own.keys()].sort(), [...english.keys()].sort());
    for (const [key, text] of own) assert.deepEqual(new Set(places(text)), new Set(places(english.get(key))), key);
  });
}

test("each text that the module shows stands in the language files, and each of those is shown", () => {
  const files = FOLDERS.flatMap(folder => readdirSync(new URL(`${folder}/`, MODULE), { recursive: true })
    .filter(name => /\.(mjs|hbs)$/.test(name)).map(name => readFileSync(new URL(`${folder}/${name}`, MODULE), "utf8")));
  const used = new Set(files.flatMap(text => [...text.matchAll(/TALLYBONES\.[\w.$-]*(?:\{[^}]*\}[\w.-]*)*/g)].map(([key]) => key)));
  const patterns = [...used].filter(key => key.includes("${")).map(key => new RegExp(`^${key.replaceAll(".", "\\.").replace(/\$\{[^}]*\}/g, "[\\w-]+")}$`));
  for (const key of used) if (!key.includes("${") && key.split(".").length > 2) assert.ok(english.has(key), `${key} is not in en.json`);
  for (const key of english.keys()) assert.ok(used.has(key) || patterns.some(pattern => pattern.test(key)), `${key} is never shown`);
});
