/**
 * The text of a key of lang/*.json, in the user's language.
 * @param {string} key
 * @returns {string}
 */
export function localize(key) {
  return game.i18n.localize(key);
}

/**
 * A text with its `{places}` filled in. What is filled in is not escaped: see html.mjs.
 * @param {string} key
 * @param {Record<string, string|number>} places
 * @returns {string}
 */
export function format(key, places) {
  return game.i18n.format(key, Object.fromEntries(Object.entries(places).map(([name, value]) => [name, String(value)])));
}
