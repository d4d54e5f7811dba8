import { addHeaderControls } from "../places/header.mjs";
import { listen } from "./listen.mjs";

listen("getHeaderControlsActorSheetV2", addHeaderControls);
