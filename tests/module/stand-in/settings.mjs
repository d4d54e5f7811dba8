import { Hooks } from "./hooks.mjs";
import { deprecated } from "./observed.mjs";
import { isV14 } from "./release.mjs";
import { ask, onWorldEvent } from "./socket.mjs";
import { deepClone } from "./utils.mjs";

/** game.settings: world values shared by all, user values by one user's tabs and readable by all, client values in localStorage. */
export class ClientSettings {
  settings = new Map();
  menus = new Map();
  /** World and user values as JSON, as every player's client holds them. */
  #shared = new Map();

  load(values) {
    for (const [key, value] of Object.entries(values)) this.#shared.set(key, value);
  }

  register(namespace, key, config) {
    if (!namespace || !key) throw new Error("You must specify both namespace and key portions of the setting");
    const id = `${namespace}.${key}`;
    this.settings.set(id, { scope: "client", config: false, ...config, namespace, key, id });
  }

  registerMenu(namespace, key, menu) {
    if (!menu.type) throw new Error(`The settings menu ${namespace}.${key} has no application class`);
    this.menus.set(`${namespace}.${key}`, { ...menu, namespace, key: `${namespace}.${key}` });
  }

  #registered(namespace, key) {
    const setting = this.settings.get(`${namespace}.${key}`);
    if (!setting) throw new Error(`"${namespace}.${key}" is not a registered game setting`);
    return setting;
  }

  #storageKey(setting) {
    return setting.scope === "user" ? `${game.user.id}:${setting.id}` : setting.id;
  }

  get(namespace, key) {
    // Version 14 still answers for the old key, but with nothing in it.
    if (isV14 && namespace === "core" && key === "rollMode") return deprecated("setting core.rollMode", null);
    const setting = this.#registered(namespace, key);
    const stored = setting.scope === "client"
      ? localStorage.getItem(setting.id)
      : this.#shared.get(this.#storageKey(setting)) ?? null;
    const value = stored === null ? deepClone(setting.default) : JSON.parse(stored);
    return typeof setting.type === "function" && [String, Number, Boolean].includes(setting.type) && value != null
      ? setting.type(value) : value;
  }

  async set(namespace, key, value, options = {}) {
    const setting = this.#registered(namespace, key);
    if (value === undefined) value = deepClone(setting.default);
    const json = JSON.stringify(value);
    if (setting.scope === "client") {
      const before = localStorage.getItem(setting.id);
      localStorage.setItem(setting.id, json);
      if (before !== json) {
        setting.onChange?.(value, options);
        Hooks.callAll("clientSettingChanged", setting.id, value, options);
      }
      return value;
    }
    const user = setting.scope === "user" ? game.user.id : undefined;
    await ask("setting", { key: setting.id, value: json, user });
    this.#changed(this.#storageKey(setting), json, game.user.id);
    return value;
  }

  #changed(storageKey, json, userId) {
    this.#shared.set(storageKey, json);
    const [id, owner] = storageKey.split(":").reverse();
    if (owner && owner !== game.user.id) return;
    const setting = this.settings.get(id);
    if (!setting) return;
    const value = JSON.parse(json);
    setting.onChange?.(value, {}, userId);
    Hooks.callAll("updateSetting", { key: id, value }, { value }, {}, userId);
  }

  /** What any player can read from the console: every world and user value, as JSON. */
  get storage() {
    return new Map([["world", new Map(this.#shared)], ["client", localStorage]]);
  }

  listen() {
    onWorldEvent("setting", ({ key, value, userId }) => this.#changed(key, value, userId));
  }
}

/** The settings of the core that modules read. */
export function registerCoreSettings(settings) {
  const modes = { scope: "client", type: String };
  if (isV14) settings.register("core", "messageMode", { ...modes, default: "public" });
  else settings.register("core", "rollMode", { ...modes, default: "publicroll" });
  settings.register("core", "language", { scope: "client", type: String, default: "en" });
  settings.register("core", "diceConfiguration", { scope: "client", type: Object, default: {} });
}
