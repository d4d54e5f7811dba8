/** CONST, as far as modules use it. */
export const CONST = Object.freeze({
  USER_ROLES: Object.freeze({ NONE: 0, PLAYER: 1, TRUSTED: 2, ASSISTANT: 3, GAMEMASTER: 4 }),
  DOCUMENT_OWNERSHIP_LEVELS: Object.freeze({ INHERIT: -1, NONE: 0, LIMITED: 1, OBSERVER: 2, OWNER: 3 }),
  CHAT_MESSAGE_STYLES: Object.freeze({ OTHER: 0, OOC: 1, IC: 2, EMOTE: 3 }),
  DICE_ROLL_MODES: Object.freeze({ PUBLIC: "publicroll", PRIVATE: "gmroll", BLIND: "blindroll", SELF: "selfroll" }),
  KEYBINDING_PRECEDENCE: Object.freeze({ PRIORITY: 0, NORMAL: 1, DEFERRED: 2 }),
  MACRO_TYPES: Object.freeze({ SCRIPT: "script", CHAT: "chat" }),
  // A chat message or page keeps these elements; the server strips all others with what is in them.
  ALLOWED_HTML_TAGS: Object.freeze(
    `header main section article aside nav footer div address h1 h2 h3 h4 h5 h6 hr br p blockquote summary details span
    code pre a label abbr cite mark q ruby rp rt small time var kbd samp dfn sub sup strong em b i u s del ins ol ul li
    dl dd dt menu table thead tbody tfoot tr th td col colgroup form input select option button datalist fieldset legend
    meter optgroup progress textarea output figure figcaption caption img video map area track picture source audio
    iframe color-picker code-mirror document-embed document-tags enriched-content file-picker hue-slider multi-select
    multi-checkbox range-picker secret-block string-tags prose-mirror`.split(/\s+/)),
});

const ALLOWED_ATTRIBUTES = new Set(
  `class id title style draggable tabindex dir hidden inert role is lang popover autofocus spellcheck translate href name
  target rel alt src height width open for value type disabled checked min max step low high optimum placeholder readonly
  required colspan rowspan scope headers datetime label selected multiple size rows cols start reversed cite controls
  enricher uuid`.split(/\s+/));

/** Clean HTML as Foundry's server does before it stores it. */
export function cleanHTML(raw) {
  const template = document.createElement("template");
  template.innerHTML = raw;
  for (const element of Array.from(template.content.querySelectorAll("*"))) {
    if (!CONST.ALLOWED_HTML_TAGS.includes(element.localName)) { element.remove(); continue; }
    for (const { name, value } of Array.from(element.attributes)) {
      const known = ALLOWED_ATTRIBUTES.has(name) || name.startsWith("data-") || name.startsWith("aria-");
      if (!known || /^\s*javascript:/i.test(value)) element.removeAttribute(name);
    }
  }
  return template.innerHTML;
}
