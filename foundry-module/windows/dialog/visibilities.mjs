import { VISIBILITIES } from "../../const.mjs";
import { localize } from "../../i18n.mjs";

/** @import { Visibility } from "../../api.mjs" */

/** @type {Record<Visibility, string>} */
const ICONS = {
  public: "fa-solid fa-globe",
  gm: "fa-solid fa-user-secret",
  blind: "fa-solid fa-eye-slash",
  self: "fa-solid fa-user",
};

/**
 * @param {unknown} value
 * @returns {value is Visibility}
 */
export function isVisibility(value) {
  return VISIBILITIES.some((one) => one === value);
}

/**
 * The visibilities that a form offers.
 * @param {string} id       What the ids of the controls begin with.
 * @param {string} chosen
 */
export function visibilityOptions(id, chosen) {
  return VISIBILITIES.map((value) => ({
    id: `${id}-${value}`,
    value,
    icon: ICONS[value],
    label: localize(`TALLYBONES.Visibility.${value}.label`),
    selected: value === chosen,
  }));
}

/**
 * What is worth saying of who sees the roll: nothing where everybody does.
 * @param {string} visibility
 * @returns {string}
 */
export function seenBy(visibility) {
  return visibility === "public" ? "" : localize(`TALLYBONES.Visibility.${visibility}.hint`);
}
