import { MODULE } from "../const.mjs";
import { ConnectWindow } from "../windows/connect/connect.mjs";

/** The button among Foundry's settings that opens the connect window. Registered in init. */
export function registerSettingsMenu() {
  game.settings.registerMenu(MODULE, "connect", {
    name: "TALLYBONES.Connect.Title",
    label: "TALLYBONES.Place.Connect",
    hint: "TALLYBONES.Place.ConnectHint",
    icon: "fa-solid fa-plug",
    type: ConnectWindow,
    restricted: false,
  });
}
