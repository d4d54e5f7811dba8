import { addTokenHudButton } from "../places/token-hud.mjs";
import { listen } from "./listen.mjs";

listen("renderTokenHUD", addTokenHudButton);
