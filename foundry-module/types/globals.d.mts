import type { api } from "../api.mjs";

type TallybonesApi = typeof api;

declare module "@league-of-foundry-developers/foundry-vtt-types/configuration" {
  interface AssumeHookRan {
    ready: never;
  }

  interface ModuleConfig {
    tallybones: { api: TallybonesApi };
  }

  interface SettingConfig {
    "tallybones.service": Partial<import("../settings/world.mjs").World>;
    "tallybones.revoked": string[];
    "tallybones.keys": Record<string, string>;
    /** Version 14's name of what was `core.rollMode`. */
    "core.messageMode": string;
  }

  interface FlagConfig {
    Actor: {
      tallybones?: { sheet?: Record<string, Record<string, unknown>> };
    };
    ChatMessage: {
      tallybones?: { rollId?: string; challenge?: boolean; hidden?: boolean; key?: string; answer?: string; report?: string };
    };
  }

  namespace Hooks {
    interface HookConfig {
      "tallybones.status": (status: import("../api.mjs").Status) => void;
      "tallybones.roll": (roll: import("../api.mjs").RollRecord) => void;
      "tallybones.session": (session: import("../api.mjs").Session) => void;
      "tallybones.report": (report: import("../api.mjs").ReportListed) => void;
    }
  }
}

declare global {
  namespace CONFIG {
    interface Queries {
      "tallybones.token": (push: import("../service/pairing.mjs").Push) => Promise<boolean>;
    }
  }

  interface ReadyGame {
    /** The 3D-dice module, where the world has it. */
    dice3d?: { showForRoll(roll: object, user: User | null, synchronize: boolean): Promise<boolean> };
  }
}
