/** What tests read afterwards: everything here is the stand-in's own, Foundry has no such object. */
export const observed = {
  /** @type {string[]} deprecated names that were used, one entry an access */
  deprecated: [],
  /** @type {string[]} localisation keys that no language file has */
  missingTranslations: [],
  /** @type {{type: string, message: string}[]} every toast */
  notifications: [],
  /** @type {{message: string, by: "message"|"showForRoll", dice: number[]}[]} what 3D dice would have thrown on this screen */
  diceShown: [],
  /** @type {string[]} sound files that were played */
  sounds: [],
  /** @type {string[]} hook names in the order in which they ran */
  hooks: [],
  /** @type {{name: string, data: unknown}[]} user queries that reached this tab */
  queries: [],
  /** @type {string[]} errors thrown by hooks (Foundry logs them and goes on) */
  hookErrors: [],
};

/**
 * Count the use of something that Foundry warns about, as Foundry does: with a warning in the console.
 * @param {string} what
 * @param {unknown} [value]  returned unchanged, for getters
 */
export function deprecated(what, value) {
  observed.deprecated.push(what);
  console.warn(`Deprecated since an earlier version of Foundry: ${what}`);
  return value;
}
