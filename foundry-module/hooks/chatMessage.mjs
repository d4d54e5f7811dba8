import { onChatMessage } from "../places/command.mjs";

/** `false`, at once, keeps Foundry from sending what was typed; only our own command does so. */
Hooks.on("chatMessage", (log, text) => onChatMessage(log, text));
