import { deprecated } from "./observed.mjs";
import { isV14 } from "./release.mjs";
import { Die, OperatorTerm, RollTerm, parseFormula } from "./dice-terms.mjs";

const OPERATIONS = {
  "+": (one, other) => one + other, "-": (one, other) => one - other,
  "*": (one, other) => one * other, "/": (one, other) => one / other,
};

export class Roll {
  static CHAT_TEMPLATE = "templates/dice/roll.hbs";
  static TOOLTIP_TEMPLATE = "templates/dice/tooltip.hbs";

  constructor(formula, data = {}, options = {}) {
    Object.assign(this, { data, options, terms: parseFormula(String(formula)), _dice: [], _evaluated: false });
    this._formula = Roll.getFormula(this.terms);
  }

  static create(formula, data = {}, options = {}) { return new CONFIG.Dice.rolls[0](formula, data, options); }
  static get defaultImplementation() { return CONFIG.Dice.rolls[0]; }
  static getFormula(terms) { return terms.map(term => term.formula).join(""); }

  static validate(formula) {
    try { return parseFormula(formula).length > 0; } catch { return false; }
  }

  get formula() { return this._formula; }
  get result() { return this.terms.map(term => term.total).join(""); }
  get total() { return Number(this._total) || 0; }
  get dice() { return this._dice.concat(this.terms.flatMap(term => term.dice ?? [])); }
  get isDeterministic() { return !this.dice.length; }

  async evaluate() {
    if (this._evaluated) throw new Error(`The ${this.constructor.name} has already been evaluated and is now immutable`);
    for (const term of this.terms) if (!term._evaluated) await term.evaluate();
    this._total = this._sum();
    this._evaluated = true;
    return this;
  }

  async roll(options) { return this.evaluate(options); }

  /** Multiplication before addition, left to right. */
  _sum() {
    const sums = [{ sign: "+", value: 0 }];
    let operator = "+";
    for (const term of this.terms) {
      if (term instanceof OperatorTerm) { operator = term.operator; continue; }
      if (operator === "+" || operator === "-") sums.push({ sign: operator, value: term.total });
      else sums.at(-1).value = OPERATIONS[operator](sums.at(-1).value, term.total);
    }
    return sums.reduce((sum, { sign, value }) => OPERATIONS[sign](sum, value), 0);
  }

  async getTooltip() {
    const parts = this.dice.map(term => term.getTooltipData());
    return foundry.applications.handlebars.renderTemplate(this.constructor.TOOLTIP_TEMPLATE, { parts });
  }

  /** What the chat shows of the roll; a private one shows question marks. */
  async render({ flavor, template = this.constructor.CHAT_TEMPLATE, isPrivate = false } = {}) {
    if (!this._evaluated) await this.evaluate();
    return foundry.applications.handlebars.renderTemplate(template, {
      formula: isPrivate ? "???" : this._formula, flavor: isPrivate ? null : flavor ?? this.options.flavor,
      user: game.user.id, tooltip: isPrivate ? "" : await this.getTooltip(),
      total: isPrivate ? "?" : Math.round(this.total * 100) / 100,
    });
  }

  async toMessage(messageData = {}, options = {}) {
    const { create = true } = options;
    if (!this._evaluated) await this.evaluate();
    const message = { rolls: [this], sound: CONFIG.sounds.dice, author: game.user.id, content: String(this.total), ...messageData };
    if (isV14) {
      if ("rollMode" in options) deprecated("option rollMode of Roll#toMessage");
      ChatMessage.applyMode(message, options.messageMode ?? game.settings.get("core", "messageMode"));
    } else {
      ChatMessage.applyRollMode(message, options.rollMode ?? game.settings.get("core", "rollMode"));
    }
    return create ? ChatMessage.create(message) : message;
  }

  toJSON() {
    return {
      class: this.constructor.name, options: this.options, dice: this._dice, formula: this._formula,
      terms: this.terms.map(term => term.toJSON()), total: this.total, evaluated: this._evaluated,
    };
  }

  static fromData(data) {
    if (data.class && data.class !== this.name) {
      const rollClass = CONFIG.Dice.rolls.find(known => known.name === data.class);
      if (!rollClass) throw new Error(`Unable to recreate ${data.class} instance from provided data`);
      return rollClass.fromData(data);
    }
    const roll = new this(data.formula, data.data, data.options);
    roll.terms = data.terms.map(term => RollTerm.fromData(term));
    if (data.evaluated ?? true) {
      roll._total = data.total;
      roll._dice = (data.dice ?? []).map(term => Die.fromData(term));
      roll._evaluated = true;
    }
    return roll;
  }

  static fromJSON(json) { return this.fromData(JSON.parse(json)); }
}
