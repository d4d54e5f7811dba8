/** Real Handlebars, Foundry's helpers, and the mixin that renders windows from templates part by part. */

import { escapeHTML } from "./utils.mjs";

const compiled = new Map();

/** Fetch and compile a template once; it is a partial by its path from then on. */
export async function getTemplate(path, id = path) {
  if (!compiled.has(id)) {
    const answer = await fetch(`/${path.replace(/^\//, "")}`);
    if (!answer.ok) throw new Error(`The template ${path} is not there`);
    const template = Handlebars.compile(await answer.text());
    Handlebars.registerPartial(id, template);
    compiled.set(id, template);
  }
  return compiled.get(id);
}

/** @param {string[]|Record<string, string>} paths */
export async function loadTemplates(paths) {
  const entries = Array.isArray(paths) ? paths.map(path => [path, path]) : Object.entries(paths);
  return Promise.all(entries.map(([id, path]) => getTemplate(path, id)));
}

export async function renderTemplate(path, context) {
  const template = await getTemplate(path);
  return template(context ?? {}, { allowProtoMethodsByDefault: true, allowProtoPropertiesByDefault: true });
}

const option = (value, label, chosen) =>
  `<option value="${escapeHTML(value)}"${chosen ? " selected" : ""}>${escapeHTML(label)}</option>`;

function selectOptions(choices, { hash }) {
  const { selected, localize, blank, nameAttr, valueAttr, labelAttr } = hash;
  const chosen = new Set((Array.isArray(selected) ? selected : [selected]).map(String));
  const rows = Array.isArray(choices)
    ? choices.map(choice => (typeof choice === "object" ? choice : { value: choice, label: choice }))
    : Object.entries(choices).map(([value, label]) => ({ ...(typeof label === "object" ? label : { label }), value }));
  const options = rows.map(row => {
    const value = row[valueAttr ?? nameAttr ?? "value"];
    const label = row[labelAttr ?? "label"];
    return option(value, localize ? game.i18n.localize(label) : label, chosen.has(String(value)));
  });
  if (blank !== undefined) options.unshift(option("", game.i18n.localize(blank), false));
  return new Handlebars.SafeString(options.join(""));
}

const truthy = args => args.slice(0, -1);

export function registerHelpers() {
  Handlebars.registerHelper({
    localize: (key, { hash }) => (Object.keys(hash).length ? game.i18n.format(String(key), hash) : game.i18n.localize(String(key))),
    concat: (...args) => truthy(args).filter(part => typeof part !== "object").join(""),
    object: ({ hash }) => hash,
    checked: value => (value ? "checked" : ""),
    disabled: value => (value ? "disabled" : ""),
    ifThen: (test, yes, no) => (test ? yes : no),
    eq: (one, other) => one === other, ne: (one, other) => one !== other,
    lt: (one, other) => one < other, gt: (one, other) => one > other,
    lte: (one, other) => one <= other, gte: (one, other) => one >= other,
    not: value => !value,
    and: (...args) => truthy(args).every(Boolean), or: (...args) => truthy(args).some(Boolean),
    numberFormat: (value, { hash }) => {
      const text = Number(value).toFixed(hash.decimals ?? 0);
      return hash.sign && value >= 0 ? `+${text}` : text;
    },
    selectOptions,
  });
}

/** foundry.applications.api.HandlebarsApplicationMixin */
export function HandlebarsApplicationMixin(Base) {
  class HandlebarsApplication extends Base {
    static PARTS = {};
    #parts = {};

    get parts() { return this.#parts; }

    _configureRenderOptions(options) {
      super._configureRenderOptions(options);
      options.parts ??= Object.keys(this._configureRenderParts(options));
    }

    _configureRenderParts() { return structuredClone(this.constructor.PARTS); }

    async _preFirstRender(context, options) {
      await super._preFirstRender(context, options);
      const parts = Object.values(this.constructor.PARTS);
      await loadTemplates(parts.flatMap(part => [part.template, ...(part.templates ?? [])]));
    }

    async _preparePartContext(partId, context) {
      return { ...context, partId: `${this.id}-${partId}`, tab: context.tabs?.[partId] };
    }

    async _renderHTML(context, options) {
      const rendered = {};
      const parts = this._configureRenderParts(options);
      for (const partId of options.parts) {
        const part = parts[partId];
        if (!part) continue;
        const html = await renderTemplate(part.template, await this._preparePartContext(partId, context, options));
        rendered[partId] = this.#parsePart(partId, part, html);
      }
      return rendered;
    }

    /** A part is one element; a part with `root` is what is inside the window's content. */
    #parsePart(partId, part, html) {
      const { content } = Object.assign(document.createElement("template"), { innerHTML: html });
      if (!part.root && content.childElementCount !== 1) {
        throw new Error(`Template part "${partId}" must render a single HTML element.`);
      }
      const element = part.root ? Object.assign(document.createElement("div"), { innerHTML: html }) : content.firstElementChild;
      element.dataset.applicationPart = partId;
      if (part.id) element.id = `${this.id}-${part.id}`;
      if (part.classes) element.classList.add(...part.classes);
      return element;
    }

    _replaceHTML(rendered, content, options) {
      for (const [partId, element] of Object.entries(rendered)) {
        const before = this.#parts[partId]?.isConnected ? this.#parts[partId] : null;
        const state = {};
        if (before) {
          this._preSyncPartState(partId, element, before, state);
          before.replaceWith(element);
          this._syncPartState(partId, element, before, state);
        } else {
          content.append(element);
        }
        this._attachPartListeners(partId, element, options);
        this.#parts[partId] = element;
      }
    }

    /** Focus and scrolling survive a render. */
    _preSyncPartState(partId, _after, before, state) {
      const focus = before.contains(document.activeElement) ? document.activeElement : null;
      if (focus?.id) state.focus = `#${CSS.escape(focus.id)}`;
      else if (focus?.name) state.focus = `${focus.localName}[name="${CSS.escape(focus.name)}"]`;
      const scrollable = this.constructor.PARTS[partId]?.scrollable ?? [];
      state.scroll = scrollable.map(selector => [selector, (selector ? before.querySelector(selector) : before)?.scrollTop ?? 0]);
    }

    _syncPartState(_partId, after, _before, state) {
      if (state.focus) after.querySelector(state.focus)?.focus();
      for (const [selector, top] of state.scroll) {
        const element = selector ? after.querySelector(selector) : after;
        if (element) element.scrollTop = top;
      }
    }

    _attachPartListeners(partId, element, _options) {
      const forms = this.constructor.PARTS[partId]?.forms ?? {};
      for (const [selector, config] of Object.entries(forms)) {
        const form = element.matches(selector) ? element : element.querySelector(selector);
        form?.addEventListener("submit", event => this._onSubmitForm(config, event));
        form?.addEventListener("change", event => config.submitOnChange && this._onSubmitForm(config, event));
      }
    }

    _tearDown(options) {
      super._tearDown(options);
      this.#parts = {};
    }
  }
  return HandlebarsApplication;
}
