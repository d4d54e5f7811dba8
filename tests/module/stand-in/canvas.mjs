import { ApplicationV2 } from "./application.mjs";
import { Hooks } from "./hooks.mjs";

/** A token on the map: a click takes it, the right button opens its HUD. */
class Token {
  constructor(tokenDocument, board) {
    this.document = tokenDocument;
    this.controlled = false;
    this.element = board.appendChild(Object.assign(document.createElement("button"), { className: "token", type: "button" }));
    this.element.style.cssText = `left: ${tokenDocument.x}px; top: ${tokenDocument.y}px`;
    this.element.dataset.tokenId = tokenDocument.id;
    this.element.textContent = tokenDocument.name;
    this.element.addEventListener("click", event => this.control({ releaseOthers: !event.shiftKey }));
    this.element.addEventListener("contextmenu", event => {
      event.preventDefault();
      if (this.isOwner) canvas.hud.token.bind(this);
    });
  }

  get id() { return this.document.id; }
  get name() { return this.document.name; }
  get actor() { return this.document.actor; }
  get isOwner() { return this.document.isOwner; }

  control({ releaseOthers = true } = {}) {
    if (!this.isOwner) return false;
    if (releaseOthers) for (const token of canvas.tokens.controlled) if (token !== this) token.release();
    if (!this.controlled) this.#hold(true);
    return true;
  }

  release() {
    if (this.controlled) this.#hold(false);
    return true;
  }

  #hold(held) {
    this.controlled = held;
    this.element.classList.toggle("controlled", held);
    Hooks.callAll("controlToken", this, held);
  }
}

/** The buttons around a token. */
export class TokenHUD extends ApplicationV2 {
  static DEFAULT_OPTIONS = { id: "token-hud", tag: "form", classes: ["placeable-hud"], window: { frame: false, positioned: false } };
  get object() { return this.token; }
  get document() { return this.token?.document; }
  get actor() { return this.token?.actor; }

  async bind(token) {
    await this.close();
    this.token = token;
    return this.render({ force: true });
  }

  async _renderHTML() {
    const button = (action, icon) => `<button type="button" class="control-icon" data-action="${action}"><i class="${icon}" inert></i></button>`;
    return `<div class="col left">${button("sort", "fa-solid fa-arrow-up")}</div><div class="col middle"></div>
      <div class="col right">${button("visibility", "fa-solid fa-eye-slash")}${button("combat", "fa-solid fa-shield")}</div>`;
  }

  _replaceHTML(html, content) {
    content.innerHTML = html;
    Object.assign(content.style, { left: `${this.document.x}px`, top: `${this.document.y}px` });
  }

  _insertElement(element) { document.getElementById("board").append(element); }
}

export function openCanvas(board, tokens) {
  const scene = { id: "SceneBridge00001", name: "The bridge", tokens, active: true };
  const layer = {
    placeables: [], name: "tokens",
    get controlled() { return this.placeables.filter(token => token.controlled); },
    get(id) { return this.placeables.find(token => token.id === id) ?? null; },
    releaseAll() { for (const token of this.controlled) token.release(); },
  };
  board.addEventListener("click", event => { if (event.target === board) { layer.releaseAll(); canvas.hud.token.close(); } });
  return Object.assign(globalThis.canvas, {
    ready: true, scene, tokens: layer, hud: { token: new TokenHUD() }, activeLayer: layer,
    draw() {
      scene.tokens = tokens;
      layer.placeables = tokens.map(tokenDocument => new Token(tokenDocument, board));
      Hooks.callAll("canvasReady", canvas);
    },
  });
}
