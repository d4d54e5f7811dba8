import { expandObject } from "./utils.mjs";

/** foundry.applications.ux.FormDataExtended: a form's values with their types; disabled fields are left out. */
export class FormDataExtended extends FormData {
  /** @type {Record<string, unknown>} by the fields' names, dots and all */
  object = {};

  constructor(form, { submitter } = {}) {
    super(form);
    this.form = form;
    for (const field of form.elements) {
      if (!field.name || field.disabled || field.closest("fieldset:disabled")) continue;
      if (field.type === "button" || field.type === "submit") continue;
      this.#take(field);
    }
    if (submitter?.name) this.object[submitter.name] = submitter.value;
  }

  #take(field) {
    const { name, type, value } = field;
    if (type === "radio") {
      if (field.checked) this.object[name] = this.#typed(field, value);
      else this.object[name] ??= null;
    } else if (type === "checkbox") {
      this.#takeBox(field);
    } else if (field.localName === "select" && field.multiple) {
      this.object[name] = Array.from(field.selectedOptions, option => this.#typed(field, option.value));
    } else if (type === "number" || type === "range") {
      this.object[name] = value === "" ? null : Number(value);
    } else {
      this.object[name] = this.#typed(field, value);
    }
  }

  /** One box is true or false; several of one name are the list of those ticked. */
  #takeBox({ name, value, checked, form }) {
    const sameName = form.querySelectorAll(`input[type=checkbox][name="${CSS.escape(name)}"]`);
    if (sameName.length > 1) this.object[name] = [...(this.object[name] ?? []), ...(checked ? [value] : [])];
    else this.object[name] = checked;
  }

  #typed(field, value) {
    if (field.dataset.dtype === "Number") return value === "" ? null : Number(value);
    if (field.dataset.dtype === "Boolean") return value === "true";
    return value;
  }

  toObject() { return expandObject(this.object); }
}
