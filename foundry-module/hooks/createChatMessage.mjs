import { unattended } from "../log.mjs";
import { throwHidden } from "../rolls/hidden.mjs";

Hooks.on("createChatMessage", (message) => unattended(throwHidden(message)));
