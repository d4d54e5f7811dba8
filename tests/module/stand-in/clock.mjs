import { Hooks } from "./hooks.mjs";
import { ask, onWorldEvent } from "./socket.mjs";

/** game.time: seconds of world time, moved by a GM, the same for all. */
export class GameTime {
  worldTime = 0;
  serverTime = Date.now();

  listen(worldTime) {
    this.worldTime = worldTime;
    onWorldEvent("time", event => this.#moved(event.time, event.by, event.options, event.userId));
  }

  async advance(by, options = {}) {
    const seconds = Number(by);
    const { time } = await ask("time", { by: seconds, options });
    this.#moved(time, seconds, options, game.user.id);
    return this.worldTime;
  }

  async set(time, options = {}) {
    return this.advance(time - this.worldTime, options);
  }

  #moved(time, by, options, userId) {
    this.worldTime = time;
    Hooks.callAll("updateWorldTime", time, by, options, userId);
  }
}
