/**
 * The world's messages. The published types lose what a stored message is, so it is said here once.
 */

/** @returns {ChatMessage[]} */
export function messages() {
  return /** @type {ChatMessage[]} */ (/** @type {unknown} */ (game.messages.contents));
}

/**
 * @param {string} id
 * @returns {ChatMessage|null}
 */
export function messageById(id) {
  return /** @type {ChatMessage|null} */ (/** @type {unknown} */ (game.messages.get(id) ?? null));
}

/**
 * Where a message is on screen: in the sidebar, in a window of its own.
 * @param {ChatMessage} message
 * @returns {HTMLElement[]}
 */
export function shownOf(message) {
  const shown = document.querySelectorAll(`[data-message-id="${CSS.escape(message.id ?? "")}"]`);
  return [...shown].filter((html) => html instanceof HTMLElement);
}
