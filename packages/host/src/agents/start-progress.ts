import { invalidParam } from '@agenthost/protocol';
import type { Sink } from '../sync/subscription.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';
import type { AgentStartStep } from './provider.ts';

/** The start of an agent in steps of equal size; the last one is its end. */
const STEPS = { begin: 0, handshake: 1, session: 2, end: 3 } as const;
const MESSAGES = {
  begin: 'Starting the agent',
  handshake: 'Waiting for the agent',
  session: 'Opening a conversation',
} as const;

/** A request that wants to hear how far its session is. */
export interface StartReport {
  /** The session is made, its agent starts: the first frame. */
  begin(tx: Tx, session: string): void;
  /** The request has failed before that: its token is free again. */
  cancel(): void;
}

interface Reported {
  readonly token: string;
  readonly sink: Sink;
  step: number;
}

/** Tells who creates a session how far its agent is: never falling, and always up to the end, however it ends [ROOT-3]. */
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

  /** Takes a caller's token; throws `-32602` when an open request of the caller has it already. */
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

  /** An agent that starts has come so far. What is no news is left out. */
  step(session: string, step: AgentStartStep): void {
    this.#sync.transact('host', (tx) => {
      const reported = this.#bySession.get(session);
      if (reported === undefined || reported.step >= STEPS[step]) return;
      reported.step = STEPS[step];
      this.#tell(tx, reported, MESSAGES[step]);
    });
  }

  /** The session is ready, has failed or goes: the last frame. */
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
