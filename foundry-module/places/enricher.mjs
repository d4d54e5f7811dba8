import { MODULE } from "../const.mjs";
import { element } from "../html.mjs";
import { format } from "../i18n.mjs";
import { sayWhy } from "../windows/notice.mjs";
import { rollNamed } from "./named.mjs";

/** `@TallyRoll[Climbing dv=2]{Climb the wall}`; without braces the words themselves are shown. */
export const PATTERN = /@TallyRoll\[([^\]\n]{1,200})\](?:\{([^}\n]{1,120})\})?/g;

const LINK = "a[data-tallybones-roll]";

/** Make links of `@TallyRoll[…]{…}` wherever Foundry enriches text. */
export function registerEnricher() {
  const enricher = {
    id: MODULE, // so that onRender is found again; the types do not know it yet
    pattern: PATTERN,
    enricher: async (/** @type {RegExpMatchArray} */ match) => link(match),
    onRender: (/** @type {HTMLElement} */ html) => {
      const links = html.matches(LINK) ? [html] : [...html.querySelectorAll(LINK)];
      for (const one of links) listen(/** @type {HTMLElement} */ (one));
    },
  };
  CONFIG.TextEditor.enrichers.push(enricher);
}

/**
 * @param {RegExpMatchArray} match
 * @returns {HTMLElement}
 */
function link([, words = "", shown]) {
  const text = (shown ?? words).trim();
  const hint = format("TALLYBONES.Place.Link", { words: words.trim() });
  // The tooltip is text for screen readers and pointers alike; an attribute of ours is never read as HTML.
  return element(
    "a",
    { class: "content-link tallybones-link-roll", "data-tallybones-roll": words.trim(), "data-tallybones-label": shown?.trim() ?? null, tabindex: "0", role: "button", title: hint },
    element("i", { class: "fa-solid fa-dice", "aria-hidden": "true" }),
    text,
  );
}

/** @param {HTMLElement} anchor */
function listen(anchor) {
  if (anchor.dataset["tallybonesReady"]) return;
  anchor.dataset["tallybonesReady"] = "1";
  const follow = (/** @type {MouseEvent|KeyboardEvent} */ event) => {
    event.preventDefault();
    event.stopPropagation();
    const { tallybonesRoll = "", tallybonesLabel } = anchor.dataset;
    const label = tallybonesLabel ? { label: tallybonesLabel.slice(0, 80) } : {};
    rollNamed(tallybonesRoll, { ...label, atOnce: event.shiftKey }).catch(sayWhy);
  };
  anchor.addEventListener("click", follow);
  anchor.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") follow(event);
  });
}
