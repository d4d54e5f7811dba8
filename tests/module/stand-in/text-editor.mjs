/** foundry.applications.ux.TextEditor.implementation: enriched text and what is dragged. */

/** The element around what an enricher with `onRender` made; it tells the enricher when it is in the page. */
class EnrichedContent extends HTMLElement {
  connectedCallback() {
    const config = CONFIG.TextEditor.enrichers.find(({ id }) => id === this.getAttribute("enricher"));
    config?.onRender?.(this);
  }
}
customElements.define("enriched-content", EnrichedContent);

function textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}

async function replaceMatches(root, { id, pattern, enricher, onRender }, options) {
  if (!pattern.global) throw new Error("An enricher's pattern must be global");
  for (const node of textNodes(root)) {
    const pieces = [];
    let from = 0;
    for (const match of node.data.matchAll(pattern)) {
      const made = await enricher(match, options);
      if (!made) continue;
      const wrapped = onRender || id
        ? Object.assign(document.createElement("enriched-content"), { innerHTML: "" })
        : made;
      if (wrapped !== made) {
        if (id) wrapped.setAttribute("enricher", id);
        wrapped.append(made);
      }
      pieces.push(node.data.slice(from, match.index), wrapped);
      from = match.index + match[0].length;
    }
    if (pieces.length) node.replaceWith(...pieces, node.data.slice(from));
  }
}

const CONTENT_LINK = {
  pattern: /@UUID\[([^\]]+)\](?:\{([^}]+)\})?/g,
  enricher: async ([, uuid, label]) => {
    const link = Object.assign(document.createElement("a"), { className: "content-link", draggable: true });
    link.dataset.uuid = uuid;
    link.textContent = label ?? (await foundry.utils.fromUuid(uuid))?.name ?? uuid;
    return link;
  },
};

export const TextEditor = {
  /** Foundry hands back a string, so listeners that an enricher put on its element are lost. */
  async enrichHTML(content, options = {}) {
    const root = document.createElement("template");
    root.innerHTML = content ?? "";
    for (const config of [...CONFIG.TextEditor.enrichers, CONTENT_LINK]) await replaceMatches(root.content, config, options);
    return root.innerHTML;
  },

  getDragEventData(event) {
    try {
      return JSON.parse(event.dataTransfer.getData("text/plain"));
    } catch {
      return {};
    }
  },
};
