/** foundry.dice.terms: what a roll is made of. */

export class RollTerm {
  static SERIALIZE_ATTRIBUTES = [];
  isIntermediate = false;

  constructor({ options = {} } = {}) {
    this.options = options;
    this._evaluated = false;
  }

  get expression() { throw new Error("a term must say its expression"); }
  get flavor() { return this.options.flavor ?? ""; }
  get formula() { return this.flavor ? `${this.expression}[${this.flavor}]` : this.expression; }
  async evaluate() { this._evaluated = true; return this; }

  toJSON() {
    const json = { class: this.constructor.name, options: this.options, evaluated: this._evaluated };
    for (const name of this.constructor.SERIALIZE_ATTRIBUTES) json[name] = this[name];
    return json;
  }

  /** Make a term of the class that the record names. */
  static fromData({ class: className, evaluated, results, ...given }) {
    const termClass = TERMS[className] ?? CONFIG.Dice.termTypes?.[className];
    if (!termClass) throw new Error(`Unable to recreate ${className} instance from provided data`);
    const term = new termClass(structuredClone(given));
    term._evaluated = evaluated ?? true;
    if (results) term.results = structuredClone(results);
    return term;
  }
}

export class NumericTerm extends RollTerm {
  static SERIALIZE_ATTRIBUTES = ["number"];
  constructor({ number, ...rest }) { super(rest); this.number = Number(number); }
  get expression() { return String(this.number); }
  get total() { return this.number; }
}

export class OperatorTerm extends RollTerm {
  static SERIALIZE_ATTRIBUTES = ["operator"];
  constructor({ operator, ...rest }) { super(rest); this.operator = operator; }
  get expression() { return ` ${this.operator} `; }
  get total() { return ` ${this.operator} `; }
}

const COMPARISONS = {
  "=": (one, other) => one === other, ">=": (one, other) => one >= other, "<=": (one, other) => one <= other,
  ">": (one, other) => one > other, "<": (one, other) => one < other,
};

export class Die extends RollTerm {
  static DENOMINATION = "d";
  static SERIALIZE_ATTRIBUTES = ["number", "faces", "modifiers", "results"];

  constructor({ number = 1, faces = 6, modifiers = [], results = [], ...rest }) {
    super(rest);
    Object.assign(this, { number, faces, modifiers, results });
  }

  get denomination() { return `d${this.faces}`; }
  get expression() { return `${this.number}d${this.faces}${this.modifiers.join("")}`; }
  get dice() { return [this]; }
  get values() { return this.results.filter(result => result.active).map(result => result.result); }

  get total() {
    if (!this._evaluated) return undefined;
    return this.results.filter(result => result.active).reduce((sum, result) => sum + (result.count ?? result.result), 0);
  }

  async evaluate() {
    for (let thrown = 0; thrown < this.number; thrown++) {
      this.results.push({ result: await this.#throwOne(), active: true });
    }
    for (const modifier of this.modifiers) this.#apply(modifier);
    this._evaluated = true;
    return this;
  }

  /** Ask the fulfilment method that is set for this die, and throw at random where none is. */
  async #throwOne() {
    const { methods, defaultMethod } = CONFIG.Dice.fulfillment;
    const chosen = game.settings.get("core", "diceConfiguration")[this.denomination] || defaultMethod;
    const { handler, interactive } = methods[chosen] ?? {};
    const given = handler && !interactive ? await handler(this, {}) : undefined;
    return given ?? Math.ceil((1 - CONFIG.Dice.randomUniform()) * this.faces);
  }

  #apply(modifier) {
    const [, kind, comparison, number] = modifier.match(/^(kh|kl|k|dh|dl|d|cs|cf)(>=|<=|>|<|=)?(\d+)?$/) ?? [];
    if (!kind) throw new Error(`The stand-in does not know the dice modifier ${modifier}`);
    if (kind === "cs" || kind === "cf") {
      for (const result of this.results) this.#count(result, kind, COMPARISONS[comparison ?? "="], Number(number ?? (kind === "cs" ? this.faces : 1)));
      return;
    }
    const ordered = this.results.filter(result => result.active).sort((one, other) => one.result - other.result);
    const amount = Number(number ?? 1);
    const lowestGo = { kh: ordered.length - amount, k: ordered.length - amount, dl: amount, d: amount }[kind];
    const dropped = lowestGo === undefined
      ? ordered.slice(kind === "kl" ? amount : ordered.length - amount)
      : ordered.slice(0, Math.max(0, lowestGo));
    for (const result of dropped) Object.assign(result, { active: false, discarded: true });
  }

  #count(result, kind, holds, against) {
    const held = holds(result.result, against);
    if (kind === "cs") Object.assign(result, { success: held, count: held ? 1 : 0 });
    else Object.assign(result, { failure: held, count: held ? 0 : 1 });
  }

  getResultLabel(result) { return String(result.result); }

  getResultCSS(result) {
    const counted = result.success !== undefined || result.failure !== undefined;
    return [
      this.constructor.name.toLowerCase(), this.denomination,
      result.success && "success", result.failure && "failure", result.rerolled && "rerolled",
      result.exploded && "exploded", result.discarded && "discarded",
      !counted && result.result === 1 && "min", !counted && result.result === this.faces && "max",
    ].filter(Boolean);
  }

  getTooltipData() {
    return {
      formula: this.expression, total: this.total, faces: this.faces, flavor: this.flavor,
      rolls: this.results.map(result => ({ result: this.getResultLabel(result), classes: this.getResultCSS(result).join(" ") })),
    };
  }
}

/** Classes by the name that serialised rolls carry. */
export const TERMS = { Die, NumericTerm, OperatorTerm };

/** Split a formula into terms: dice with modifiers, whole numbers, + − * and /. */
export function parseFormula(formula) {
  const terms = [];
  let rest = formula.trim();
  while (rest) {
    const dice = rest.match(/^(\d*)d(\d+)((?:kh|kl|k|dh|dl|d|cs|cf|x|r)(?:[<>]=?|=)?\d*)*(?:\[([^\]]*)\])?/i);
    const other = rest.match(/^(\d+(?:\.\d+)?)(?:\[([^\]]*)\])?/) ?? rest.match(/^[+\-*/]/);
    const found = dice ?? other;
    if (!found) throw new Error(`Unresolved formula "${formula}" at "${rest}"`);
    if (dice) {
      const modifiers = found[0].replace(/^\d*d\d+/i, "").replace(/\[.*$/, "").match(/(kh|kl|k|dh|dl|d|cs|cf|x|r)([<>]=?|=)?\d*/gi) ?? [];
      terms.push(new Die({ number: Number(found[1] || 1), faces: Number(found[2]), modifiers, options: found[4] ? { flavor: found[4] } : {} }));
    } else if (found[1] !== undefined) {
      terms.push(new NumericTerm({ number: found[1], options: found[2] ? { flavor: found[2] } : {} }));
    } else {
      terms.push(new OperatorTerm({ operator: found[0] }));
    }
    rest = rest.slice(found[0].length).trim();
  }
  return terms;
}
