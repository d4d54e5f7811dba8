import { ApplicationV2 } from "./application.mjs";
import { FormDataExtended } from "./form-data.mjs";

/** foundry.applications.api.DialogV2 */
export class DialogV2 extends ApplicationV2 {
  static DEFAULT_OPTIONS = {
    id: "dialog-{id}", classes: ["dialog"], tag: "dialog",
    window: { frame: true, positioned: true, minimizable: false, contentTag: "form", contentClasses: ["dialog-form", "standard-form"] },
  };

  _initializeApplicationOptions(options) {
    const merged = super._initializeApplicationOptions(options);
    if (!merged.buttons?.length) throw new Error("You must define at least one entry in options.buttons");
    if (merged.content instanceof HTMLElement) merged.content = merged.content.outerHTML;
    return merged;
  }

  get form() { return this.element?.querySelector("form") ?? null; }

  async _renderHTML() {
    const whole = document.createElement("template");
    whole.innerHTML = `<div class="dialog-content standard-form"></div><footer class="form-footer"></footer>`;
    const [content, footer] = whole.content.children;
    content.innerHTML = this.options.content ?? "";
    for (const entry of this.options.buttons) {
      const button = Object.assign(document.createElement("button"), { type: entry.type ?? "submit", autofocus: Boolean(entry.default) });
      button.dataset.action = entry.action;
      button.classList.add(...(entry.class?.split(" ") ?? []));
      button.disabled = Boolean(entry.disabled);
      if (entry.icon) button.append(Object.assign(document.createElement("i"), { className: entry.icon }));
      button.append(Object.assign(document.createElement("span"), { textContent: game.i18n.localize(entry.label ?? entry.action) }));
      footer.append(button);
    }
    return whole.content;
  }

  _replaceHTML(fragment, content) { content.replaceChildren(fragment); }

  async _onFirstRender() {
    if (this.options.modal) this.element.showModal();
    else this.element.show();
    this.element.addEventListener("cancel", event => { event.preventDefault(); this.close(); });
    this.form.addEventListener("submit", event => this._onSubmit(event.submitter, event));
    this.element.querySelector("[autofocus]")?.focus();
  }

  _onClickAction(event, target) {
    if (target.type !== "submit" && this.options.buttons.some(entry => entry.action === target.dataset.action)) this._onSubmit(target, event);
  }

  /** What the button's callback gives, or the button's name; an error keeps the dialog open. */
  async _onSubmit(button, event) {
    event.preventDefault();
    button ??= this.element.querySelector("[autofocus]") ?? this.element.querySelector("footer button");
    const entry = this.options.buttons.find(({ action }) => action === button.dataset.action);
    const result = (await entry.callback?.(event, button, this)) ?? entry.action;
    await this.options.submit?.(result, this);
    await this.close({ submitted: true });
    return this;
  }

  /** Wait for a button; dismissed, it is null, or a rejection where `rejectClose` asks for one. */
  static wait({ rejectClose = false, close, render, ...options } = {}) {
    return new Promise((resolve, reject) => {
      const { submit } = options;
      const dialog = new this({
        ...options,
        submit: async (result, app) => { await submit?.(result, app); resolve(result); },
      });
      dialog.addEventListener("close", event => {
        const given = close?.(event, dialog);
        if (rejectClose) reject(new Error("Dialog was dismissed without pressing a button."));
        else resolve(given ?? null);
      }, { once: true });
      if (render) dialog.addEventListener("render", event => render(event, dialog));
      dialog.render({ force: true });
    });
  }

  static confirm({ yes = {}, no = {}, ...options } = {}) {
    const buttons = [
      { action: "yes", label: "Yes", icon: "fa-solid fa-check", callback: () => true, ...yes },
      { action: "no", label: "No", icon: "fa-solid fa-xmark", default: true, callback: () => false, ...no },
    ];
    return this.wait({ ...options, buttons: [...buttons, ...(options.buttons ?? [])] });
  }

  static prompt({ ok = {}, ...options } = {}) {
    const buttons = [{ action: "ok", label: "Confirm", icon: "fa-solid fa-check", default: true, ...ok }];
    return this.wait({ ...options, buttons: [...buttons, ...(options.buttons ?? [])] });
  }

  /** A prompt that gives the form's values, as one object. */
  static input({ ok = {}, ...options } = {}) {
    const callback = (event, button) => new FormDataExtended(button.form).object;
    return this.prompt({ ...options, ok: { ...ok, callback: ok.callback ?? callback } });
  }
}
