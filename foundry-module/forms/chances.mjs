/**
 * An exact chance in words that are true: exactly where that is short, else "about", never a rounding that
 * turns a chance into a certainty. The card says the same odds by the same rule.
 *
 * @typedef {object} Fraction
 * @property {bigint} over    Numerator, in lowest terms.
 * @property {bigint} under   Denominator.
 *
 * @typedef {object} Words    A key below `TALLYBONES.Chance` and what is put in.
 * @property {"Impossible"|"Certain"|"Even"|"Exactly"|"About"|"AboutEven"|"LessThanAMillionth"|"AllButAMillionth"} key
 * @property {{n: number, d: number}} [numbers]
 */

const EXACT_DENOMINATOR = 36n;
const EXACT_LONG_SHOT = 1_000_000n;
const ROUND_DENOMINATOR = 10n;

/**
 * @param {string} written  Such as "7/12".
 * @returns {Fraction}
 */
export function fraction(written) {
  const [over = "0", under = "1"] = written.split("/");
  return { over: BigInt(over), under: BigInt(under) };
}

/**
 * @param {Fraction} chance
 * @returns {Words}
 */
export function inWords({ over, under }) {
  if (over === 0n) return { key: "Impossible" };
  if (over === under) return { key: "Certain" };
  if (over * 2n === under) return { key: "Even" };
  const nearlySure = over === under - 1n;
  if (under <= EXACT_DENOMINATOR || ((over === 1n || nearlySure) && under <= EXACT_LONG_SHOT)) {
    return { key: "Exactly", numbers: { n: Number(over), d: Number(under) } };
  }
  if (over * 1_000_000n < under) return { key: "LessThanAMillionth" };
  if ((under - over) * 1_000_000n < under) return { key: "AllButAMillionth" };
  return about(over, under);
}

/**
 * @param {bigint} over
 * @param {bigint} under
 * @returns {Words}
 */
function about(over, under) {
  const unlikely = over * 2n < under;
  const small = unlikely ? over : under - over;
  if (small * ROUND_DENOMINATOR < under) {
    const oneIn = twoDigits(under, small);
    return { key: "About", numbers: { n: unlikely ? 1 : oneIn - 1, d: oneIn } };
  }
  const near = nearest(over, under);
  return near.n * 2 === near.d ? { key: "AboutEven" } : { key: "About", numbers: near };
}

/**
 * `over/under`, from 10 up, rounded to its first two digits.
 * @param {bigint} over
 * @param {bigint} under
 * @returns {number}
 */
function twoDigits(over, under) {
  const scale = 10n ** BigInt(String(over / under).length - 2);
  const step = under * scale;
  return Number(((over * 2n + step) / (step * 2n)) * scale);
}

/**
 * The fraction nearest to `over/under` whose denominator is at most 10.
 * @param {bigint} over
 * @param {bigint} under
 * @returns {{n: number, d: number}}
 */
function nearest(over, under) {
  let best = { n: 0n, d: 1n };
  for (let d = 1n; d <= ROUND_DENOMINATOR; d += 1n) {
    const n = (over * d * 2n + under) / (under * 2n);
    if (distance(n, d, over, under) * best.d * under < distance(best.n, best.d, over, under) * d * under) {
      best = { n, d };
    }
  }
  return { n: Number(best.n), d: Number(best.d) };
}

/**
 * The distance of n/d from over/under, times d times under.
 * @param {bigint} n
 * @param {bigint} d
 * @param {bigint} over
 * @param {bigint} under
 * @returns {bigint}
 */
function distance(n, d, over, under) {
  const apart = n * under - over * d;
  return apart < 0n ? -apart : apart;
}
