import { drawPending } from "../rolls/pending.mjs";

Hooks.on("renderChatLog", () => drawPending());
