import { format, localize } from "../i18n.mjs";
import { fraction, inWords } from "./chances.mjs";

/**
 * @import { Chance, Odds } from "../api.mjs"
 *
 * @typedef {object} OutcomeShown
 * @property {string} name
 * @property {string} label
 * @property {string} mark     A sign, so that colour is not needed.
 * @property {string} words
 * @property {string} percent
 * @property {string} width    Of its bar, in CSS.
 *
 * @typedef {object} OddsShown
 * @property {string} words
 * @property {string} fraction
 * @property {string} percent
 * @property {boolean} settled  True when no dice are needed.
 * @property {OutcomeShown[]} outcomes
 * @property {string} [formula]
 */

const MARKS = /** @type {Record<string, string>} */ ({
  "critical-success": "★",
  success: "✓",
  "automatic-success": "✓",
  tie: "=",
  failure: "✗",
  "automatic-failure": "✗",
  "critical-failure": "✖",
});

/**
 * Say odds as a person would, and keep the exact fraction beside it.
 * @param {Odds} odds
 * @returns {OddsShown}
 */
export function shownOdds(odds) {
  const outcomes = Object.entries(odds.outcomes).map(([name, chance]) => ({
    name,
    label: localize(`TALLYBONES.Outcome.${name}`),
    mark: MARKS[name] ?? "",
    words: words(chance),
    percent: percent(chance),
    width: `${(chance.probability * 100).toFixed(2)}%`,
  }));
  return {
    words: words(odds.success),
    fraction: odds.success.fraction,
    percent: percent(odds.success),
    settled: outcomes.length === 1 && outcomes[0]?.name.startsWith("automatic") === true,
    outcomes,
    ...(odds.formula ? { formula: odds.formula } : {}),
  };
}

/**
 * @param {Chance} chance
 * @returns {string}
 */
function words(chance) {
  const { key, numbers } = inWords(fraction(chance.fraction));
  if (!numbers) return localize(`TALLYBONES.Chance.${key}`);
  const written = new Intl.NumberFormat(game.i18n.lang);
  return format(`TALLYBONES.Chance.${key}`, {
    n: written.format(numbers.n),
    d: written.format(numbers.d),
  });
}

/**
 * @param {Chance} chance
 * @returns {string}
 */
function percent({ probability, fraction: exact }) {
  const written = new Intl.NumberFormat(game.i18n.lang, { style: "percent", maximumFractionDigits: 1 });
  const { over, under } = fraction(exact);
  if (over !== 0n && probability < 0.001) return `< ${written.format(0.001)}`;
  if (over !== under && probability > 0.999) return `> ${written.format(0.999)}`;
  return written.format(probability);
}
