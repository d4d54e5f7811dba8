import { MODULE } from "../const.mjs";

/**
 * The pad's button among the token tools on the left edge; for the GM also the window of sessions and players.
 * @param {Record<string, {tools: Record<string, object>}>} controls
 */
export function addSceneControl(controls) {
  const tools = controls["tokens"]?.tools;
  if (!tools) return;
  const order = Object.keys(tools).length;
  tools[MODULE] = {
    name: MODULE,
    title: "TALLYBONES.Place.Pad",
    icon: "fa-solid fa-dice",
    order,
    button: true,
    visible: true,
    onChange: async () => {
      const { RollPad } = await import("../windows/pad/pad.mjs");
      await RollPad.toggle();
    },
  };
  tools[`${MODULE}-gm`] = {
    name: `${MODULE}-gm`,
    title: "TALLYBONES.Place.GM",
    icon: "fa-solid fa-book-open",
    order: order + 1,
    button: true,
    visible: game.user.isGM,
    onChange: async () => {
      const { GMWindow } = await import("../windows/gm/gm.mjs");
      await GMWindow.toggle();
    },
  };
}
