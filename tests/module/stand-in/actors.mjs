import { ClientDocument } from "./documents.mjs";
import { ActorSheetV2, appv1 } from "./sheets.mjs";
import { Collection } from "./utils.mjs";

export class Actor extends ClientDocument {
  static documentName = "Actor";
  static metadata = { collection: "actors", name: "Actor" };

  items = new Collection();
  get isToken() { return false; }
  get token() { return null; }
  get hasPlayerOwner() { return game.users.some(user => !user.isGM && this.testUserPermission(user, "OWNER")); }
  get thumbnail() { return this.img; }
  get prototypeToken() { return { name: this.name, actorLink: true }; }
  getRollData() { return structuredClone(this.system); }
  getActiveTokens() { return canvas.tokens.placeables.filter(token => token.actor === this); }

  /** The second generation's sheet, or the first's where `CONFIG.Actor.sheetGeneration` is 1 (the stand-in's own switch). */
  get sheet() {
    return this._sheet ??= CONFIG.Actor.sheetGeneration === 1 ? new appv1.sheets.ActorSheet(this) : new ActorSheetV2({ document: this });
  }
}

export class Item extends ClientDocument {
  static documentName = "Item";
  static metadata = { collection: "items", name: "Item" };
}

export class TokenDocument extends ClientDocument {
  static documentName = "Token";
  static metadata = { collection: "tokens", name: "Token" };
  get actorId() { return this._source.actorId; }
  get actor() { return game.actors.get(this.actorId) ?? null; }
  get x() { return this._source.x; }
  get y() { return this._source.y; }
  get object() { return canvas.tokens.placeables.find(token => token.id === this.id) ?? null; }
  get isOwner() { return this.actor?.isOwner ?? game.user.isGM; }
  get uuid() { return `Scene.${canvas.scene.id}.Token.${this.id}`; }
  getUserLevel(user) { return this.actor?.getUserLevel(user) ?? 0; }
}
