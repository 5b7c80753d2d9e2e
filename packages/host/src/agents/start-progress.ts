import { invalidParam } from '@agenthost/protocol';
import type { Sink } from '../sync/subscription.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';
import type { AgentStartStep } from './provider.ts';

/** The steps of an agent's start, of equal size. The last one is its end. */
const STEPS = { begin: 0, handshake: 1, session: 2, end: 3 } as const;
const MESSAGES = {
  begin: 'Starting the agent',
  handshake: 'Waiting for the agent',
  session: 'Opening a conversation',
} as const;

/** A request that reports the progress of a session's creation. */
export interface StartReport {
  /** Called when the session was created and its agent starts. Sends the first frame. */
  begin(tx: Tx, session: string): void;
  /** Called when the request has failed earlier. The token can be used again. */
  cancel(): void;
}

interface Reported {
  readonly token: string;
  readonly sink: Sink;
  step: number;
}

/**
 * Reports the progress of an agent's start to the client that creates the session. Progress never decreases
 * and always reaches its end, also after a failure [ROOT-3].
 */
export class StartProgress {
  readonly #sync: Sync;
  readonly #tokens = new Map<Sink, Set<string>>();
  readonly #bySession = new Map<string, Reported>();

  constructor(sync: Sync) {
    this.#sync = sync;
    sync.observe('session', (tx, { channel, before, after }) => {
      if (before.lifecycle !== 'creating' || after.lifecycle === 'creating') return;
      this.end(tx, channel.uri, after.creationError?.message ?? 'Ready');
    });
  }

  /** Reserves a caller's progress token. Throws `-32602` if an open request of the caller uses it. */
  open(token: string, sink: Sink): StartReport {
    const open = this.#tokens.get(sink) ?? new Set();
    if (open.has(token)) throw invalidParam('progressToken', 'another open request of yours has it');
    this.#tokens.set(sink, open.add(token));
    const reported: Reported = { token, sink, step: STEPS.begin };
    return {
      begin: (tx, session) => {
        this.#bySession.set(session, reported);
        tx.undo(() => this.#bySession.delete(session));
        this.#tell(tx, reported, MESSAGES.begin);
      },
      cancel: () => this.#free(reported),
    };
  }

  /** Reports a step of an agent's start. A step that was already reported is ignored. */
  step(session: string, step: AgentStartStep): void {
    this.#sync.transact('host', (tx) => {
      const reported = this.#bySession.get(session);
      if (reported === undefined || reported.step >= STEPS[step]) return;
      reported.step = STEPS[step];
      this.#tell(tx, reported, MESSAGES[step]);
    });
  }

  /** Reports that the session is ready, has failed or was removed. Sends the last frame. */
  end(tx: Tx, session: string, message: string): void {
    const reported = this.#bySession.get(session);
    if (reported === undefined) return;
    this.#bySession.delete(session);
    tx.undo(() => this.#bySession.set(session, reported));
    this.#tell(tx, { ...reported, step: STEPS.end }, message);
    tx.effect(() => this.#free(reported));
  }

  #tell(tx: Tx, { token, sink, step }: Reported, message: string): void {
    tx.notify(sink, 'root/progress', {
      channel: this.#sync.root.uri,
      progressToken: token,
      progress: step,
      total: STEPS.end,
      message,
    });
  }

  #free({ token, sink }: Reported): void {
    const open = this.#tokens.get(sink);
    open?.delete(token);
    if (open?.size === 0) this.#tokens.delete(sink);
  }
}
