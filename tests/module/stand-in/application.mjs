import { Hooks } from "./hooks.mjs";
import { FormDataExtended } from "./form-data.mjs";
import { deepClone, mergeObject } from "./utils.mjs";

let windows = 0;
let front = 100;

/** The z-index of the window that comes to the front next; both generations of windows share the stack. */
export const nextInFront = () => ++front;

function inheritance(applicationClass) {
  const chain = [];
  for (let next = applicationClass; next?.name && next !== EventTarget && next !== Function.prototype; next = Object.getPrototypeOf(next)) chain.push(next);
  return chain;
}

/** foundry.applications.api.ApplicationV2: a window, or a piece of the interface. */
export class ApplicationV2 extends EventTarget {
  static BASE_APPLICATION = ApplicationV2;
  static RENDER_STATES = Object.freeze({ ERROR: -3, CLOSING: -2, CLOSED: -1, NONE: 0, RENDERING: 1, RENDERED: 2 });
  static TABS = {};
  static DEFAULT_OPTIONS = {
    id: "app-{id}", uniqueId: "", classes: [], tag: "div",
    window: {
      frame: true, positioned: true, title: "", icon: "", controls: [], minimizable: true, resizable: false,
      contentTag: "section", contentClasses: [],
    },
    actions: {}, form: { handler: undefined, submitOnChange: false, closeOnSubmit: false }, position: {},
  };

  #element = null;
  #state = ApplicationV2.RENDER_STATES.NONE;
  #renderQueue = Promise.resolve();
  tabGroups = {};

  constructor(options = {}) {
    super();
    this.options = this._initializeApplicationOptions(options);
    this.id = this.options.id.replace("{id}", this.options.uniqueId);
    this.position = { top: null, left: null, width: "auto", height: "auto", scale: 1, zIndex: 0, ...this.options.position };
    this.minimized = false;
  }

  static *inheritanceChain() { yield* inheritance(this); }

  /** DEFAULT_OPTIONS of every class on the way up, the nearest last; arrays of classes and controls add up. */
  _initializeApplicationOptions(given) {
    const merged = {};
    const layers = inheritance(this.constructor).reverse().filter(layer => Object.hasOwn(layer, "DEFAULT_OPTIONS")).map(layer => layer.DEFAULT_OPTIONS);
    for (const layer of [...layers, given]) {
      const classes = [...new Set([...(merged.classes ?? []), ...(layer.classes ?? [])])];
      const controls = [...(merged.window?.controls ?? []), ...(layer.window?.controls ?? [])];
      const { document: doc, ...rest } = layer;
      mergeObject(merged, rest);
      if (doc) merged.document = doc;
      merged.classes = classes;
      merged.window.controls = controls;
    }
    merged.uniqueId = given.uniqueId || merged.uniqueId || String(++windows);
    // Actions may be given with the mouse buttons that they answer to.
    for (const [name, action] of Object.entries(merged.actions)) {
      if (typeof action === "function") merged.actions[name] = { handler: action, buttons: [0] };
    }
    return merged;
  }

  get element() { return this.#element; }
  get form() { return this.options.tag === "form" ? this.#element : this.#element?.querySelector("form") ?? null; }
  get state() { return this.#state; }
  get rendered() { return this.#state === ApplicationV2.RENDER_STATES.RENDERED; }
  get hasFrame() { return this.options.window.frame; }
  get title() { return game.i18n.localize(this.options.window.title); }
  get classList() { return this.#element?.classList; }
  get window() {
    const find = selector => this.#element?.querySelector(selector);
    return { header: find(".window-header"), content: find(".window-content"), title: find(".window-title"), controls: find(".window-header") };
  }

  async render(options = {}, legacy = {}) {
    const asked = typeof options === "boolean" ? { force: options, ...legacy } : options;
    this.#renderQueue = this.#renderQueue.then(() => this.#render(asked));
    await this.#renderQueue;
    return this;
  }

  async #render(options) {
    const first = !this.#element;
    if (first && !options.force) return;
    options.isFirstRender = first;
    if (options.window?.title) this.options.window.title = options.window.title;
    this._configureRenderOptions(options);
    this.#state = ApplicationV2.RENDER_STATES.RENDERING;
    try {
      const context = await this._prepareContext(options);
      if (first) await this._preFirstRender(context, options);
      await this._preRender(context, options);
      const rendered = await this._renderHTML(context, options);
      if (first) {
        this.#element = await this._renderFrame(options);
        this._insertElement(this.#element);
        this._attachFrameListeners();
      }
      this._replaceHTML(rendered, this.hasFrame ? this.window.content : this.#element, options);
      if (this.window.title) this.window.title.textContent = this.title;
      this.setPosition(options.position ?? {});
      this.#state = ApplicationV2.RENDER_STATES.RENDERED;
      foundry.applications.instances.set(this.id, this);
      if (first) await this._onFirstRender(context, options);
      await this._onRender(context, options);
      this.#hook("render", this.#element, context, options);
      this.dispatchEvent(new Event("render"));
      if (first && this.hasFrame) this.bringToFront();
    } catch (error) {
      this.#state = ApplicationV2.RENDER_STATES.ERROR;
      throw new Error(`Failed to render Application "${this.id}":\n${error.message}`, { cause: error });
    }
  }

  #hook(event, ...args) {
    for (const layer of inheritance(this.constructor)) Hooks.callAll(`${event}${layer.name}`, this, ...args);
  }

  _configureRenderOptions() {}
  async _prepareContext() { return {}; }
  async _preFirstRender() {}
  async _preRender() {}
  async _onFirstRender() {}
  async _onRender() {}
  async _preClose() {}
  _onClose() {}
  _tearDown() {}
  _onPosition() {}
  async _renderHTML() { throw new Error(`${this.constructor.name} must implement _renderHTML`); }
  _replaceHTML() { throw new Error(`${this.constructor.name} must implement _replaceHTML`); }
  _insertElement(element) { document.body.append(element); }

  async _renderFrame() {
    const { options } = this;
    const frame = document.createElement(options.tag);
    frame.id = this.id;
    frame.classList.add(...options.classes);
    if (options.tag === "form") frame.autocomplete = "off";
    if (!this.hasFrame) return frame;
    const theme = document.body.classList.contains("theme-dark") ? "theme-dark" : "theme-light";
    frame.classList.add("application", "themed", theme);
    frame.innerHTML = `<header class="window-header"><i class="window-icon hidden"></i><h1 class="window-title"></h1>
      <button type="button" class="header-control icon fa-solid fa-ellipsis-vertical" data-action="toggleControls"></button>
      <button type="button" class="header-control icon fa-solid fa-xmark" data-action="close"></button></header>`;
    if (options.window.icon) frame.querySelector(".window-icon").className = `window-icon fa-fw ${options.window.icon}`;
    frame.querySelector("[data-action=toggleControls]").ariaLabel = game.i18n.localize("APPLICATION.TOOLS.ControlsMenu");
    frame.querySelector("[data-action=close]").ariaLabel = game.i18n.localize("APPLICATION.TOOLS.Close");
    if (!Array.from(this._headerControlButtons()).length) frame.querySelector("[data-action=toggleControls]").classList.add("hidden");
    const content = document.createElement(options.window.contentTag);
    content.classList.add("window-content", ...options.window.contentClasses);
    frame.append(content);
    return frame;
  }

  _getHeaderControls() { return this.options.window.controls.slice(); }

  /** The entries of the header's menu, after hooks `getHeaderControls<Class>` for every class on the way up. */
  *_headerControlButtons() {
    const controls = this._getHeaderControls();
    this.#hook("getHeaderControls", controls);
    for (const control of controls) {
      const visible = typeof control.visible === "function" ? control.visible.call(this) : control.visible ?? true;
      if (visible) yield control;
    }
  }

  toggleControls() {
    const open = this.#element.querySelector(".controls-dropdown");
    if (open) { open.remove(); return; }
    const menu = Object.assign(document.createElement("menu"), { className: "controls-dropdown" });
    for (const control of this._headerControlButtons()) {
      const item = menu.appendChild(document.createElement("li"));
      item.className = "header-control";
      if (control.action) item.dataset.action = control.action;
      const button = item.appendChild(Object.assign(document.createElement("button"), { type: "button", className: "control" }));
      button.append(Object.assign(document.createElement("i"), { className: `control-icon fa-fw ${control.icon}` }),
        Object.assign(document.createElement("span"), { className: "control-label", textContent: game.i18n.localize(control.label) }));
      if (control.onClick) item.addEventListener("click", event => { menu.remove(); control.onClick.call(this, event); });
    }
    this.#element.append(menu);
  }

  _attachFrameListeners() {
    this.#element.addEventListener("pointerdown", () => this.hasFrame && this.bringToFront(), { capture: true });
    this.#element.addEventListener("click", event => this.#onClick(event));
    if (this.options.tag !== "form") return;
    this.#element.addEventListener("submit", event => this._onSubmitForm(this.options.form, event));
    this.#element.addEventListener("change", event => this._onChangeForm(this.options.form, event));
  }

  #onClick(event) {
    const target = event.target.closest("[data-action]");
    if (!target || !this.#element.contains(target)) return;
    const { action } = target.dataset;
    if (action === "close") { this.close(); return; }
    if (action === "toggleControls") { this.toggleControls(); return; }
    if (action === "tab") { this.changeTab(target.dataset.tab, target.dataset.group); return; }
    const known = this.options.actions[action];
    if (!known) { this._onClickAction(event, target); return; }
    if (!(known.buttons ?? [0]).includes(event.button)) return;
    event.preventDefault();
    known.handler.call(this, event, target);
  }

  _onClickAction() {}

  _onChangeForm(config, event) {
    if (config.submitOnChange && event.currentTarget === this.form) this._onSubmitForm(config, event);
  }

  async _onSubmitForm(config, event) {
    event.preventDefault();
    const form = event.currentTarget;
    const submitted = new FormDataExtended(form, { submitter: event.submitter });
    try {
      await config.handler?.call(this, event, form, submitted);
    } catch (error) {
      ui.notifications.error(error.message);
      return;
    }
    if (event.type === "submit" && config.closeOnSubmit) await this.close({ submitted: true });
  }

  async submit() {
    this.form.requestSubmit();
  }

  changeTab(tab, group) {
    this.tabGroups[group] = tab;
    for (const marked of this.#element.querySelectorAll(`[data-group="${group}"][data-tab]`)) {
      marked.classList.toggle("active", marked.dataset.tab === tab);
      if (marked.matches("[data-action=tab]")) marked.setAttribute("aria-pressed", String(marked.dataset.tab === tab));
    }
  }

  setPosition(position = {}) {
    if (!this.#element || !this.hasFrame || !this.options.window.positioned) return this.position;
    Object.assign(this.position, position);
    const { style } = this.#element;
    const px = value => (typeof value === "number" ? `${value}px` : "auto");
    Object.assign(style, { width: px(this.position.width), height: px(this.position.height) });
    this.position.left ??= Math.max(0, Math.round((innerWidth - this.#element.offsetWidth) / 2));
    this.position.top ??= Math.max(0, Math.round((innerHeight - this.#element.offsetHeight) / 2));
    Object.assign(style, { left: px(this.position.left), top: px(this.position.top) });
    this._onPosition(this.position);
    return this.position;
  }

  bringToFront() {
    this.position.zIndex = nextInFront();
    this.#element.style.zIndex = String(this.position.zIndex);
    ui.activeWindow = this;
  }

  async minimize() { this.minimized = true; this.#element?.classList.add("minimized"); }
  async maximize() { this.minimized = false; this.#element?.classList.remove("minimized"); }

  async close(options = {}) {
    await this.#renderQueue.catch(() => undefined);
    if (!this.#element) return this;
    await this._preClose(options);
    this.#state = ApplicationV2.RENDER_STATES.CLOSING;
    this._tearDown(options);
    this.#element.remove();
    this.#element = null;
    this.#state = ApplicationV2.RENDER_STATES.CLOSED;
    foundry.applications.instances.delete(this.id);
    if (ui.activeWindow === this) ui.activeWindow = null;
    this._onClose(options);
    this.#hook("close");
    this.dispatchEvent(new Event("close"));
    return this;
  }

  toJSON() { return { id: this.id, options: deepClone(this.options) }; }
}
