import { localize } from "../i18n.mjs";
import { sayWhy } from "../windows/notice.mjs";

/**
 * The sheet's button in the header of an actor's window, of both generations of windows.
 *
 * @typedef {{action: string, icon: string, label: string, visible: boolean, onClick: () => void}} HeaderControl
 * @typedef {{class: string, icon: string, label: string, onclick: () => void}} HeaderButton
 */

const ACTION = "tallybonesSheet";
const ICON = "fa-solid fa-dice";

/**
 * @param {{document?: unknown, actor?: unknown}} app
 * @param {HeaderControl[]} controls
 */
export function addHeaderControls(app, controls) {
  const actor = actorOf(app);
  if (!actor?.isOwner || controls.some(({ action }) => action === ACTION)) return;
  controls.push({
    action: ACTION,
    icon: ICON,
    label: "TALLYBONES.Place.Sheet",
    visible: true,
    onClick: () => openSheet(actor),
  });
}

/**
 * @param {{document?: unknown, actor?: unknown}} app   A sheet of the first generation.
 * @param {HeaderButton[]} buttons
 */
export function addHeaderButtons(app, buttons) {
  const actor = actorOf(app);
  if (!actor?.isOwner || buttons.some((button) => button.class === ACTION)) return;
  buttons.unshift({ class: ACTION, icon: ICON, label: localize("TALLYBONES.Place.SheetShort"), onclick: () => openSheet(actor) });
}

/**
 * @param {{document?: unknown, actor?: unknown}} app
 * @returns {Actor.Implementation|null}
 */
function actorOf({ document, actor }) {
  const shown = document ?? actor;
  return shown instanceof Actor ? shown : null;
}

/** @param {Actor.Implementation} actor */
async function openSheet(actor) {
  const { SheetPanel } = await import("../windows/sheet/sheet.mjs");
  await SheetPanel.show(actor).catch(sayWhy);
}
