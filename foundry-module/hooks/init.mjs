import { api } from "../api.mjs";
import { MODULE, TOKEN_QUERY } from "../const.mjs";
import { registerEnricher } from "../places/enricher.mjs";
import { registerKeybinding } from "../places/keybinding.mjs";
import { registerSettingsMenu } from "../places/settings-menu.mjs";
import { start } from "../service/connection.mjs";
import { takeToken } from "../service/pairing.mjs";
import { registerClientSettings } from "../settings/client.mjs";
import { registerWorldSettings } from "../settings/world.mjs";

Hooks.once("init", () => {
  const restart = () => game.ready && start();
  registerWorldSettings(restart);
  registerClientSettings(restart);
  CONFIG.queries[TOKEN_QUERY] = takeToken;
  registerEnricher();
  registerKeybinding();
  registerSettingsMenu();
  const module = game.modules.get(MODULE);
  if (module) module.api = api;
});
