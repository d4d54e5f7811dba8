import { addSceneControl } from "../places/scene-control.mjs";
import { listen } from "./listen.mjs";

listen("getSceneControlButtons", addSceneControl);
