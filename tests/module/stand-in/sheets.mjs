import { ApplicationV2, nextInFront } from "./application.mjs";
import { Hooks } from "./hooks.mjs";

/** What both generations of actor sheets show here: a picture, a name, a line of text. */
const body = actor => `<div class="sheet-body flexrow"><img src="/${actor.img}" alt="">
  <div><h2>${foundry.utils.escapeHTML(actor.name)}</h2><p>${foundry.utils.escapeHTML(actor.type)}</p></div></div>`;

export class DocumentSheetV2 extends ApplicationV2 {
  static DEFAULT_OPTIONS = { id: "{id}", classes: ["sheet"], window: { icon: "fa-solid fa-user" } };

  constructor(options = {}) {
    super({ ...options, uniqueId: `${options.document.documentName}-${options.document.id}-${new.target.name}` });
  }

  get document() { return this.options.document; }
  get title() { return this.document.name; }
  get isEditable() { return this.document.isOwner; }

  *_headerControlButtons() {
    for (const control of super._headerControlButtons()) {
      if (control.ownership === undefined || this.document.testUserPermission(game.user, control.ownership)) yield control;
    }
  }

  async _onFirstRender(context, options) {
    await super._onFirstRender(context, options);
    this.document.apps[this.id] = this;
  }
  _onClose() { delete this.document.apps[this.id]; }
}

/** A sheet of the second generation. */
export class ActorSheetV2 extends DocumentSheetV2 {
  static DEFAULT_OPTIONS = { classes: ["actor"], position: { width: 380, left: 260, top: 120 } };
  get actor() { return this.document; }
  get token() { return null; }
  async _renderHTML() { return body(this.actor); }
  _replaceHTML(html, content) { content.innerHTML = html; }
}

class Application {
  constructor(options = {}) { this.options = options; this.appId = ++Application.count; this.rendered = false; }
  static count = 0;
  get id() { return `app-${this.appId}`; }
  get element() { return jQuery(this.#element ?? []); }
  get title() { return ""; }
  getData() { return {}; }
  #element = null;

  _getHeaderButtons() {
    const buttons = [{ label: "Close", class: "close", icon: "fas fa-times", onclick: () => this.close() }];
    for (let layer = this.constructor; layer?.name; layer = Object.getPrototypeOf(layer)) {
      Hooks.callAll(`get${layer.name}HeaderButtons`, this, buttons);
    }
    return buttons;
  }

  /** Not awaited by its callers, as in Foundry: it answers with the sheet at once. */
  render(force) {
    if (!this.#element && !force) return this;
    this.#element?.remove();
    const element = this.#element = document.createElement("div");
    element.id = this.id;
    element.className = "app window-app sheet actor";
    Object.assign(element.style, { left: "260px", top: "120px", width: "380px", zIndex: String(nextInFront()) });
    element.innerHTML = `<header class="window-header flexrow"><h4 class="window-title"></h4></header><section class="window-content"></section>`;
    element.querySelector(".window-title").textContent = this.title;
    for (const button of this._getHeaderButtons()) {
      const link = element.firstChild.appendChild(Object.assign(document.createElement("a"), { className: `header-button control ${button.class}` }));
      link.innerHTML = `<i class="${button.icon}"></i>`;
      link.append(game.i18n.localize(button.label));
      link.addEventListener("click", event => { event.preventDefault(); button.onclick.call(this, event); });
    }
    element.lastChild.innerHTML = this._inner();
    document.body.append(element);
    this.rendered = true;
    for (let layer = this.constructor; layer?.name; layer = Object.getPrototypeOf(layer)) {
      Hooks.callAll(`render${layer.name}`, this, jQuery(element), this.getData());
    }
    return this;
  }

  async close() {
    this.#element?.remove();
    this.#element = null;
    this.rendered = false;
    Hooks.callAll(`close${this.constructor.name}`, this, this.element);
  }
}
class FormApplication extends Application {}
class DocumentSheet extends FormApplication {}

/** A sheet of the first generation, which many systems still have: jQuery, and buttons in the header. */
class ActorSheet extends DocumentSheet {
  constructor(actor, options) { super(options); this.object = actor; }
  get document() { return this.object; }
  get actor() { return this.object; }
  get token() { return null; }
  get isEditable() { return this.actor.isOwner; }
  get title() { return this.actor.name; }
  _inner() { return body(this.actor); }
}

export const appv1 = { api: { Application, FormApplication, DocumentSheet }, sheets: { ActorSheet } };
