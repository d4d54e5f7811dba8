import { MODULE } from "../const.mjs";

/** The key that opens the pad: Shift+R unless somebody chose another. Registered in init. */
export function registerKeybinding() {
  game.keybindings.register(MODULE, "pad", {
    name: "TALLYBONES.Key.Pad.name",
    hint: "TALLYBONES.Key.Pad.hint",
    // The value of Foundry's MODIFIER_KEYS.SHIFT; the types only know the constant's name.
    editable: [{ key: "KeyR", modifiers: [/** @type {"SHIFT"} */ (/** @type {string} */ ("Shift"))] }],
    onDown: () => {
      void import("../windows/pad/pad.mjs").then(({ RollPad }) => RollPad.toggle());
      return true;
    },
  });
}
