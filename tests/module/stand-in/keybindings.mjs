/** game.keybindings and game.keyboard */

export const MODIFIER_KEYS = Object.freeze({ ALT: "Alt", CONTROL: "Control", SHIFT: "Shift" });

export class KeyboardManager {
  static MODIFIER_KEYS = MODIFIER_KEYS;
  downKeys = new Set();

  constructor(bindings) {
    this.bindings = bindings;
    addEventListener("keydown", event => this.#onKey(event, false));
    addEventListener("keyup", event => this.#onKey(event, true));
    addEventListener("blur", () => this.downKeys.clear());
  }

  /** Whether what is typed goes into a field. */
  get hasFocus() {
    const focus = document.activeElement;
    return Boolean(focus?.isContentEditable || ["INPUT", "SELECT", "TEXTAREA", "PROSE-MIRROR"].includes(focus?.tagName));
  }

  isModifierActive(name) {
    const sides = { Alt: ["AltLeft", "AltRight"], Control: ["ControlLeft", "ControlRight", "MetaLeft"], Shift: ["ShiftLeft", "ShiftRight"] };
    return sides[MODIFIER_KEYS[name.toUpperCase()] ?? name].some(code => this.downKeys.has(code));
  }

  #onKey(event, up) {
    if (up) this.downKeys.delete(event.code);
    else this.downKeys.add(event.code);
    if (event.key === "Escape" && !up) { this.#dismiss(); return; }
    if (this.hasFocus || event.isComposing) return;
    const pressed = Object.values(MODIFIER_KEYS).filter(name => event[`${name === "Control" ? "ctrl" : name.toLowerCase()}Key`]);
    const context = {
      event, key: event.code, up, repeat: event.repeat, modifiers: pressed,
      isShift: event.shiftKey, isControl: event.ctrlKey, isAlt: event.altKey,
    };
    for (const action of this.bindings.actions.values()) {
      if ((action.restricted && !game.user.isGM) || (event.repeat && !action.repeat)) continue;
      if (!this.bindings.matches(action, context)) continue;
      if ((up ? action.onUp : action.onDown)?.(context)) { event.preventDefault(); return; }
    }
  }

  /** Escape closes the window in front, then lets tokens go. */
  #dismiss() {
    const open = Array.from(foundry.applications.instances.values()).filter(app => app.hasFrame);
    const last = ui.activeWindow ?? open.at(-1);
    if (last) last.close();
    else canvas.tokens.releaseAll();
  }
}

export class ClientKeybindings {
  actions = new Map();
  locked = false;

  register(namespace, name, config) {
    if (this.locked) throw new Error("You cannot register a Keybinding after the init hook");
    if (!config.onDown && !config.onUp) throw new Error("A keybinding needs onDown or onUp");
    this.actions.set(`${namespace}.${name}`, { precedence: 1, repeat: false, editable: [], uneditable: [], ...config, namespace });
  }

  get(namespace, name) {
    const action = this.actions.get(`${namespace}.${name}`);
    return [...action.uneditable, ...action.editable].map(({ key, modifiers = [] }) => ({ key, modifiers }));
  }

  matches(action, context) {
    return [...action.uneditable, ...action.editable].some(({ key, modifiers = [] }) =>
      key === context.key && (modifiers.every(name => context.modifiers.includes(name)) && context.modifiers.length === modifiers.length));
  }
}
