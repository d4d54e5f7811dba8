/** The page's entry: puts Foundry's globals in place, loads the world and its modules, and runs init, setup and ready. */

import { ApplicationV2 } from "./application.mjs";
import { Actor, Item, TokenDocument } from "./actors.mjs";
import { TokenHUD, openCanvas } from "./canvas.mjs";
import { ChatLog, ContextMenu } from "./chat-log.mjs";
import { ChatMessage } from "./chat-message.mjs";
import { GameTime } from "./clock.mjs";
import { makeConfig } from "./config.mjs";
import { CONST, cleanHTML } from "./constants.mjs";
import { DialogV2 } from "./dialog.mjs";
import { openDice3d } from "./dice3d.mjs";
import { Die, NumericTerm, OperatorTerm, RollTerm } from "./dice-terms.mjs";
import { fromUuid, fromUuidSync, openCollection } from "./documents.mjs";
import { FormDataExtended } from "./form-data.mjs";
import { HandlebarsApplicationMixin, getTemplate, loadTemplates, registerHelpers, renderTemplate } from "./handlebars-application.mjs";
import { Hooks } from "./hooks.mjs";
import { Localization } from "./i18n.mjs";
import { JournalEntry } from "./journal.mjs";
import { ClientKeybindings, KeyboardManager } from "./keybindings.mjs";
import { Hotbar, Macro } from "./macros.mjs";
import { Notifications } from "./notifications.mjs";
import { deprecated, observed } from "./observed.mjs";
import { isV14, pageParameters, release } from "./release.mjs";
import { Roll } from "./roll.mjs";
import { SceneControls } from "./scene-controls.mjs";
import { ClientSettings, registerCoreSettings } from "./settings.mjs";
import { SettingsConfig } from "./settings-window.mjs";
import { ActorSheetV2, DocumentSheetV2, appv1 } from "./sheets.mjs";
import { openDirectories } from "./sidebar.mjs";
import { joinWorld, socket, tab } from "./socket.mjs";
import { TextEditor } from "./text-editor.mjs";
import { User, furnishUsers } from "./users.mjs";
import * as utils from "./utils.mjs";

const find = selector => document.querySelector(selector);

function placeGlobals() {
  const documents = { Actor, ChatMessage, Item, JournalEntry, Macro, TokenDocument, User };
  const foundry = {
    CONST, documents, appv1,
    audio: { AudioHelper: { play: ({ src }) => observed.sounds.push(src) } },
    applications: {
      instances: new Map(),
      api: { ApplicationV2, DialogV2, DocumentSheetV2, HandlebarsApplicationMixin },
      apps: {}, handlebars: { getTemplate, loadTemplates, renderTemplate }, hud: { TokenHUD },
      settings: { SettingsConfig }, sheets: { ActorSheetV2 }, sidebar: { tabs: { ChatLog } }, ui: { Hotbar, Notifications, SceneControls },
      ux: { ContextMenu, FormDataExtended, TextEditor: { implementation: TextEditor } },
    },
    dice: { Roll, terms: { Die, DiceTerm: Die, NumericTerm, OperatorTerm, RollTerm } },
    helpers: { Hooks, Localization, interaction: { KeyboardManager } },
    utils: { ...utils, cleanHTML, fromUuid, fromUuidSync },
  };
  Object.assign(globalThis, {
    ...documents, foundry, CONST, Hooks, Roll, CONFIG: makeConfig(), canvas: {}, game: {}, ui: { activeWindow: null },
    fromUuid, fromUuidSync, standIn: observed, _loc: isV14 ? (key, values) => game.i18n.format(key, values) : undefined,
  });
  // These have been reached by their namespace since version 13; the bare names still work, with a warning.
  const bare = {
    renderTemplate, loadTemplates, TextEditor, KeyboardManager, FormDataExtended, ...utils,
    Application: appv1.api.Application, FormApplication: appv1.api.FormApplication, ActorSheet: appv1.sheets.ActorSheet,
  };
  for (const [name, value] of Object.entries(bare)) {
    if (!(name in globalThis)) Object.defineProperty(globalThis, name, { get: () => deprecated(`global ${name}`, value), configurable: true });
  }
}

function openGame(world) {
  const { collections } = world;
  const modules = new utils.Collection(world.modules.map(manifest => [manifest.id, { ...manifest, active: true, api: undefined }]));
  const bindings = new ClientKeybindings();
  Object.assign(globalThis.game, {
    release, version: release.version, ready: false, modules, socket, keybindings: bindings, keyboard: new KeyboardManager(bindings),
    world: { id: "stand-in-world", title: "The Bridge" }, system: { id: "plain", title: "Plain", version: "1.0.0" },
    settings: new ClientSettings(), i18n: new Localization(), time: new GameTime(), paused: false, view: "game", tab,
    data: world,
  });
  game.settings.load(world.settings);
  registerCoreSettings(game.settings);
  // Users come first: whose page this is decides what the others may show.
  game.users = openCollection(User, collections.users);
  game.user = game.users.get(world.user);
  game.userId = world.user;
  for (const [name, documentClass] of Object.entries({ actors: Actor, items: Item, macros: Macro, messages: ChatMessage, journal: JournalEntry })) {
    game[name] = openCollection(documentClass, collections[name]);
  }
  game.scenes = new utils.Collection();
}

function openInterface(world) {
  Object.assign(globalThis.ui, {
    notifications: new Notifications(find("#notifications")), chat: new ChatLog(find("#chat")),
    controls: new SceneControls(find("#scene-controls")), hotbar: new Hotbar(find("#action-bar")),
    ...openDirectories(find("#sidebar"), find("#players")),
  });
  const tokens = openCollection(TokenDocument, world.collections.tokens);
  openCanvas(find("#board"), tokens);
  game.scenes.set(canvas.scene.id, canvas.scene);
}

function dress() {
  const theme = pageParameters.get("theme") === "light" ? "theme-light" : "theme-dark";
  document.body.classList.add(theme);
  find("#interface").classList.add("themed", theme);
  document.title = `${game.user.name} – Foundry stand-in, version ${release.generation}`;
}

/** Styles of modules: in the layer that the manifest names, or in "modules". */
function addStyles(manifest) {
  for (const entry of manifest.styles ?? []) {
    const { src, layer = "modules" } = typeof entry === "string" ? { src: entry } : entry;
    const style = document.createElement("style");
    style.textContent = `@import url("/modules/${manifest.id}/${src}")${layer ? ` layer(${layer})` : ""};`;
    document.head.append(style);
  }
}

async function start() {
  placeGlobals();
  registerHelpers();
  const world = await joinWorld();
  openGame(world);
  dress();
  for (const manifest of world.modules) addStyles(manifest);
  for (const { id, esmodules = [] } of world.modules) for (const path of esmodules) await import(`/modules/${id}/${path}`);
  Hooks.callAll("init");
  lockKeybindings();
  await game.i18n.load(pageParameters.get("lang") ?? "en", world.modules);
  Hooks.callAll("i18nInit");
  game.settings.listen();
  game.time.listen(world.time);
  furnishUsers(game.users, world.user, world.active);
  openInterface(world);
  if (pageParameters.has("dice3d")) game.dice3d = openDice3d();
  Hooks.callAll("setup");
  canvas.draw();
  await Promise.all([ui.controls.render(), ui.hotbar.render(), ui.players.render(), ui.chat.render()]);
  ui.directories.render();
  game.ready = true;
  Hooks.callAll("ready");
  document.body.dataset.ready = "true";
}

function lockKeybindings() {
  game.keybindings.locked = true;
}

await start();
