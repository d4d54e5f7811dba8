import { localize } from "../../i18n.mjs";
import { tell } from "../notice.mjs";

/** @import { TabbedWindow } from "../tabbed.mjs" */

/**
 * What the buttons of a tab with reports do.
 * @type {Record<string, (this: TabbedWindow, event: PointerEvent, button: HTMLElement) => Promise<void>>}
 */
export const reportActions = {
  async askReport() {
    if (await this.attempt(() => this.reports.ask())) await this.read();
  },
  async showReport(_event, button) {
    await this.attempt(() => this.reports.open(button.dataset["report"] ?? ""));
    this.element.querySelector("[data-report-head]")?.scrollIntoView({ block: "nearest" });
    /** @type {HTMLElement|null} */ (this.element.querySelector("[data-action=closeReport]"))?.focus();
  },
  async closeReport() {
    this.reports.letGo();
    await this.read();
  },
  async deleteReport(_event, button) {
    const sure = await foundry.applications.api.DialogV2.confirm({
      window: { title: localize("TALLYBONES.Report.Delete") },
      content: `<p>${localize("TALLYBONES.Report.DeleteSure")}</p>`,
    });
    if (sure && (await this.attempt(() => this.reports.remove(button.dataset["report"] ?? "")))) await this.read();
  },
  async publishReport() {
    if (!(await this.attempt(() => this.reports.publish()))) return;
    tell(localize("TALLYBONES.Report.Publishing"));
    await this.read();
  },
  async openReportPage() {
    await this.attempt(() => this.reports.openPage());
  },
  async saveReport(_event, button) {
    const kind = button.dataset["kind"] === "csv" ? "csv" : "html";
    await this.attempt(() => this.reports.save(kind));
  },
  async savePlot(_event, button) {
    await this.attempt(() => this.reports.save("png", button.dataset["plot"]));
  },
};
