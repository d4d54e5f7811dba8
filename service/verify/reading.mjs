/** Sessions and rolls in what somebody saved: answers of the API, or an export. */

const CHAINS = { public: "open", gm: "hidden", blind: "hidden", self: "self" };

/** The first number of `self` rolls; those of the other hidden rolls are below it. */
export const SELF_FIRST = 1_000_000_001;

/** What was read is no session or roll of this service. */
export class NotAsPublished extends Error {}

/** @returns {{ sessions: object[], rolls: object[], troubles: string[] }} `troubles`: of exports that are not whole */
export function read(content) {
  const found = { sessions: [], rolls: [], troubles: [] };
  const exports = new WholeExports();
  for (const value of values(content)) {
    exports.lookAt(value);
    take(value, found);
  }
  found.troubles = exports.troubles();
  return found;
}

/** Keep a session; of several answers, as from before and after its end, the one that says most. */
export function keepSession(sessions, session) {
  const known = sessions.get(session.id) ?? session;
  const [most, other] = saysMore(known, session) ? [known, session] : [session, known];
  const twoCommitments = known.twoCommitments || known.commitment !== session.commitment;
  sessions.set(session.id, { ...most, twoCommitments: twoCommitments || other.twoCommitments });
}

/** Whether `one` says more of a session than `other`. */
function saysMore(one, other) {
  const [mine, theirs] = [one, other].map((session) => [
    session.seed !== null, session.hiddenCommitment !== null, session.hiddenSeed !== null,
    session.lastSeq ?? 0, -session.unresolved.length - session.hiddenUnresolved.length,
  ]);
  const place = mine.findIndex((value, at) => value !== theirs[at]);
  return place >= 0 && mine[place] > theirs[place];
}

/** Keep a roll; a copy that says the same, or less, is none more: others are shown less of it. */
export function keepRoll(rolls, roll) {
  const several = rolls.get(roll.id) ?? [];
  rolls.set(roll.id, several);
  const place = several.findIndex((known) => copies(known, roll));
  const shown = (each) => 2 * (each.nonce !== null) + (each.seq !== null);
  if (place < 0) several.push(roll);
  else if (shown(roll) > shown(several[place])) several[place] = roll;
}

/** Whether two are one roll as different people are shown it: without its number, or its dice. */
function copies(one, other) {
  if (one.nonce === null || other.nonce === null) return one.chain === "hidden" && other.chain === "hidden";
  const bare = (each) => JSON.stringify({ ...each, seq: null });
  return bare(one) === bare(other) && (one.seq === other.seq || one.seq === null || other.seq === null);
}

/** Whether each export in a file is there to its end, with as many sessions and rolls as that counts. */
class WholeExports {
  #troubles = [];
  #begun = false;
  #sessions = 0;
  #rolls = 0;

  lookAt(value) {
    if (!isObject(value)) return;
    if ("tallybones" in value) {
      this.#finish(null);
      [this.#begun, this.#sessions, this.#rolls] = [true, 0, 0];
    }
    this.#sessions += isObject(value.session);
    this.#rolls += isObject(value.roll);
    if (isObject(value.end)) this.#finish(value.end);
  }

  troubles() {
    this.#finish(null);
    return this.#troubles;
  }

  #finish(end) {
    if (!this.#begun) return;
    this.#begun = false;
    if (!end) this.#troubles.push("It is not whole: its end is missing. Export again.");
    else if (end.sessions !== this.#sessions || end.rolls !== this.#rolls) {
      this.#troubles.push(`Sessions or rolls were taken out or put in: its end counts ${end.sessions} and `
        + `${end.rolls}, here are ${this.#sessions} and ${this.#rolls}.`);
    }
  }
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** Yield one JSON value, or one a line. */
function* values(content) {
  const trimmed = content.trim();
  if (!trimmed) return;
  try {
    yield JSON.parse(trimmed);
    return;
  } catch (error) {
    if (!trimmed.includes("\n")) throw new NotAsPublished("This is not JSON.", { cause: error });
  }
  let number = 0;
  for (const line of content.split("\n")) {
    number += 1;
    if (!line.trim()) continue;
    try {
      yield JSON.parse(line);
    } catch (error) {
      throw new NotAsPublished(`Line ${number} is not JSON.`, { cause: error });
    }
  }
}

function take(value, found, depth = 0) {
  if (depth > 6 || value === null || typeof value !== "object") return;
  if (Array.isArray(value)) {
    for (const each of value) take(each, found, depth + 1);
  } else if ("commitment" in value && "started_at" in value) {
    found.sessions.push(session(value));
  } else if ("session" in value && "visibility" in value) {
    if (value.status === "resolved") found.rolls.push(roll(value));
  } else {
    for (const name of ["session", "sessions", "roll", "rolls"]) take(value[name], found, depth + 1);
  }
}

function session(shown) {
  if (optional(shown, "seed", text) !== null) {
    whole(shown, "last_seq");
    if ((shown.ended_at ?? null) !== null) whole(shown, "rolls");
  }
  const lastSelf = optional(shown, "self_last_seq", whole); // counted from 1, as all others
  return {
    id: text(shown, "id"),
    commitment: text(shown, "commitment"),
    seed: optional(shown, "seed", text),
    hiddenCommitment: optional(shown, "hidden_commitment", text),
    hiddenSeed: optional(shown, "hidden_seed", text),
    rolls: optional(shown, "rolls", whole),
    lastSeq: optional(shown, "last_seq", whole),
    hiddenLastSeq: optional(shown, "hidden_last_seq", whole),
    deleted: optional(shown, "deleted", numbers) ?? [],
    hiddenDeleted: optional(shown, "hidden_deleted", numbers) ?? [],
    selfLastSeq: lastSelf === null ? null : SELF_FIRST - 1 + lastSelf,
    selfDeleted: optional(shown, "self_deleted", numbers) ?? [],
    unresolved: optional(shown, "unresolved", numbers) ?? [],
    hiddenUnresolved: optional(shown, "hidden_unresolved", numbers) ?? [],
    selfUnresolved: optional(shown, "self_unresolved", numbers) ?? [],
  };
}

function roll(shown) {
  const told = shown.fairness ?? shown;
  const chain = CHAINS[text(shown, "visibility")];
  if (!chain) throw lacking("visibility");
  return {
    id: text(shown, "id"),
    session: text(shown, "session"),
    seq: optional(shown, "seq", whole),
    chain,
    nonce: optional(told, "nonce", text),
    commitment: optional(told, "commitment", text),
    faces: dice(shown).map((die) => whole(die, "faces")),
    values: dice(shown).map((die) => whole(die, "value")),
    user: optional(shown, "user", text),
    own: dice(shown).map((die) => die.role !== "opponent"),
    other: optional(shown, "answers", text) ?? optional(shown, "answered_by", text),
    theirs: shown.opponent ? dice(shown.opponent).map((die) => ({ faces: whole(die, "faces"), value: whole(die, "value") })) : null,
    formula: optional(shown.odds ?? {}, "formula", text),
    undecided: (shown.outcome ?? null) === null,
  };
}

function dice(shown) {
  const found = shown.dice ?? [];
  if (!Array.isArray(found) || found.some((die) => !(die?.faces >= 1 && die.faces <= 2 ** 32))) throw lacking("dice");
  return found;
}

function optional(shown, name, read) {
  return shown[name] === undefined || shown[name] === null ? null : read(shown, name);
}

function text(shown, name) {
  if (typeof shown[name] !== "string") throw lacking(name);
  return shown[name];
}

function whole(shown, name) {
  if (!Number.isSafeInteger(shown[name])) throw lacking(name);
  return shown[name];
}

function numbers(shown, name) {
  if (!Array.isArray(shown[name]) || !shown[name].every(Number.isSafeInteger)) throw lacking(name);
  return shown[name];
}

const lacking = (name) => new NotAsPublished(`${name} is missing, or not as the service writes it.`);
