/** A process whose descendants, and whose session of processes, belong to sessions. */
export interface ProcessRoot {
  readonly pid: number;
  /** A port of an agent's own process is not shown: it serves the agent. */
  readonly kind: 'terminal' | 'agent';
  /** URIs of the sessions that it works for. */
  readonly sessions: readonly string[];
  /** A process of it belongs to the sessions whose folder it runs in, and to no other one. Default: to all, if it runs in no folder of one. */
  readonly isByFolder?: boolean;
}

/** A port that a process of a session listens on. */
export interface FoundPort {
  readonly port: number;
  readonly address: string;
  readonly pid: number;
  /** Name of the program. */
  readonly process: string;
  /** Name of the script that the program runs, such as `vite`. */
  readonly title?: string;
}

/** The processes to look at. */
export interface ScanInput {
  readonly roots: readonly ProcessRoot[];
  /** Absolute paths of the folders of a session. Decides between the sessions of a process that several share. */
  foldersOf(session: string): readonly string[];
}

/** Finds the TCP ports that processes of sessions listen on. */
export interface PortScanner {
  /** Time between two scans while somebody watches, in ms. */
  readonly intervalMs: number;
  /** The ports by URI of the session, each port once, lowest first. Rejects when the system refuses. One scan at a time. */
  scan(input: ScanInput): Promise<ReadonlyMap<string, readonly FoundPort[]>>;
}
