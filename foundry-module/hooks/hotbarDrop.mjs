import { dropOnHotbar } from "../places/hotbar.mjs";
import { listen } from "./listen.mjs";

listen("hotbarDrop", dropOnHotbar);
