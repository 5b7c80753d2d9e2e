import type { ProcessRoot, ScanInput } from '../../previews/port-scanner.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Terminals } from '../../terminals/terminals.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';
import { pathOfFileUri } from '../../workspace/file-uri.ts';

interface Parts {
  readonly sync: Sync;
  readonly terminals: Pick<Terminals, 'processes'>;
  readonly turns: Pick<TurnSupervisor, 'agentProcesses'>;
}

/**
 * The processes of sessions: of the terminals that they hold, and of their agents. A terminal that a client took stays with its session. A
 * terminal that no session has held belongs to the sessions in whose folders its processes run.
 */
export class SessionRoots {
  readonly #parts: Parts;
  /** The session that held a terminal last, by URI of the terminal. */
  #holders: ReadonlyMap<string, string> = new Map();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  input(): ScanInput {
    return { roots: [...this.#ofTerminals(), ...this.#ofAgents()], foldersOf: (uri) => this.#foldersOf(uri) };
  }

  #ofTerminals(): ProcessRoot[] {
    const holders = new Map<string, string>();
    const roots = this.#parts.terminals.processes().map(({ uri, pid, claim }): ProcessRoot => {
      const holder = claim.kind === 'session' ? claim.session : this.#holders.get(uri);
      if (holder === undefined) return { pid, kind: 'terminal', sessions: this.#loaded(), isByFolder: true };
      holders.set(uri, holder);
      return { pid, kind: 'terminal', sessions: [holder] };
    });
    this.#holders = holders;
    return roots;
  }

  /** One process may run the agents of many sessions. */
  #ofAgents(): ProcessRoot[] {
    const sessions = new Map<number, Set<string>>();
    for (const { session, pids } of this.#parts.turns.agentProcesses())
      for (const pid of pids) sessions.set(pid, (sessions.get(pid) ?? new Set()).add(session));
    return [...sessions].map(([pid, of]) => ({ pid, kind: 'agent', sessions: [...of] }));
  }

  #loaded(): string[] {
    return Array.from(this.#parts.sync.registry.ofKind('session'), ({ uri }) => uri);
  }

  #foldersOf(session: string): readonly string[] {
    const { registry } = this.#parts.sync;
    const folders = [...(registry.getOf('session', session)?.state.workingDirectories ?? [])];
    for (const channel of registry.ofSession(session))
      if (channel.is('chat')) folders.push(...(channel.outline.workingDirectories ?? []));
    return folders.map(pathOfFileUri);
  }
}
