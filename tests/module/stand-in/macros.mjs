import { ClientDocument } from "./documents.mjs";
import { Hooks } from "./hooks.mjs";

const AsyncFunction = (async () => {}).constructor;

export class Macro extends ClientDocument {
  static documentName = "Macro";
  static metadata = { collection: "macros", name: "Macro" };

  get command() { return this._source.command; }
  get author() { return game.users.get(this._source.author); }
  get canExecute() { return this.testUserPermission(game.user, "LIMITED"); }
  getUserLevel(user) { return user.id === this._source.author ? CONST.DOCUMENT_OWNERSHIP_LEVELS.OWNER : super.getUserLevel(user); }

  async _preCreate() {
    this._source = { type: "chat", scope: "global", img: "icons/macro.svg", command: "", ...this._source, author: game.user.id };
  }

  /** Run the command with the variables that Foundry gives a script. */
  async execute({ actor, token, ...scope } = {}) {
    if (this.type !== "script") return ui.chat.processMessage(this.command);
    const speaker = ChatMessage.getSpeaker({ actor, token });
    const names = ["speaker", "actor", "token", "character", "scope", ...Object.keys(scope)];
    const acting = actor ?? game.actors.get(speaker.actor);
    const run = new AsyncFunction(...names, this.command);
    try {
      return await run.call(this, speaker, acting, token ?? canvas.tokens.get(speaker.token), game.user.character, scope, ...Object.values(scope));
    } catch (error) {
      ui.notifications.error(error.message);
      throw error;
    }
  }
}

/** ui.hotbar: ten slots that take what is dropped on them. */
export class Hotbar {
  constructor(element) {
    this.element = element;
    element.addEventListener("dragover", event => event.preventDefault());
    element.addEventListener("drop", event => this._onDrop(event));
    element.addEventListener("click", event => {
      const slot = event.target.closest("[data-slot]")?.dataset.slot;
      game.macros.get(game.user.hotbar[slot])?.execute();
    });
  }

  async _onDrop(event) {
    event.preventDefault();
    const slot = Number(event.target.closest("[data-slot]")?.dataset.slot);
    if (!slot) return;
    const dropped = foundry.applications.ux.TextEditor.implementation.getDragEventData(event);
    if (Hooks.call("hotbarDrop", this, dropped, slot) === false) return;
    const macro = dropped.type === "Macro" ? await foundry.utils.fromUuid(dropped.uuid) : null;
    if (macro) await game.user.assignHotbarMacro(macro, slot);
  }

  async render() {
    const slots = game.user.getHotbarMacros().map(({ slot, macro }) => {
      const item = Object.assign(document.createElement("li"), { className: macro ? "slot full" : "slot open" });
      item.dataset.slot = String(slot);
      item.ariaLabel = macro?.name ?? game.i18n.localize("HOTBAR.EMPTY");
      if (macro) item.append(Object.assign(document.createElement("img"), { src: `/${macro.img}`, alt: "", className: "slot-icon" }));
      item.append(Object.assign(document.createElement("span"), { className: "slot-key", textContent: String(slot % 10) }));
      return item;
    });
    this.element.replaceChildren(...slots);
    Hooks.callAll("renderHotbar", this, this.element, {}, {});
  }
}
