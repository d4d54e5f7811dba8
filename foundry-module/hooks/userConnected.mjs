import { announceGm } from "../service/pairing.mjs";

/** Somebody came: whoever has no token may ask for one. Somebody left: another GM's client may be the active one now. */
Hooks.on("userConnected", () => announceGm());
