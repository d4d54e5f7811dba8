import { ApplicationV2 } from "./application.mjs";

/** Configure Settings: each module's menus and the settings that it shows, as GM and players see them. */
export class SettingsConfig extends ApplicationV2 {
  static DEFAULT_OPTIONS = {
    id: "settings-config", tag: "form", position: { width: 560 }, window: { title: "SETTINGS.Title", icon: "fa-solid fa-gears" },
    form: { closeOnSubmit: true, handler: SettingsConfig.#save },
    actions: { openSubmenu: SettingsConfig.#open },
  };

  static async #save(event, form, { object }) {
    for (const [id, value] of Object.entries(object)) {
      const { namespace, key, type } = game.settings.settings.get(id);
      await game.settings.set(namespace, key, type === Number ? Number(value) : value);
    }
  }

  static #open(event, target) {
    const { type: MenuClass } = game.settings.menus.get(target.dataset.key);
    new MenuClass().render({ force: true });
  }

  async _renderHTML() {
    const text = key => foundry.utils.escapeHTML(game.i18n.localize(key ?? ""));
    const menus = Array.from(game.settings.menus.values(), menu => {
      if (menu.restricted && !game.user.isGM) return "";
      return `<div class="form-group submenu"><label>${text(menu.name)}</label><div class="form-fields">
        <button type="button" data-action="openSubmenu" data-key="${menu.key}"><i class="${menu.icon}"></i> ${text(menu.label)}</button></div>
        <p class="hint">${text(menu.hint)}</p></div>`;
    });
    const settings = Array.from(game.settings.settings.values(), setting => {
      if (!setting.config || (setting.scope === "world" && !game.user.isGM)) return "";
      return `<div class="form-group"><label for="setting-${setting.id}">${text(setting.name)}</label>
        <div class="form-fields">${this.#field(setting)}</div><p class="hint">${text(setting.hint)}</p></div>`;
    });
    return `${menus.join("")}${settings.join("")}<footer class="form-footer"><button type="submit">${text("SETTINGS.Save")}</button></footer>`;
  }

  #field({ id, type, choices, namespace, key }) {
    const value = game.settings.get(namespace, key);
    const escape = foundry.utils.escapeHTML;
    const named = `id="setting-${id}" name="${id}"`;
    if (choices) {
      const options = Object.entries(choices).map(([choice, label]) =>
        `<option value="${escape(choice)}"${String(value) === choice ? " selected" : ""}>${escape(game.i18n.localize(label))}</option>`);
      return `<select ${named}>${options.join("")}</select>`;
    }
    if (type === Boolean) return `<input type="checkbox" ${named}${value ? " checked" : ""}>`;
    return `<input type="${type === Number ? "number" : "text"}" ${named} value="${escape(value ?? "")}">`;
  }

  _replaceHTML(html, content) { content.innerHTML = html; }
}
