/** The zip takes verify/ from the service, whose page /verify uses the same files; here is what they offer. */

export interface ReadSession {
  id: string;
  commitment: string;
  seed: string | null;
  hiddenCommitment: string | null;
  hiddenSeed: string | null;
  deleted: number[];
  unresolved: number[];
}

export interface ReadRoll {
  id: string;
  session: string;
  seq: number | null;
  chain: "open" | "hidden" | "self";
  nonce: string | null;
  values: number[];
  /** Which of them the roller's side threw. */
  own: boolean[];
  /** The other side's, where it threw them as a roll of its own. */
  theirs: { faces: number; value: number }[] | null;
}

export class NotAsPublished extends Error {}

export function read(content: string): { sessions: ReadSession[]; rolls: ReadRoll[]; troubles: string[] };
