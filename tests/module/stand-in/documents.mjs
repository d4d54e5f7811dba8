import { Hooks } from "./hooks.mjs";
import { ask, onWorldEvent } from "./socket.mjs";
import { Collection, deepClone, expandObject, getProperty, mergeObject, randomID } from "./utils.mjs";

/** @type {Map<string, {documentClass: typeof ClientDocument, documents: Collection}>} by the world's collection name */
export const collections = new Map();

/** Make the collection of a document class and fill it from the world as it is. */
export function openCollection(documentClass, sources) {
  const { collection } = documentClass.metadata;
  const documents = new Collection();
  documents.documentClass = documentClass;
  documents.documentName = documentClass.documentName;
  for (const source of sources) documents.set(source._id, new documentClass(source));
  collections.set(collection, { documentClass, documents });
  return documents;
}

/** What all documents share: source data, flags, permission, and changes that go through the world server. */
export class ClientDocument {
  static documentName = "Document";
  static metadata = { collection: "", name: "Document" };

  constructor(data = {}) {
    this._source = { flags: {}, ...deepClone(data) };
    this.apps = {};
  }

  static get collectionName() { return this.metadata.collection; }

  get id() { return this._source._id ?? null; }
  get _id() { return this.id; }
  get uuid() { return `${this.constructor.documentName}.${this.id}`; }
  get documentName() { return this.constructor.documentName; }
  get name() { return this._source.name; }
  get img() { return this._source.img; }
  get type() { return this._source.type; }
  get flags() { return this._source.flags; }
  get system() { return this._source.system; }
  get ownership() { return this._source.ownership ?? { default: 0 }; }
  get collection() { return collections.get(this.constructor.metadata.collection).documents; }

  get permission() {
    if (game.user.isGM) return CONST.DOCUMENT_OWNERSHIP_LEVELS.OWNER;
    return this.getUserLevel(game.user);
  }
  get isOwner() { return this.testUserPermission(game.user, "OWNER"); }
  get limited() { return this.permission === CONST.DOCUMENT_OWNERSHIP_LEVELS.LIMITED; }
  get visible() { return this.testUserPermission(game.user, "LIMITED"); }

  getUserLevel(user) {
    return Math.max(this.ownership[user.id] ?? 0, this.ownership.default ?? 0);
  }

  testUserPermission(user, permission, { exact = false } = {}) {
    const needed = typeof permission === "string" ? CONST.DOCUMENT_OWNERSHIP_LEVELS[permission] : permission;
    const level = user.isGM ? CONST.DOCUMENT_OWNERSHIP_LEVELS.OWNER : this.getUserLevel(user);
    return exact ? level === needed : level >= needed;
  }

  toObject() { return deepClone(this._source); }
  toJSON() { return this.toObject(); }
  toDragData() { return { type: this.documentName, uuid: this.uuid }; }
  updateSource(changes) { mergeObject(this._source, changes, { performDeletions: true }); return changes; }

  #flagScope(scope) {
    const active = game.modules.get(scope)?.active;
    if (!active && ![game.system.id, "core", "world"].includes(scope)) {
      throw new Error(`Flag scope "${scope}" is not valid or not currently active`);
    }
  }
  getFlag(scope, key) {
    this.#flagScope(scope);
    return getProperty(this.flags?.[scope], key);
  }
  async setFlag(scope, key, value) {
    this.#flagScope(scope);
    return this.update({ flags: { [scope]: expandObject({ [key]: value }) } });
  }
  async unsetFlag(scope, key) {
    this.#flagScope(scope);
    const path = key.split(".");
    path.push(`-=${path.pop()}`);
    return this.update({ [`flags.${scope}.${path.join(".")}`]: null });
  }

  static async create(data, options = {}) {
    const made = await this.createDocuments(Array.isArray(data) ? data : [data], options);
    return Array.isArray(data) ? made : made[0];
  }

  static async createDocuments(all, options = {}) {
    const documents = [];
    for (const data of all) {
      const given = data instanceof ClientDocument ? data.toObject() : data;
      const pending = new this({ ...given, _id: options.keepId && given._id ? given._id : randomID() });
      if (await pending._preCreate(data, options, game.user) === false) continue;
      if (!Hooks.call(`preCreate${this.documentName}`, pending, data, options, game.user.id)) continue;
      const { documents: stored } = await ask("create", {
        collection: this.metadata.collection, documents: [pending._toWorld()], options,
      });
      documents.push(...applyCreate(this.metadata.collection, stored, options, game.user.id));
    }
    return documents;
  }

  /** What goes over the wire; ChatMessage turns its rolls into JSON here. */
  _toWorld() { return this.toObject(); }
  async _preCreate() {}
  _onCreate() {}
  _onUpdate() {}
  _onDelete() {}

  async update(data = {}, options = {}) {
    const changes = expandObject(data);
    if (!Hooks.call(`preUpdate${this.documentName}`, this, changes, options, game.user.id)) return undefined;
    const { collection } = this.constructor.metadata;
    const answer = await ask("update", { collection, id: this.id, changes, options });
    applyUpdate(collection, this.id, answer.changes, options, game.user.id);
    return this;
  }

  async delete(options = {}) {
    if (!Hooks.call(`preDelete${this.documentName}`, this, options, game.user.id)) return undefined;
    const { collection } = this.constructor.metadata;
    await ask("delete", { collection, id: this.id, options });
    applyDelete(collection, this.id, options, game.user.id);
    return this;
  }

  render(force, options) { return this.sheet?.render(force, options); }
}

function applyCreate(collection, sources, options, userId) {
  const { documentClass, documents } = collections.get(collection);
  return sources.map(source => {
    const document = new documentClass(source);
    documents.set(document.id, document);
    document._onCreate(source, options, userId);
    Hooks.callAll(`create${documentClass.documentName}`, document, options, userId);
    return document;
  });
}

function applyUpdate(collection, id, changes, options, userId) {
  const { documentClass, documents } = collections.get(collection);
  const document = documents.get(id);
  document.updateSource(changes);
  document._onUpdate(changes, options, userId);
  Hooks.callAll(`update${documentClass.documentName}`, document, changes, options, userId);
  for (const app of Object.values(document.apps)) app.render();
}

function applyDelete(collection, id, options, userId) {
  const { documentClass, documents } = collections.get(collection);
  const document = documents.get(id);
  documents.delete(id);
  document._onDelete(options, userId);
  Hooks.callAll(`delete${documentClass.documentName}`, document, options, userId);
}

onWorldEvent("create", event => applyCreate(event.collection, event.documents, event.options, event.userId));
onWorldEvent("update", event => applyUpdate(event.collection, event.id, event.changes, event.options, event.userId));
onWorldEvent("delete", event => applyDelete(event.collection, event.id, event.options, event.userId));

/** Find a document by its uuid at once; pages of journals are embedded. */
export function fromUuidSync(uuid) {
  const [name, id, , embedded] = String(uuid).split(".");
  const found = Array.from(collections.values()).find(({ documentClass }) => documentClass.documentName === name);
  const document = found?.documents.get(id) ?? null;
  return embedded ? document?.pages?.get(embedded) ?? null : document;
}

export async function fromUuid(uuid) {
  return fromUuidSync(uuid);
}
