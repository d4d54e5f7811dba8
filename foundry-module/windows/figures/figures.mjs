import { localize } from "../../i18n.mjs";
import { CHECK_TEMPLATES, REPORT_TEMPLATES, TabbedWindow } from "../tabbed.mjs";
import { TEMPLATES } from "../window.mjs";

/** @import { Options } from "../window.mjs" */

/** @type {Record<string, string>} */
const TABS = { reports: "fa-solid fa-chart-column", sessions: "fa-solid fa-scale-balanced" };

/** A player's own figures, and the check of each session's dice. */
export class FiguresWindow extends TabbedWindow {
  /**
   * @override
   * @type {Options}
   */
  static DEFAULT_OPTIONS = {
    id: "tallybones-figures",
    classes: ["tallybones-gm", "tallybones-figures-window"],
    position: { width: 620, height: 600 },
    window: { icon: "fa-solid fa-chart-column", title: "TALLYBONES.Figures.Title" },
  };

  /** @override */
  static PARTS = {
    nav: { template: `${TEMPLATES}/windows/gm/nav.hbs` },
    reports: { template: `${TEMPLATES}/windows/reports/tab.hbs`, templates: REPORT_TEMPLATES, scrollable: [""] },
    sessions: { template: `${TEMPLATES}/windows/figures/dice.hbs`, templates: CHECK_TEMPLATES, scrollable: [""] },
  };

  /** @override */
  get tabs() {
    return TABS;
  }

  /**
   * @override
   * @param {string} name
   */
  tabLabel(name) {
    return localize(`TALLYBONES.Figures.Tab.${name}`);
  }
}
