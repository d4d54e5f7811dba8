import { deprecated } from "./observed.mjs";
import { Hooks } from "./hooks.mjs";
import { isV14 } from "./release.mjs";

const SPOKEN = { "/ooc": "ooc", "/ic": "ic", "/r": "roll", "/roll": "roll" };

/** ui.chat: the log in the sidebar, and what is typed below it. */
export class ChatLog {
  /** Messages are put in one after another, in the order of their creation. */
  #queue = Promise.resolve();

  constructor(element) {
    this.element = element;
    this.list = element.querySelector(".chat-log");
    this.input = element.querySelector("#chat-message");
    this.list.addEventListener("click", event => this.#onClick(event));
    this.list.addEventListener("contextmenu", event => this.#onContextMenu(event));
    this.input.addEventListener("keydown", event => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#send();
    });
  }

  async render() {
    for (const message of game.messages) this.postOne(message);
    await this.#queue;
    Hooks.callAll("renderChatLog", this, this.element, {}, {});
  }

  postOne(message) {
    this.#queue = this.#queue.then(async () => {
      if (!message.visible) return;
      this.list.append(await message.renderHTML());
      this.list.lastElementChild.scrollIntoView({ block: "end" });
    });
    return this.#queue;
  }

  updateMessage(message) {
    this.#queue = this.#queue.then(async () => {
      const shown = this.#find(message.id);
      const expanded = shown?.querySelector(".dice-roll.expanded");
      const element = message.visible ? await message.renderHTML() : null;
      if (expanded) element?.querySelector(".dice-roll")?.classList.add("expanded");
      if (element) shown?.replaceWith(element);
      else shown?.remove();
    });
    return this.#queue;
  }

  deleteMessage(id) {
    this.#queue = this.#queue.then(() => this.#find(id)?.remove());
  }

  #find(id) { return this.list.querySelector(`[data-message-id="${CSS.escape(id)}"]`); }

  #onClick(event) {
    const target = event.target.closest("[data-action]");
    const message = game.messages.get(event.target.closest("[data-message-id]")?.dataset.messageId);
    if (target?.dataset.action === "deleteMessage") message?.delete();
    // In Foundry, too, a click anywhere on the roll opens and closes all its tooltips.
    if (target?.dataset.action === "expandRoll") {
      const open = target.classList.toggle("expanded");
      for (const tooltip of target.querySelectorAll(".dice-tooltip")) tooltip.classList.toggle("expanded", open);
    }
  }

  #onContextMenu(event) {
    const shown = event.target.closest("[data-message-id]");
    if (!shown) return;
    event.preventDefault();
    const entries = [];
    Hooks.callAll("getChatMessageContextOptions", this, entries);
    foundry.applications.ux.ContextMenu.show(entries, shown, event);
  }

  async #send() {
    // Version 14 edits rich text, so what was typed arrives as a paragraph.
    const typed = this.input.value;
    const text = isV14 && typed.trim() ? `<p>${foundry.utils.escapeHTML(typed)}</p>` : typed;
    this.input.value = "";
    try {
      await this.processMessage(text);
    } catch (error) {
      ui.notifications.error(error.message);
    }
  }

  /** Hooks first; then a roll, or words. A command that nobody knows is an error. */
  async processMessage(text, { speaker = ChatMessage.getSpeaker() } = {}) {
    const message = text.trim();
    if (!message) return undefined;
    const chatData = { user: game.user.id, speaker };
    if (Hooks.call("chatMessage", this, message, chatData) === false) return undefined;
    const plain = isV14 ? Object.assign(document.createElement("div"), { innerHTML: message }).textContent : message;
    const [, command, rest] = plain.match(/^(\/\w+)?\s*([\s\S]*)$/);
    if (command && !SPOKEN[command]) throw new Error(game.i18n.format("CHAT.InvalidCommand", { command }));
    if (SPOKEN[command] === "roll") return (await Roll.create(rest).evaluate()).toMessage({ speaker });
    return ChatMessage.create({ author: game.user.id, speaker, content: isV14 ? message : foundry.utils.escapeHTML(rest) });
  }
}

/** A pop-up menu of context entries; version 14 renamed all three of an entry's members. */
export class ContextMenu {
  static show(entries, target, event) {
    document.getElementById("context-menu")?.remove();
    const menu = Object.assign(document.createElement("nav"), { id: "context-menu" });
    const list = menu.appendChild(document.createElement("menu"));
    for (const entry of entries) {
      if (isV14 && ("name" in entry || "callback" in entry || "condition" in entry)) deprecated("ContextMenu entry name/callback/condition");
      const shown = entry.visible ?? entry.condition ?? true;
      if (!(typeof shown === "function" ? shown(target) : shown)) continue;
      const item = list.appendChild(Object.assign(document.createElement("li"), { className: "context-item" }));
      item.innerHTML = `${entry.icon ?? ""}<span></span>`;
      item.lastChild.textContent = game.i18n.localize(entry.label ?? entry.name);
      item.addEventListener("click", click => {
        menu.remove();
        if (isV14 && entry.onClick) entry.onClick(click, target);
        else entry.callback(target);
      });
    }
    Object.assign(menu.style, { left: `${event.clientX}px`, top: `${event.clientY}px` });
    document.body.append(menu);
    document.addEventListener("click", () => menu.remove(), { once: true });
  }
}
