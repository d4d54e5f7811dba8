/**
 * Checking a session's rolls: finds and names the same faults as `tallybones verify`, but for those that take the rules
 * of the game: what the dice come to, and how many of them a creature throws.
 */

import { Dice, keeps, seedBytes } from "./dice.mjs";
import { SELF_FIRST } from "./reading.mjs";

const MOST_MISSING = 1000;
const MOST_COMPARED = 200;
/** One hand of a formula, or a number that is added. */
const HAND = /^(?:(?<number>[0-9]{1,3})d(?<faces>[0-9]{1,10})(?:k[hl][0-9]+|cs>=[0-9]+)?|[0-9]{1,10})$/;
const LONGEST_FORMULA = 200;

/**
 * @param {object} session as reading.mjs reads it
 * @param {object[]} rolls
 * @returns {Promise<{session: string, rolls: number, dice: number, unchecked: number, alone: number, deleted: number[],
 *   hiddenDeleted: number[], unresolved: number[], hiddenUnresolved: number[], unanswered: string[],
 *   findings: {fault: string, roll: string | null, says: string}[]}>} `alone` are `self` rolls among the unchecked;
 *   of what is deleted or unresolved the session is taken at its word.
 */
export async function check(session, rolls) {
  const checked = { session: session.id, rolls: rolls.length, dice: 0, unchecked: 0, alone: 0,
    deleted: [], hiddenDeleted: [], unresolved: [], hiddenUnresolved: [], unanswered: [], findings: [] };
  const find = (fault, roll, says) => checked.findings.push({ fault, roll, says });
  const ours = rolls.filter((roll) => {
    const here = roll.session === session.id && roll.id.startsWith(`${session.id}-`);
    if (!here) find("other-session", roll.id, `Roll ${roll.id} belongs to another session.`);
    return here;
  });
  const chains = [
    { name: "open", first: 1, commitment: session.commitment, seed: session.seed, last: session.lastSeq, deleted: session.deleted, unresolved: session.unresolved },
    { name: "hidden", first: 1, commitment: session.hiddenCommitment, seed: session.hiddenSeed, last: session.hiddenLastSeq, deleted: session.hiddenDeleted, unresolved: session.hiddenUnresolved },
    { name: "self", first: SELF_FIRST, commitment: session.hiddenCommitment, seed: session.hiddenSeed, last: session.selfLastSeq, deleted: session.selfDeleted, unresolved: session.selfUnresolved },
  ];
  for (const chain of chains) {
    const found = ours.filter((roll) => roll.chain === chain.name);
    const dice = await diceOf(session, chain, find);
    for (const roll of found) {
      if (chain.commitment !== null && roll.commitment !== null && roll.commitment !== chain.commitment) {
        find("other-commitment", roll.id, `Roll ${roll.id} names a commitment that its session does not.`);
      }
    }
    checkNumbers(checked, chain, found, find);
    await checkDice(checked, dice, found, find);
    for (const roll of found) checkFormula(roll, find);
  }
  checked.unanswered = ours.filter((roll) => roll.undecided && roll.nonce !== null && !roll.faces.length).map(({ id }) => id);
  if (session.twoCommitments) {
    find("other-commitment", null, `Session ${session.id} is there more than once, with different commitments.`);
  }
  checkOtherSides(checked, ours, find);
  checkIdsAndNumber(session, chains, rolls, find);
  return checked;
}

/** The dice that follow from a chain's seed, null where it is not known, or not the right one. */
async function diceOf(session, chain, find) {
  const toTheGm = session.hiddenCommitment !== null || session.hiddenLastSeq !== null;
  if (chain.name === "hidden" && session.seed && toTheGm && !session.hiddenSeed) {
    find("wrong-seed", null, "The seed of the hidden rolls is not shown, though the session has ended.");
  }
  if (chain.seed === null) return null;
  const bytes = seedBytes(chain.seed);
  if (bytes && chain.commitment && await keeps(session.id, bytes, chain.commitment)) return new Dice(bytes);
  if (chain.name !== "self") {
    const which = chain.name === "open" ? "seed" : "seed of the hidden rolls";
    find("wrong-seed", null, `The ${which} is not the one that session ${session.id} committed to.`);
  }
  return null;
}

function checkNumbers(checked, chain, rolls, find) {
  const byNumber = grouped(rolls);
  for (const [number, several] of [...byNumber].sort(([one], [other]) => one - other)) {
    if (several.length > 1) {
      const ids = several.map((roll) => roll.id).join(", ");
      find("extra-roll", several.at(-1).id, `${several.length} rolls have number ${number}: ${ids}.`);
    }
    if (number < chain.first || number > (chain.last ?? number) || chain.deleted.includes(number)) {
      find("extra-roll", several[0].id, `Roll ${several[0].id} has number ${number}, which the session gave to none.`);
    }
  }
  const last = [...byNumber.keys(), ...chain.deleted, chain.last ?? 0].reduce((one, other) => Math.max(one, other), 0);
  const which = chain.name === "open" ? "" : ` of the ${chain.name} rolls`;
  const waiting = [...new Set(chain.unresolved)].filter((number) => !byNumber.has(number));
  const known = new Set([...byNumber.keys(), ...chain.deleted, ...waiting]);
  let missing = 0;
  for (let number = chain.first; number <= last && missing < MOST_MISSING; number += 1) {
    if (!known.has(number)) {
      missing += 1;
      find("missing-roll", null, `Number ${number}${which} is missing.`);
    }
  }
  checked[chain.name === "open" ? "deleted" : "hiddenDeleted"].push(...chain.deleted.toSorted((one, other) => one - other));
  checked[chain.name === "open" ? "unresolved" : "hiddenUnresolved"].push(...waiting);
}

function grouped(rolls) {
  const groups = new Map();
  for (const roll of rolls) {
    if (roll.seq !== null) groups.set(roll.seq, [...groups.get(roll.seq) ?? [], roll]);
  }
  return groups;
}

async function checkDice(checked, dice, rolls, find) {
  const wrong = [];
  for (const roll of rolls) {
    const told = roll.seq !== null && roll.nonce !== null;
    if (!dice || (!told && roll.chain === "self")) {
      checked.unchecked += 1;
      if (roll.chain === "self") checked.alone += 1;
      continue;
    }
    if (!told) {
      const what = roll.nonce === null ? "nonce" : "number";
      find("missing-nonce", roll.id, `Roll ${roll.id} is shown without its ${what}, so its dice cannot be checked.`);
      continue;
    }
    checked.dice += roll.faces.length;
    if (!await follows(dice, roll, roll.seq, roll.nonce)) wrong.push(roll);
  }
  for (const roll of wrong) {
    const twin = rolls.find((other) => other !== roll && other.user === roll.user && other.nonce === roll.nonce);
    if (twin) {
      find("swapped-nonce", roll.id, `Roll ${roll.id} bears the nonce of roll ${twin.id}, and its dice do not follow from it.`);
    } else {
      await name(dice, roll, wrong.slice(0, MOST_COMPARED), find);
    }
  }
}

async function follows(dice, roll, seq, nonce) {
  const expected = await dice.thrown(roll.session, seq, nonce, roll.faces);
  return expected.every((value, place) => value === roll.values[place]);
}

/** Say what is wrong with a roll whose dice do not follow, as exactly as it can be told. */
async function name(dice, roll, wrong, find) {
  for (const other of wrong) {
    if (other === roll) continue;
    if (other.nonce !== roll.nonce && await follows(dice, roll, roll.seq, other.nonce)
      && await follows(dice, other, other.seq, roll.nonce)) {
      find("swapped-nonce", roll.id, `Roll ${roll.id} bears the nonce of roll ${other.id}: swapped.`);
      return;
    }
    if (other.seq !== roll.seq && await follows(dice, roll, other.seq, roll.nonce)
      && await follows(dice, other, roll.seq, other.nonce)) {
      find("swapped-number", roll.id, `Roll ${roll.id} bears the number of roll ${other.id}: swapped.`);
      return;
    }
  }
  const expected = await dice.thrown(roll.session, roll.seq, roll.nonce, roll.faces);
  const places = [...roll.values.keys()].filter((place) => roll.values[place] !== expected[place]);
  if (places.length === 1) {
    const [place] = places;
    find("changed-die", roll.id,
      `Die ${place + 1} of roll ${roll.id} (d${roll.faces[place]}) shows ${roll.values[place]}, but was thrown as ${expected[place]}.`);
    return;
  }
  find("dice-do-not-follow", roll.id,
    `The dice of roll ${roll.id} do not follow from seed, number and nonce (${places.length} of ${roll.values.length} differ): its nonce, its number or its dice were changed.`);
}

/** Find dice that are left out of the roller's own, or put there. */
function checkFormula(roll, find) {
  const thrown = roll.formula === null ? null : thrownBy(roll.formula);
  if (!thrown) return;
  const own = roll.faces.filter((_, place) => roll.own[place]);
  const by = `its formula ${roll.formula}`;
  const more = own.length - thrown.length;
  if (more < 0) find("missing-die", roll.id, `Roll ${roll.id} shows ${own.length} of the ${thrown.length} dice that ${by} throws.`);
  else if (more > 0) find("extra-die", roll.id, `Roll ${roll.id} shows ${own.length} dice, ${more} more than ${by} throws.`);
  else {
    const place = own.findIndex((faces, at) => faces !== thrown[at]);
    if (place >= 0) find("changed-die", roll.id, `Die ${place + 1} of roll ${roll.id} is a d${own[place]}, but ${by} throws a d${thrown[place]}.`);
  }
}

/** Find rolls that show other dice of their other side than that has thrown. */
function checkOtherSides({ findings }, rolls, find) {
  const wrong = new Set(findings.map((finding) => finding.roll));
  const right = new Map(rolls.filter((roll) => !wrong.has(roll.id)).map((roll) => [roll.id, roll]));
  for (const roll of rolls) {
    const other = right.get(roll.other);
    if (!other || !roll.theirs) continue;
    const same = roll.theirs.length === other.faces.length
      && roll.theirs.every(({ faces, value }, place) => faces === other.faces[place] && value === other.values[place]);
    if (!same) find("other-side", roll.id, `Roll ${roll.id} shows dice of its other side that roll ${other.id} did not throw.`);
  }
}

/** The faces of the dice that a formula throws, null where it is none that the rules write. @returns {number[] | null} */
function thrownBy(formula) {
  if (formula.length > LONGEST_FORMULA) return null;
  const hands = formula.split(/ [+-] /).map((piece) => HAND.exec(piece)?.groups);
  if (hands.includes(undefined)) return null;
  return hands.flatMap(({ number, faces }) => new Array(Number(number ?? 0)).fill(Number(faces)));
}

function checkIdsAndNumber(session, chains, rolls, find) {
  const times = new Map();
  for (const roll of rolls) times.set(roll.id, (times.get(roll.id) ?? 0) + 1);
  for (const [roll, number] of times) {
    if (number > 1) find("extra-roll", roll, `Roll ${roll} is there ${number} times.`);
  }
  // Those resolved since the session was read are not in its number; of a player's hidden rolls each may be.
  const waited = new Map(chains.map(({ name, unresolved }) => [name, unresolved]));
  const since = rolls.filter(({ seq, chain }) => seq === null || waited.get(chain).includes(seq)).length;
  if (session.rolls === null || (session.rolls <= rolls.length && rolls.length <= session.rolls + since)) return;
  find(rolls.length < session.rolls ? "missing-roll" : "extra-roll", null,
    `The session counts ${session.rolls} rolls, here are ${rolls.length}.`);
}
