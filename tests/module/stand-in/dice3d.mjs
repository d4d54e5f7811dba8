import { Hooks } from "./hooks.mjs";
import { observed } from "./observed.mjs";

const faces = roll => roll.dice.flatMap(die => die.results.map(({ result }) => result));

/** Stands for the 3D-dice module: it throws whatever a new message carries, on each screen that may see it. */
export function openDice3d() {
  Hooks.on("createChatMessage", message => {
    if (!message.isRoll || !message.isContentVisible) return;
    for (const roll of message.rolls) observed.diceShown.push({ message: message.id, by: "message", dice: faces(roll) });
  });
  return {
    async showForRoll(roll) {
      observed.diceShown.push({ message: "", by: "showForRoll", dice: faces(roll) });
      return true;
    },
  };
}
