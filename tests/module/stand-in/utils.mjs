/** foundry.utils: the part that modules use. */

export const getType = value => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "Array";
  if (value instanceof Set) return "Set";
  if (value instanceof Map) return "Map";
  if (value instanceof HTMLElement) return "HTMLElement";
  if (typeof value === "object") return Object.getPrototypeOf(value) === Object.prototype ? "Object" : "Unknown";
  return typeof value;
};

export function deepClone(value) {
  if (Array.isArray(value)) return value.map(deepClone);
  if (value instanceof Date) return new Date(value);
  if (getType(value) !== "Object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, deepClone(inner)]));
}

export function duplicate(value) {
  return JSON.parse(JSON.stringify(value));
}

export function getProperty(object, path) {
  if (!path || object == null) return undefined;
  if (path in Object(object)) return object[path];
  return path.split(".").reduce((inner, key) => inner?.[key], object);
}

export function hasProperty(object, path) {
  return getProperty(object, path) !== undefined;
}

export function setProperty(object, path, value) {
  const keys = path.split(".");
  const last = keys.pop();
  let inner = object;
  for (const key of keys) inner = inner[key] ??= {};
  const changed = inner[last] !== value;
  inner[last] = value;
  return changed;
}

export function expandObject(object) {
  const expanded = {};
  for (const [path, value] of Object.entries(object)) {
    setProperty(expanded, path, getType(value) === "Object" ? expandObject(value) : value);
  }
  return expanded;
}

export function flattenObject(object) {
  const flat = {};
  for (const [key, value] of Object.entries(object)) {
    if (getType(value) !== "Object" || isEmpty(value)) { flat[key] = value; continue; }
    for (const [rest, inner] of Object.entries(flattenObject(value))) flat[`${key}.${rest}`] = inner;
  }
  return flat;
}

export function isEmpty(value) {
  if (value == null) return true;
  if (value instanceof Set || value instanceof Map) return !value.size;
  return typeof value === "object" && !Object.keys(value).length;
}

/** Merge as documents do: objects key by key, everything else replaced, `-=key` deletes. */
export function mergeObject(original, other = {}, {
  insertKeys = true, insertValues = true, overwrite = true, recursive = true, inplace = true,
  performDeletions = false,
} = {}) {
  const target = inplace ? original : deepClone(original);
  for (const [key, value] of Object.entries(expandObject(other))) {
    if (key.startsWith("-=")) {
      if (performDeletions) delete target[key.slice(2)];
      continue;
    }
    const known = Object.hasOwn(target, key);
    if (known && recursive && getType(target[key]) === "Object" && getType(value) === "Object") {
      mergeObject(target[key], value, { insertKeys: insertValues, insertValues, overwrite, performDeletions });
    } else if (known ? overwrite : insertKeys) {
      target[key] = getType(value) === "Object" ? mergeObject({}, value, { performDeletions }) : value;
    }
  }
  return target;
}

export function objectsEqual(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function randomID(length = 16) {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, byte => letters[byte % letters.length]).join("");
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };
export function escapeHTML(value) {
  return String(value).replace(/[&<>"']/g, sign => ENTITIES[sign]);
}

export function debounce(callback, delay) {
  let timer;
  return function debounced(...args) {
    clearTimeout(timer);
    timer = setTimeout(() => callback.apply(this, args), delay);
  };
}

export function throttle(callback, delay) {
  let last = 0;
  return function throttled(...args) {
    if (Date.now() - last < delay) return;
    last = Date.now();
    callback.apply(this, args);
  };
}

export function isNewerVersion(one, other) {
  const [left, right] = [one, other].map(version => String(version).split("."));
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [a, b] = [left[i] ?? "0", right[i] ?? "0"];
    if (a === b) continue;
    return Number.isNaN(a - b) ? a > b : Number(a) > Number(b);
  }
  return false;
}

export function getRoute(path) {
  return `/${path.replace(/^\//, "")}`;
}

/** A Map whose iterator gives values, as Foundry's Collection. */
export class Collection extends Map {
  get contents() { return Array.from(this.values()); }
  [Symbol.iterator]() { return this.values(); }
  filter(condition) { return this.contents.filter(condition); }
  find(condition) { return this.contents.find(condition); }
  map(transform) { return this.contents.map(transform); }
  reduce(reducer, initial) { return this.contents.reduce(reducer, initial); }
  some(condition) { return this.contents.some(condition); }
  every(condition) { return this.contents.every(condition); }
  getName(name) { return this.contents.find(entry => entry.name === name); }
  toJSON() { return this.contents.map(entry => entry.toJSON?.() ?? entry); }
  forEach(action) { this.contents.forEach(action); }
  get(key, { strict = false } = {}) {
    const entry = super.get(key);
    if (strict && entry === undefined) throw new Error(`The key ${key} does not exist in the Collection`);
    return entry;
  }
}
