import { cleanHTML } from "./constants.mjs";
import { ClientDocument } from "./documents.mjs";
import { Hooks } from "./hooks.mjs";
import { deprecated, observed } from "./observed.mjs";
import { isV14 } from "./release.mjs";
import { Roll } from "./roll.mjs";

const LEGACY_MODES = { publicroll: "public", gmroll: "gm", blindroll: "blind", selfroll: "self" };

function withMode(message, mode) {
  const gms = ChatMessage.getWhisperRecipients("GM").map(user => user.id);
  if (mode === "public" || mode === "ic") Object.assign(message, { whisper: [], blind: false });
  if (mode === "self") Object.assign(message, { whisper: [game.user.id], blind: false });
  if (mode === "gm" || mode === "blind") {
    if (!message.whisper?.length) message.whisper = gms;
    message.blind = mode === "blind";
  }
  return message;
}

export class ChatMessage extends ClientDocument {
  static documentName = "ChatMessage";
  static metadata = { collection: "messages", name: "ChatMessage" };

  constructor(data) {
    const { rolls = [], ...rest } = data;
    super(rest);
    this.rolls = rolls.map(roll => {
      if (roll instanceof Roll) return roll;
      return typeof roll === "string" ? Roll.fromJSON(roll) : Roll.fromData(roll);
    });
    if (!this.rolls.every(roll => roll._evaluated)) {
      throw new Error("ChatMessage validation errors: rolls: Roll objects added to ChatMessage documents must be evaluated");
    }
    if ("user" in data && !("author" in data)) deprecated("ChatMessage user (use author)");
    if ("roll" in data) throw new Error("ChatMessage: `roll` is no longer read; use `rolls`");
  }

  /** Derived anew whenever the source changes, in this client alone too. */
  updateSource(changes) {
    if (changes.rolls) this.rolls = changes.rolls.map(roll => (typeof roll === "string" ? Roll.fromJSON(roll) : Roll.fromData(roll)));
    return super.updateSource(changes);
  }

  get author() { return game.users.get(this._source.author) ?? null; }
  get isAuthor() { return this._source.author === game.user.id; }
  get isRoll() { return this.rolls.length > 0; }
  get whisper() { return this._source.whisper ?? []; }
  get blind() { return this._source.blind ?? false; }
  get content() { return this._source.content ?? ""; }
  get flavor() { return this._source.flavor ?? ""; }
  get speaker() { return this._source.speaker ?? {}; }
  get timestamp() { return this._source.timestamp; }
  get alias() { return this.speaker.alias ?? this.author?.name ?? game.i18n.localize("CHAT.UnknownUser"); }
  get isOwner() { return game.user.isGM || this.isAuthor; }

  /** Anybody sees that a whispered roll happened; a whisper without a roll only those it is for. */
  get visible() {
    if (!this.whisper.length || this.isRoll) return true;
    return this.isAuthor || this.whisper.includes(game.user.id);
  }

  get isContentVisible() {
    if (!this.isRoll) return this.visible;
    if (!this.whisper.length) return true;
    return this.whisper.includes(game.user.id) || (this.isAuthor && !this.blind);
  }

  static getSpeaker({ actor, token, alias } = {}) {
    const controlled = token ?? canvas.tokens.controlled[0];
    const speaking = actor ?? controlled?.actor ?? game.user.character;
    return {
      scene: canvas.scene.id, actor: speaking?.id ?? null, token: controlled?.id ?? null,
      alias: alias ?? controlled?.document?.name ?? speaking?.name ?? game.user.name,
    };
  }

  static getWhisperRecipients(name) {
    if (["gm", "dm"].includes(name.toLowerCase())) return game.users.filter(user => user.isGM);
    if (name.toLowerCase() === "players") return game.users.players;
    return game.users.filter(user => user.name === name || user.character?.name === name);
  }

  async _preCreate(data, options) {
    this._source.author ??= game.user.id;
    this._source.speaker ??= ChatMessage.getSpeaker();
    if (this.isRoll && !data.content) this._source.content = String(this.rolls.reduce((sum, roll) => sum + roll.total, 0));
    if (isV14 && options.rollMode) deprecated("option rollMode of ChatMessage.create");
    const asked = isV14 ? options.messageMode ?? options.rollMode : options.rollMode;
    if (asked) withMode(this._source, LEGACY_MODES[asked] ?? asked);
  }

  _toWorld() {
    const { user: _, ...source } = this.toObject();
    return { ...source, content: cleanHTML(this.content), rolls: this.rolls.map(roll => JSON.stringify(roll)) };
  }

  toObject() { return { ...super.toObject(), rolls: this.rolls.map(roll => JSON.stringify(roll)) }; }

  _onCreate() {
    if (this._source.sound && this.isContentVisible) observed.sounds.push(this._source.sound);
    ui.chat.postOne(this);
  }
  _onUpdate() { ui.chat.updateMessage(this); }
  _onDelete() { ui.chat.deleteMessage(this.id); }

  /** The message as this user sees it: the content as it is, and Foundry's roll only where the content has no element. */
  async renderHTML() {
    const show = this.isContentVisible;
    const enrich = foundry.applications.ux.TextEditor.implementation.enrichHTML;
    let content = show ? await enrich(this.content, { rolls: true }) : "";
    let { flavor, alias } = this;
    const rolls = async isPrivate => (await Promise.all(this.rolls.map(roll => roll.render({ isPrivate })))).join("");
    const onlyText = !Object.assign(document.createElement("div"), { innerHTML: content }).childElementCount;
    if (this.isRoll && show && onlyText) content = await rolls(false);
    if (this.isRoll && !show) {
      alias = this.author?.name ?? alias;
      flavor = game.i18n.format("CHAT.PrivateRollContent", { user: foundry.utils.escapeHTML(alias) });
      content = await rolls(true);
    }
    const html = await foundry.applications.handlebars.renderTemplate("templates/chat/message.hbs", {
      id: this.id, alias, flavor, content, canDelete: game.user.isGM, color: this.author?.color ?? "",
      cssClass: [this.whisper.length && "whisper", this.blind && "blind"].filter(Boolean).join(" "),
      time: new Date(this.timestamp).toLocaleTimeString(game.i18n.lang, { hour: "2-digit", minute: "2-digit" }),
      whisperTo: this.isRoll ? "" : this.whisper.map(id => game.users.get(id)?.name).filter(Boolean).join(", "),
    });
    const element = Object.assign(document.createElement("template"), { innerHTML: html.trim() }).content.firstElementChild;
    Hooks.callAll("renderChatMessageHTML", this, element, { canDelete: this.isOwner, message: this.toObject(), author: this.author, alias });
    if (Hooks.events.renderChatMessage?.length) deprecated("hook renderChatMessage");
    return element;
  }
}

// Version 13 has applyRollMode; version 14 has applyMode, and the old one with a warning.
if (isV14) {
  ChatMessage.applyMode = (message, mode = game.settings.get("core", "messageMode")) => withMode(message, mode);
  ChatMessage.applyRollMode = (message, mode) => {
    deprecated("ChatMessage.applyRollMode");
    return withMode(message, LEGACY_MODES[mode] ?? mode);
  };
} else {
  ChatMessage.applyRollMode = (message, mode) => {
    const chosen = mode === "roll" ? game.settings.get("core", "rollMode") : mode;
    return withMode(message, LEGACY_MODES[chosen] ?? chosen);
  };
}
