/** The zip takes verify/ from the service, whose page /verify uses the same files; here is what they offer. */

export interface ReadSession {
  id: string;
  commitment: string;
  seed: string | null;
  hiddenSeed: string | null;
  deleted: number[];
}

export interface ReadRoll {
  id: string;
  session: string;
  seq: number | null;
  chain: "open" | "hidden" | "self";
  nonce: string | null;
}

export class NotAsPublished extends Error {}

export function read(content: string): { sessions: ReadSession[]; rolls: ReadRoll[] };
