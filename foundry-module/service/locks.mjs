import { MODULE } from "../const.mjs";
import { TAB } from "./keys.mjs";

/** How long a lease in localStorage holds when its tab is gone, and how often a living tab renews it. */
const LEASE = 8000;
const RENEWAL = 2000;
/** Another tab that wants the same lease at the same moment has written by then. */
const SETTLE = 40;
const RETRY = 150;

/**
 * Do something that no other tab of this browser does at the same time; others wait for their turn.
 * @template Result
 * @param {string} name
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withLock(name, work) {
  if (navigator.locks) return navigator.locks.request(`${MODULE}.${name}`, work);
  return turns.run(name, () => withLease(name, work));
}

/** Within one tab, one after the other. */
const turns = {
  /** @type {Map<string, Promise<unknown>>} */
  last: new Map(),

  /**
   * @template Result
   * @param {string} name
   * @param {() => Promise<Result>} work
   * @returns {Promise<Result>}
   */
  async run(name, work) {
    const before = this.last.get(name) ?? Promise.resolve();
    const turn = before.then(work, work);
    const settled = turn.catch(() => undefined);
    this.last.set(name, settled);
    settled.then(() => this.last.get(name) === settled && this.last.delete(name));
    return turn;
  },
};

/**
 * Where there are no locks (plain http in a home network): a lease in localStorage.
 * @template Result
 * @param {string} name
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
async function withLease(name, work) {
  const place = `${MODULE}.lease.${name}`;
  while (!(await took(place))) await pause(RETRY);
  const renewal = setInterval(() => write(place), RENEWAL);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    if (holder(place) === TAB) window.localStorage.removeItem(place);
  }
}

/** @param {string} place @returns {Promise<boolean>} */
async function took(place) {
  if (holder(place) !== null) return false;
  write(place);
  await pause(SETTLE);
  return holder(place) === TAB;
}

/** Who holds the lease; null where nobody does. @param {string} place @returns {string|null} */
function holder(place) {
  const [tab, until] = (window.localStorage.getItem(place) ?? "").split(" ");
  return tab && Number(until) > Date.now() ? tab : null;
}

/** @param {string} place */
function write(place) {
  window.localStorage.setItem(place, `${TAB} ${Date.now() + LEASE}`);
}

/** @param {number} milliseconds @returns {Promise<void>} */
function pause(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
