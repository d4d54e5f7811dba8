import { Hooks } from "./hooks.mjs";
import { deprecated } from "./observed.mjs";

const tool = (name, order, title, icon) => ({ name, order, title, icon, onChange: () => {} });

/** ui.controls: groups of tools at the left; both generations hand the hook a record. */
export class SceneControls {
  control = null;
  controls = {};

  constructor(element) { this.element = element; }

  #prepare() {
    const controls = {
      tokens: {
        name: "tokens", order: 1, title: "CONTROLS.GroupToken", icon: "fa-solid fa-user-large", activeTool: "select", visible: true,
        tools: { select: tool("select", 1, "CONTROLS.TokenSelect", "fa-solid fa-expand"), target: tool("target", 2, "CONTROLS.TargetSelect", "fa-solid fa-bullseye") },
      },
      tiles: {
        name: "tiles", order: 2, title: "CONTROLS.GroupTile", icon: "fa-solid fa-cubes", activeTool: "select", visible: game.user.isGM,
        tools: { select: tool("select", 1, "CONTROLS.TileSelect", "fa-solid fa-expand") },
      },
    };
    Hooks.callAll("getSceneControlButtons", controls);
    return controls;
  }

  async render({ controls: chosen = this.control?.name ?? "tokens", reset = true } = {}) {
    if (reset) this.controls = this.#prepare();
    this.control = this.controls[chosen];
    const [layers, tools] = [this.#menu("scene-controls-layers"), this.#menu("scene-controls-tools")];
    for (const group of this.#ordered(this.controls)) {
      this.#button(layers, group, "control", this.control === group).addEventListener("click", () => this.render({ controls: group.name, reset: false }));
    }
    for (const entry of this.#ordered(this.control.tools)) {
      const active = entry.toggle ? entry.active : !entry.button && this.control.activeTool === entry.name;
      this.#button(tools, entry, "tool", active).addEventListener("click", event => this.#use(event, entry));
    }
    this.element.replaceChildren(layers, tools);
    Hooks.callAll("renderSceneControls", this, this.element, {}, {});
  }

  #ordered(record) {
    return Object.values(record).filter(entry => entry.visible ?? true).sort((one, other) => one.order - other.order);
  }

  #menu(id) {
    return Object.assign(document.createElement("menu"), { id, className: "flexcol" });
  }

  #button(menu, entry, kind, pressed) {
    const item = menu.appendChild(document.createElement("li"));
    const button = Object.assign(document.createElement("button"), { type: "button", className: `control ui-control ${kind} icon ${entry.icon}` });
    Object.assign(button.dataset, { action: kind, [kind]: entry.name, tooltip: "" });
    button.ariaLabel = game.i18n.localize(entry.title);
    button.ariaPressed = String(Boolean(pressed));
    item.append(button);
    return button;
  }

  #use(event, entry) {
    if (entry.onClick) deprecated("scene control tool onClick (use onChange)");
    if (entry.toggle) entry.active = !entry.active;
    else if (!entry.button) this.control.activeTool = entry.name;
    (entry.onChange ?? entry.onClick)?.(event, entry.toggle ? entry.active : true);
    this.render({ reset: false });
  }
}
