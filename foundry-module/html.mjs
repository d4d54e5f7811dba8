const ENTITIES = /** @type {Record<string, string>} */ ({
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
});

/**
 * Text as it may stand in HTML, in an attribute too.
 * @param {unknown} text
 * @returns {string}
 */
export function escape(text) {
  return String(text ?? "").replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);
}

/**
 * HTML whose words stay words in the chat: Foundry, game systems and other modules make links, rolls and buttons of
 * `@Word[…]`, `&Word[…]` and `[[…]]`, also where somebody's name reads so. A letter that nobody sees (U+2060) before
 * each bracket keeps them from it. For HTML whose attributes hold no bracket.
 * @param {string} html
 * @returns {string}
 */
export function unenriched(html) {
  return html.replaceAll("[", "\u2060[");
}

/**
 * Make an element; its children are text (never parsed as HTML) or elements.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string|boolean|null|undefined>} [attributes]  False, null and undefined are left out.
 * @param {...(Node|string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/**
 * A button with an icon; the icon says nothing to a screen reader.
 * @param {string} label
 * @param {string} icon  Its Font Awesome classes.
 * @param {() => void} onClick
 * @returns {HTMLButtonElement}
 */
export function button(label, icon, onClick) {
  const made = element("button", { type: "button" }, element("i", { class: icon, "aria-hidden": "true" }), ` ${label}`);
  made.addEventListener("click", (event) => {
    event.preventDefault();
    event.stopPropagation();
    onClick();
  });
  return made;
}
