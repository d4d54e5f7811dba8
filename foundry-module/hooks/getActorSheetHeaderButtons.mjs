import { addHeaderButtons } from "../places/header.mjs";
import { listen } from "./listen.mjs";

/** Sheets that are still on the first application class. */
listen("getActorSheetHeaderButtons", addHeaderButtons);
