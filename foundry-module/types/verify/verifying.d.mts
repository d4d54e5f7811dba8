import type { ReadRoll, ReadSession } from "./reading.mjs";

export interface Finding {
  fault: string;
  roll: string | null;
  says: string;
}

export interface Checked {
  session: string;
  rolls: number;
  dice: number;
  unchecked: number;
  /** `self` rolls among the unchecked. */
  alone: number;
  deleted: number[];
  hiddenDeleted: number[];
  unresolved: number[];
  hiddenUnresolved: number[];
  /** Challenges that are said to have no dice. */
  unanswered: string[];
  findings: Finding[];
}

export function check(session: ReadSession, rolls: readonly ReadRoll[]): Promise<Checked>;
