import { MODULE } from "./const.mjs";

/**
 * What a developer reads. A lost connection or a refused roll is no error: those are shown to people instead.
 */
export const log = Object.freeze({
  /** @param {...unknown} what */
  debug: (...what) => console.debug(`${MODULE} |`, ...what),
  /** @param {...unknown} what */
  error: (...what) => console.error(`${MODULE} |`, ...what),
});

/**
 * Let a promise run by itself: hooks and buttons do not wait. What goes wrong in it is logged.
 * @param {Promise<unknown>} work
 */
export function unattended(work) {
  work.catch((/** @type {unknown} */ error) => log.error(error));
}
