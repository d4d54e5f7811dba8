/** @import { RollRecord } from "../../api.mjs" */

/** The columns of a file of rolls: names as the service has them, so that files from anywhere fit together. */
const COLUMNS = /** @type {Array<[string, (roll: RollRecord) => unknown]>} */ ([
  ["id", (roll) => roll.id],
  ["created_at", (roll) => roll.created_at],
  ["session", (roll) => roll.session],
  ["user", (roll) => roll.user],
  ["user_name", (roll) => roll.user_name],
  ["actor", (roll) => roll.actor?.name],
  ["action", (roll) => roll.action],
  ["label", (roll) => roll.label],
  ["visibility", (roll) => roll.visibility],
  ["dice", (roll) => roll.dice.map(({ value, role, kept }) => `${role} ${value}${kept ? "" : " dropped"}`).join("; ")],
  ["score", (roll) => roll.total ?? roll.successes],
  ["target", (roll) => roll.target],
  ["margin", (roll) => roll.margin],
  ["outcome", (roll) => roll.outcome],
  ["odds_of_success", (roll) => roll.odds?.success.fraction],
]);

/** What a spreadsheet would take for a formula. A negative number is none. */
const FORMULA = /^[=+@\t\r]|^-(?!\d+$)/;

/**
 * Write rolls as CSV (RFC 4180).
 * @param {readonly RollRecord[]} rolls
 * @returns {string}
 */
export function asCsv(rolls) {
  const lines = [COLUMNS.map(([name]) => name), ...rolls.map((roll) => COLUMNS.map(([, read]) => cell(read(roll))))];
  return lines.map((cells) => `${cells.join(",")}\r\n`).join("");
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function cell(value) {
  const text = String(value ?? "");
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
