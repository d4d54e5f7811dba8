import { observed } from "./observed.mjs";
import { expandObject, getProperty, mergeObject } from "./utils.mjs";

/** game.i18n: the files of the chosen language over the English ones. */
export class Localization {
  lang = "en";
  translations = {};
  _fallback = {};

  /** @param {string} lang  @param {{id: string, languages?: {lang: string, path: string}[]}[]} modules */
  async load(lang, modules) {
    this.lang = lang;
    document.documentElement.lang = lang;
    const core = await (await fetch("/stand-in/core.en.json")).json();
    mergeObject(this._fallback, expandObject(core));
    for (const { id, languages = [] } of modules) {
      for (const entry of languages) {
        if (entry.lang !== "en" && entry.lang !== lang) continue;
        const file = await (await fetch(`/modules/${id}/${entry.path}`)).json();
        if (entry.lang === "en") mergeObject(this._fallback, expandObject(file));
        if (entry.lang === lang) mergeObject(this.translations, expandObject(file));
      }
    }
  }

  #find(key) {
    const found = getProperty(this.translations, key) ?? getProperty(this._fallback, key);
    return typeof found === "string" ? found : undefined;
  }

  has(key, fallback = true) {
    return typeof (getProperty(this.translations, key) ?? (fallback ? getProperty(this._fallback, key) : undefined)) === "string";
  }

  localize(key) {
    const found = this.#find(key);
    // Only what looks like a key counts as missing: Foundry localises plain labels too.
    if (found === undefined && /^[A-Z][\w-]*(\.[\w-]+)+$/.test(key)) observed.missingTranslations.push(key);
    return found ?? key;
  }

  /** Substitutes `{name}`; like Foundry it escapes nothing. */
  format(key, values = {}) {
    return this.localize(key).replace(/\{[^}]+\}/g, slot => values[slot.slice(1, -1)] ?? "undefined");
  }

  getListFormatter({ style = "long", type = "conjunction" } = {}) {
    return new Intl.ListFormat(this.lang, { style, type });
  }
}
