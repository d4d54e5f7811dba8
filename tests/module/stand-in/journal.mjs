import { ApplicationV2 } from "./application.mjs";
import { ClientDocument } from "./documents.mjs";
import { Collection } from "./utils.mjs";

class JournalEntryPage extends ClientDocument {
  static documentName = "JournalEntryPage";
  get text() { return this._source.text; }
}

export class JournalEntry extends ClientDocument {
  static documentName = "JournalEntry";
  static metadata = { collection: "journal", name: "JournalEntry" };

  constructor(data) {
    super(data);
    this.pages = new Collection((data.pages ?? []).map(page => [page._id, new JournalEntryPage(page)]));
  }

  get sheet() { return this._sheet ??= new JournalEntrySheet({ document: this }); }

  /** Give the first page another text, as an author would in the editor. */
  async write(html) {
    const pages = this._source.pages.map((page, at) => (at ? page : { ...page, text: { ...page.text, content: html } }));
    await this.update({ pages });
  }

  _onUpdate(changes) {
    if (changes.pages) this.pages = new Collection(changes.pages.map(page => [page._id, new JournalEntryPage(page)]));
    this._sheet?.render();
  }
}

class JournalEntrySheet extends ApplicationV2 {
  static DEFAULT_OPTIONS = {
    id: "journal-{id}", classes: ["journal-sheet", "journal-entry"], position: { width: 480, left: 320, top: 90 },
    window: { icon: "fa-solid fa-book-open", contentClasses: ["journal-entry-content"] },
  };

  get document() { return this.options.document; }
  get title() { return this.document.name; }

  async _renderHTML() {
    const pages = await Promise.all(this.document.pages.map(async page => {
      const html = await foundry.applications.ux.TextEditor.implementation.enrichHTML(page.text.content, { relativeTo: page });
      return `<article class="journal-entry-page text"><header><h2>${foundry.utils.escapeHTML(page.name)}</h2></header>
        <section class="journal-page-content">${html}</section></article>`;
    }));
    return pages.join("");
  }

  _replaceHTML(html, content) { content.innerHTML = html; }
}
