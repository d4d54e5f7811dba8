import { element } from "../html.mjs";
import { localize } from "../i18n.mjs";

const CLASS = "tallybones-hud";

/**
 * The pad's button beside a token.
 * @param {{actor?: Actor.Implementation|null|undefined}} app   The token's HUD.
 * @param {HTMLElement} html
 */
export function addTokenHudButton(app, html) {
  if (!app.actor?.isOwner || html.querySelector(`.${CLASS}`)) return;
  const label = localize("TALLYBONES.Place.Pad");
  const button = element(
    "button",
    { type: "button", class: `control-icon ${CLASS}`, "data-tooltip": label, "aria-label": label },
    element("i", { class: "fa-solid fa-dice", "aria-hidden": "true" }),
  );
  button.addEventListener("click", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    const { RollPad } = await import("../windows/pad/pad.mjs");
    await RollPad.show();
  });
  (html.querySelector(".col.right") ?? html).append(button);
}
