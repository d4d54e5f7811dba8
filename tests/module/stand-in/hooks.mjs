import { observed } from "./observed.mjs";

let nextId = 1;
/** @type {Map<string, {id: number, fn: Function, once: boolean}[]>} */
const registered = new Map();

function dispatch(name, entry, args) {
  if (entry.once) Hooks.off(name, entry.id);
  try {
    return entry.fn(...args);
  } catch (error) {
    observed.hookErrors.push(`${name}: ${error?.message ?? error}`);
    console.error(`Error thrown in hooked function for "${name}"`, error);
    return undefined;
  }
}

/** Foundry's event bus: handlers run in order of registration, and what they return is never awaited. */
export class Hooks {
  static get events() {
    return Object.fromEntries(registered);
  }

  static on(name, fn, { once = false } = {}) {
    const id = nextId++;
    if (!registered.has(name)) registered.set(name, []);
    registered.get(name).push({ id, fn, once, hook: name });
    return id;
  }

  static once(name, fn) {
    return this.on(name, fn, { once: true });
  }

  /** @param {string} name  @param {number|Function} which */
  static off(name, which) {
    const kept = (registered.get(name) ?? []).filter(entry => entry.id !== which && entry.fn !== which);
    registered.set(name, kept);
  }

  /** Run every handler; nothing that they return matters. */
  static callAll(name, ...args) {
    observed.hooks.push(name);
    for (const entry of Array.from(registered.get(name) ?? [])) dispatch(name, entry, args);
    return true;
  }

  /** Run handlers until one returns exactly `false`; a promise of false is not false. */
  static call(name, ...args) {
    observed.hooks.push(name);
    for (const entry of Array.from(registered.get(name) ?? [])) {
      if (dispatch(name, entry, args) === false) return false;
    }
    return true;
  }

  static onError(location, error, { msg = "" } = {}) {
    console.error(location, msg, error);
    Hooks.callAll("error", location, error, {});
  }
}
