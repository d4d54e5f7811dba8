import { Hooks } from "./hooks.mjs";
import { SettingsConfig } from "./settings-window.mjs";

/** The sidebar's tabs, its lists of documents, and who is in. */
export function openDirectories(sidebar, playerList) {
  const tabs = sidebar.querySelectorAll("#sidebar-tabs [data-tab]");
  function show(name) {
    for (const tab of tabs) tab.ariaPressed = String(tab.dataset.tab === name);
    for (const section of sidebar.querySelectorAll(".sidebar-tab")) section.classList.toggle("active", section.id === name);
  }
  for (const tab of tabs) tab.addEventListener("click", () => show(tab.dataset.tab));
  sidebar.querySelector("[data-action=configure]").addEventListener("click", () => new SettingsConfig().render({ force: true }));

  function list(section, documents, { open }) {
    const entries = documents.filter(entry => entry.visible).map(entry => {
      const item = Object.assign(document.createElement("li"), { className: "directory-item", draggable: true });
      item.dataset.entryId = entry.id;
      const link = item.appendChild(Object.assign(document.createElement("button"), { type: "button", textContent: entry.name }));
      if (open) link.addEventListener("click", () => entry.sheet.render(true));
      item.addEventListener("dragstart", event => event.dataTransfer.setData("text/plain", JSON.stringify(entry.toDragData())));
      return item;
    });
    section.querySelector("ol").replaceChildren(...entries);
  }

  const directories = {
    render() {
      list(sidebar.querySelector("#actors"), game.actors, { open: true });
      list(sidebar.querySelector("#items"), game.items, { open: false });
      list(sidebar.querySelector("#journal"), game.journal, { open: true });
    },
  };
  const players = {
    async render() {
      playerList.replaceChildren(...game.users.map(user => {
        const item = Object.assign(document.createElement("li"), { className: user.active ? "player active" : "player", textContent: user.name });
        item.style.setProperty("--player-color", user.color.css);
        item.dataset.userId = user.id;
        return item;
      }));
      Hooks.callAll("renderPlayers", players, playerList, {}, {});
    },
  };
  return { directories, players, sidebar: { changeTab: show, expand() {}, expanded: true } };
}
