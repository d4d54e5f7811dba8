import { escape } from "../html.mjs";
import { words } from "../service/causes.mjs";
import { NotPaired, ServiceProblem, Unreachable } from "../service/errors.mjs";

/**
 * Show a notice. What comes from people's names or from the service is escaped here; nothing goes to the console.
 * @param {string} text
 * @param {"info"|"warning"} [kind]
 */
export function tell(text, kind = "info") {
  ui.notifications.notify(escape(text), kind, { console: false });
}

/**
 * Whether an error says that the service refused, is away, or does not know this browser: what people can be told.
 * @param {unknown} error
 * @returns {error is ServiceProblem|Unreachable|NotPaired}
 */
export function isRefusal(error) {
  return error instanceof ServiceProblem || error instanceof Unreachable || error instanceof NotPaired;
}

/**
 * Say in a notice why something could not be done; an error of our own goes on.
 * @param {unknown} error
 */
export function sayWhy(error) {
  if (!isRefusal(error)) throw error;
  tell(words(error), "warning");
}
