/**
 * From the dice of a roll to what `Roll.fromData` takes: Foundry shows, and 3D dice throw, exactly the faces that fell.
 *
 * @import { DieResult, RollRecord } from "../api.mjs"
 *
 * @typedef {{result: number, active: boolean, success?: boolean, count?: number, discarded?: boolean}} Result
 * @typedef {{class: "Die", evaluated: true, options: object, number: number, faces: number, modifiers: string[], results: Result[]}} DieTerm
 * @typedef {{class: "OperatorTerm", evaluated: true, options: object, operator: "+"|"-"}} OperatorTerm
 * @typedef {{class: "NumericTerm", evaluated: true, options: object, number: number}} NumericTerm
 * @typedef {DieTerm|OperatorTerm|NumericTerm} Term
 * @typedef {{class: "Roll", formula: string, total: number, evaluated: true, options: object, dice: [], terms: Term[]}} RollData
 *
 * @typedef {{operator: "+"|"-", number: number, faces: number, modifiers: string[]}} Hand  One NdF of a formula.
 */

/** A hand of dice, and the modifiers that can stand behind it, in the formulas that the service writes. */
const HAND = /^(\d+)d(\d+)((?:(?:kh|kl|dh|dl|cs|cf)(?:>=|<=|>|<|=)?\d*)*)$/;
const MODIFIER = /(?:kh|kl|dh|dl|cs|cf)(?:>=|<=|>|<|=)?\d*/g;

/**
 * The rolls of a record: the roller's own, and the other side's where it threw. Empty where nothing was thrown.
 * @param {Pick<RollRecord, "dice"|"odds"|"target"|"total"|"successes"|"opponent">} record
 * @returns {RollData[]}
 */
export function rollsOf(record) {
  const { dice, odds, opponent, target } = record;
  const own = dice.filter((die) => die.role !== "opponent");
  const creatures = dice.filter((die) => die.role === "opponent");
  const score = record.successes ?? record.total ?? null;
  const rolls = [];
  if (own.length) rolls.push(rollOf(own, score, odds?.formula ?? null));
  if (creatures.length) rolls.push(rollOf(creatures, target ?? null, null));
  if (opponent?.dice?.length) rolls.push(rollOf(opponent.dice, opponent.points ?? null, null));
  return rolls;
}

/**
 * One side's dice as a roll. The formula says how they were read, where it fits them; else they are added up.
 * @param {readonly DieResult[]} dice
 * @param {number|null} score   What the side came to.
 * @param {string|null} formula
 * @returns {RollData}
 */
export function rollOf(dice, score, formula) {
  const hands = (formula ? handsOf(formula, dice) : null) ?? plainHands(dice);
  const left = [...dice];
  /** @type {Term[]} */
  const terms = [];
  for (const { operator, number, faces, modifiers } of hands) {
    const counted = modifiers.some((modifier) => modifier.startsWith("cs"));
    const results = left.splice(0, number).map((die) => resultOf(die, counted));
    join(terms, operator, { class: "Die", evaluated: true, options: {}, number, faces, modifiers, results });
  }
  const thrown = sum(terms);
  const counts = hands.some(({ modifiers }) => modifiers.some((modifier) => modifier.startsWith("cs")));
  const added = score === null || counts ? 0 : score - thrown;
  if (added) {
    join(terms, added > 0 ? "+" : "-", { class: "NumericTerm", evaluated: true, options: {}, number: Math.abs(added) });
  }
  return { class: "Roll", formula: formulaOf(terms), total: score ?? thrown, evaluated: true, options: {}, dice: [], terms };
}

/**
 * The hands of a formula such as "4d6cs>=4 - 2d6cs>=5" or "2d6 + 5"; null where it does not fit the dice.
 * @param {string} formula
 * @param {readonly DieResult[]} dice
 * @returns {Hand[]|null}
 */
function handsOf(formula, dice) {
  const pieces = formula.split(/\s+([+-])\s+/);
  /** @type {Hand[]} */
  const hands = [];
  for (let at = 0; at < pieces.length; at += 2) {
    const piece = pieces[at] ?? "";
    if (/^\d+$/.test(piece)) continue; // what is added follows from the score
    const [, number, faces, modifiers = ""] = HAND.exec(piece) ?? [];
    if (!number || !faces) return null;
    const operator = pieces[at - 1] === "-" ? "-" : "+";
    hands.push({ operator, number: Number(number), faces: Number(faces), modifiers: modifiers.match(MODIFIER) ?? [] });
  }
  const faces = hands.flatMap((hand) => new Array(hand.number).fill(hand.faces));
  const fits = faces.length === dice.length && dice.every((die, at) => die.faces === faces[at]);
  return fits ? hands : null;
}

/**
 * Dice of which no formula is known: each run of equal dice is a hand, and what was dropped says which are kept.
 * @param {readonly DieResult[]} dice
 * @returns {Hand[]}
 */
function plainHands(dice) {
  /** @type {DieResult[][]} */
  const runs = [];
  for (const die of dice) {
    const run = runs.at(-1);
    if (run?.[0]?.faces === die.faces) run.push(die);
    else runs.push([die]);
  }
  return runs.map((run) => ({ operator: "+", number: run.length, faces: run[0]?.faces ?? 6, modifiers: keeping(run) }));
}

/**
 * The modifier that leaves the dice that were kept.
 * @param {readonly DieResult[]} run
 * @returns {string[]}
 */
function keeping(run) {
  const kept = run.filter((die) => die.kept).map((die) => die.value);
  const dropped = run.filter((die) => !die.kept).map((die) => die.value);
  if (!dropped.length) return [];
  return [`${Math.min(...kept) >= Math.max(...dropped) ? "kh" : "kl"}${kept.length}`];
}

/**
 * @param {DieResult} die
 * @param {boolean} counted  Whether successes are counted, not pips.
 * @returns {Result}
 */
function resultOf({ value, kept, counts }, counted) {
  if (!kept) return { result: value, active: false, discarded: true };
  if (!counted) return { result: value, active: true };
  return { result: value, active: true, success: Boolean(counts), count: counts ? 1 : 0 };
}

/**
 * Put a term behind the others with its sign.
 * @param {Term[]} terms
 * @param {"+"|"-"} operator
 * @param {DieTerm|NumericTerm} term
 */
function join(terms, operator, term) {
  if (terms.length) terms.push({ class: "OperatorTerm", evaluated: true, options: {}, operator });
  terms.push(term);
}

/** What Foundry would come to with these terms. @param {readonly Term[]} terms @returns {number} */
function sum(terms) {
  let total = 0;
  let sign = 1;
  for (const term of terms) {
    if (term.class === "OperatorTerm") sign = term.operator === "-" ? -1 : 1;
    else total += sign * valueOf(term);
  }
  return total;
}

/** @param {DieTerm|NumericTerm} term @returns {number} */
function valueOf(term) {
  if (term.class === "NumericTerm") return term.number;
  return term.results.filter(({ active }) => active).reduce((total, { count, result }) => total + (count ?? result), 0);
}

/** @param {readonly Term[]} terms @returns {string} */
function formulaOf(terms) {
  return terms
    .map((term) => {
      if (term.class === "OperatorTerm") return ` ${term.operator} `;
      if (term.class === "NumericTerm") return String(term.number);
      return `${term.number}d${term.faces}${term.modifiers.join("")}`;
    })
    .join("");
}
