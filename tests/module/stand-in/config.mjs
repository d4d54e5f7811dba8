import { Roll } from "./roll.mjs";
import { Die, NumericTerm, OperatorTerm } from "./dice-terms.mjs";
import { isV14 } from "./release.mjs";

/** CONFIG at the start of `init`, for the generation that the page presents. */
export function makeConfig() {
  const config = {
    debug: { hooks: false },
    Actor: { sheetGeneration: 2 },
    Dice: {
      rolls: [Roll], termTypes: { Die, NumericTerm, OperatorTerm }, terms: { d: Die },
      fulfillment: { methods: {}, dice: Object.fromEntries([4, 6, 8, 10, 12, 20, 100].map(faces => [`d${faces}`, {}])), defaultMethod: "" },
      randomUniform: Math.random,
    },
    ChatMessage: {},
    queries: {},
    sounds: { dice: "sounds/dice.wav", notification: "sounds/notify.wav" },
    TextEditor: { enrichers: [] },
    time: { roundTime: 6, turnTime: 0 },
    ui: {},
  };
  if (isV14) {
    config.ChatMessage.modes = {
      public: { label: "CHAT.MODES.public", icon: "fa-solid fa-globe" }, gm: { label: "CHAT.MODES.gm", icon: "fa-solid fa-user-secret" },
      blind: { label: "CHAT.MODES.blind", icon: "fa-solid fa-eye-slash" }, self: { label: "CHAT.MODES.self", icon: "fa-solid fa-user" },
      ic: { label: "CHAT.MODES.ic", icon: "fa-solid fa-comment" },
    };
  } else {
    config.Dice.rollModes = {
      publicroll: { label: "CHAT.RollPublic", icon: "fa-solid fa-globe" }, gmroll: { label: "CHAT.RollPrivate", icon: "fa-solid fa-user-secret" },
      blindroll: { label: "CHAT.RollBlind", icon: "fa-solid fa-eye-slash" }, selfroll: { label: "CHAT.RollSelf", icon: "fa-solid fa-user" },
    };
  }
  return config;
}
