import { ClientDocument } from "./documents.mjs";
import { Hooks } from "./hooks.mjs";
import { observed } from "./observed.mjs";
import { ask, onWorldEvent } from "./socket.mjs";

export class User extends ClientDocument {
  static documentName = "User";
  static metadata = { collection: "users", name: "User" };

  active = false;
  viewedScene = "SceneBridge00001";
  targets = new Set();

  get role() { return this._source.role; }
  get color() { return Object.assign(String(this._source.color), { css: this._source.color }); }
  get avatar() { return this._source.avatar ?? "icons/actor.svg"; }
  get character() { return game.actors.get(this._source.character) ?? null; }
  get isGM() { return this.role >= CONST.USER_ROLES.ASSISTANT; }
  get isSelf() { return this.id === game.user.id; }
  get isActiveGM() { return this === game.users.activeGM; }
  get hotbar() { return this._source.hotbar; }

  hasRole(role) { return this.role >= (typeof role === "string" ? CONST.USER_ROLES[role] : role); }
  can(permission) { return this.isGM || ["QUERY_USER", "MACRO_SCRIPT", "MESSAGE_WHISPER"].includes(permission); }
  hasPermission(permission) { return this.can(permission); }

  getHotbarMacros() {
    return Array.from({ length: 10 }, (_, at) => ({ slot: at + 1, macro: game.macros.get(this.hotbar[at + 1]) ?? null }));
  }

  async assignHotbarMacro(macro, slot) {
    const free = this.getHotbarMacros().find(entry => !entry.macro)?.slot;
    return this.update({ hotbar: { [slot ?? free]: macro?.id ?? null } });
  }

  /** Ask this user's client; every tab of the user runs the handler, the first to answer is heard. */
  async query(name, data, { timeout } = {}) {
    if (!(name in CONFIG.queries)) throw new Error(`The query "${name}" is not registered in CONFIG.queries`);
    if (this.isSelf) return runQuery({ name, data, timeout });
    if (!this.active) throw new Error(`The user ${this.name} is not active`);
    return (await ask("query", { to: this.id, name, data, timeout })).result;
  }

  _onUpdate(changes) {
    if ("hotbar" in changes && this.isSelf) ui.hotbar?.render();
  }
}

async function runQuery({ name, data, timeout }) {
  observed.queries.push({ name, data });
  const handler = CONFIG.queries[name];
  if (!handler) throw new Error(`The query "${name}" is not registered in CONFIG.queries`);
  // The handler gets the payload and the timeout; Foundry does not tell it who asks.
  return handler(data, { timeout });
}

onWorldEvent("query", async ({ id, ...query }) => {
  let answer;
  try {
    answer = { result: (await runQuery(query)) ?? null };
  } catch (error) {
    answer = { error: error.message };
  }
  await ask("answer", { id, ...answer });
});

/** Give game.users what Foundry's collection of users has over others. */
export function furnishUsers(users, me, active) {
  users.current = users.get(me);
  for (const user of users) user.active = active.includes(user.id);
  Object.defineProperties(users, {
    activeGM: { get: () => users.getDesignatedUser(user => user.active && user.isGM) },
    players: { get: () => users.filter(user => !user.isGM) },
  });
  // The highest role first, then the lowest id: every client comes to the same one.
  users.getDesignatedUser = condition => users.filter(condition)
    .sort((one, other) => other.role - one.role || one.id.localeCompare(other.id))[0] ?? null;
  onWorldEvent("active", event => {
    for (const user of users) {
      const isIn = event.users.includes(user.id);
      if (user.active === isIn) continue;
      user.active = isIn;
      Hooks.callAll("userConnected", user, isIn);
    }
    ui.players?.render();
  });
}
