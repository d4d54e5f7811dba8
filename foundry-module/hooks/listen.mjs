/** @typedef {{on(name: string, listener: (...given: never[]) => unknown): number}} Listening */

/**
 * Listen to a hook of which the published types know other arguments than Foundry gives, or none.
 * @param {string} name
 * @param {(...given: never[]) => unknown} listener
 */
export function listen(name, listener) {
  const hooks = /** @type {Listening} */ (/** @type {unknown} */ (Hooks));
  hooks.on(name, listener);
}
