import { execFileSync } from "node:child_process";
import { env } from "node:process";

const SAY = "import json; from rules import registry; print(json.dumps({r.id: r.describe() for r in registry.all()}))";

/** The rule sets as the service describes them, by their ids: read off the rules themselves, never copied. */
export const DESCRIPTIONS = JSON.parse(
  execFileSync(env.PYTHON ?? "python3", ["-c", SAY], { cwd: new URL("../../../", import.meta.url), encoding: "utf8" }),
);

/** The action of a rule set. */
export const action = (ruleset, name) => DESCRIPTIONS[ruleset].actions.find(one => one.name === name);
