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
  deleted: number[];
  findings: Finding[];
}

export function check(session: ReadSession, rolls: readonly ReadRoll[]): Promise<Checked>;
