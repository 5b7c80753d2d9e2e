import {
  type ActionEnvelope,
  lineOf,
  PROTOCOL_VERSION,
  type ReconnectResult,
  type Snapshot,
} from '@agenthost/protocol';
import { dialectOf } from '@agenthost/protocol/dialects';
import type { Archive } from './archive.ts';
import { isMergeOf, isPrivate } from './envelopes.ts';
import type { Report } from './report.ts';
import type { Trace } from './trace.ts';
import type { FaultLog } from './violation.ts';

interface Frame {
  readonly id?: number;
  readonly method?: string;
  /** Params of `action`, `initialize`, `reconnect` and `dispatchAction`; others are not read. */
  readonly params?: ActionEnvelope & { readonly clientId?: string; readonly 'x-epoch'?: string };
  readonly result?: Partial<ReconnectResult> & {
    readonly snapshot?: Snapshot;
    readonly snapshots?: Snapshot[];
  };
  readonly error?: unknown;
}

/** One connection in the ledger. */
interface Line {
  readonly owner: string;
  /** The current protocol version of the connection. */
  version(): string;
  readonly handshakes: Map<number, string>;
  lastSeq: number;
}

/**
 * Records and checks everything that the host sends on any connection: an envelope is durable [ACT-8], a number
 * has one meaning, also across restarts [CONN-4], numbers increase, and a private envelope goes to one client
 * [ACT-7].
 */
export class Ledger {
  readonly #archive: Archive;
  readonly #faults: FaultLog;
  readonly #report: Report;
  readonly #trace: Trace;
  readonly #seen = new Map<number, { readonly json: string; readonly envelope: ActionEnvelope }>();
  /** The receiver of each private number. */
  readonly #privateOwner = new Map<number, string>();
  readonly #reservedSeq: () => number;

  /** `reservedSeq`: the highest number that the journal has reserved. */
  constructor(parts: {
    archive: Archive;
    faults: FaultLog;
    report: Report;
    trace: Trace;
    reservedSeq(): number;
  }) {
    this.#reservedSeq = () => parts.reservedSeq();
    this.#archive = parts.archive;
    this.#faults = parts.faults;
    this.#report = parts.report;
    this.#trace = parts.trace;
  }

  /**
   * Follows a connection of the client `owner`. Pass each frame to `toHost` or `toClient` when it is sent.
   * `version`: the connection's current protocol version.
   */
  follow(
    owner: string,
    name: string,
    version = (): string => PROTOCOL_VERSION,
  ): { toHost(text: string): void; toClient(text: string): void } {
    const line: Line = { owner, version, handshakes: new Map(), lastSeq: 0 };
    return {
      toHost: (text) => {
        this.#trace.frame(name, `→ ${text}`);
        const { id, method }: Frame = JSON.parse(text);
        if (id !== undefined && (method === 'reconnect' || method === 'initialize'))
          line.handshakes.set(id, method);
      },
      toClient: (text) => {
        this.#trace.frame(name, `← ${text}`);
        this.#sent(line, JSON.parse(text));
      },
    };
  }

  #sent(line: Line, { id, method, params, result, error }: Frame): void {
    if (method === 'action' && params !== undefined) this.#note(line, params);
    if (id === undefined || method !== undefined || error !== undefined || result === undefined) return;
    for (const snapshot of [...(result?.snapshots ?? []), result?.snapshot ?? []].flat())
      this.#checkSnapshot(line, snapshot);
    const handshake = line.handshakes.get(id);
    if (handshake === 'initialize') this.#report.count('initializes');
    if (handshake !== 'reconnect') return;
    this.#report.count(result.type === 'replay' ? 'replayReconnects' : 'snapshotReconnects');
    if (result.type === 'replay') for (const envelope of result.actions ?? []) this.#note(line, envelope);
  }

  /** Checks that the snapshot's number is reserved. The archive checks that the reflected state is durable. */
  #checkSnapshot(line: Line, { resource, fromSeq }: Snapshot): void {
    // The client sends this number or a higher one when it reconnects, so nothing below it may follow
    // [CONN-5].
    line.lastSeq = Math.max(line.lastSeq, fromSeq);
    const reserved = this.#reservedSeq();
    if (fromSeq > reserved)
      this.#faults.note(
        'durability',
        `a snapshot of ${resource} has the number ${fromSeq}, and only ${reserved} are reserved`,
      );
    this.#archive.reflected(fromSeq);
  }

  #note(line: Line, envelope: ActionEnvelope): void {
    this.#report.count('envelopes');
    const { serverSeq, origin } = envelope;
    const isOwn = origin?.clientId === line.owner;
    // Only answers to resent actions have earlier numbers [ACT-5].
    if (serverSeq <= line.lastSeq && !isOwn)
      this.#faults.note('numbers', `${line.owner} was sent ${serverSeq} behind ${line.lastSeq}`);
    line.lastSeq = Math.max(line.lastSeq, serverSeq);
    const json = JSON.stringify(envelope);
    if (this.#isPart(line, envelope)) return;
    if (isPrivate(envelope)) this.#notePrivate(line, envelope, json, isOwn);
    else this.#checkDurable(line, envelope, json);
    // For an older version, the envelope of a number may lack fields.
    if (line.version() !== PROTOCOL_VERSION) return;
    const before = this.#seen.get(serverSeq);
    if (before === undefined) {
      this.#seen.set(serverSeq, { json, envelope });
      this.#countNewChat(envelope);
    } else if (before.json !== json) this.#compareMerged(before.envelope, envelope);
  }

  #notePrivate(line: Line, envelope: ActionEnvelope, json: string, isOwn: boolean): void {
    const { serverSeq, origin } = envelope;
    const before = this.#privateOwner.get(serverSeq);
    if ((before !== undefined && before !== line.owner) || (origin !== undefined && !isOwn))
      this.#faults.note(
        'privacy',
        `${line.owner} was sent what is for ${before ?? origin?.clientId}: ${json}`,
      );
    this.#privateOwner.set(serverSeq, line.owner);
  }

  /**
   * Whether this is one of several envelopes that an older version gets for the next journaled action. The last of them has the number of the
   * action, and the others have private numbers below it, which clients share [DIA-1].
   */
  #isPart({ version }: Line, { channel, serverSeq, origin }: ActionEnvelope): boolean {
    const line = lineOf(version()) ?? PROTOCOL_VERSION;
    if (line === PROTOCOL_VERSION || origin !== undefined) return false;
    if (this.#archive.get(serverSeq) !== undefined) return false;
    const next = this.#archive.nextAfter(serverSeq);
    return next?.channel === channel && dialectOf(line).changes(next.action.type);
  }

  #checkDurable({ version }: Line, envelope: ActionEnvelope, json: string): void {
    const whole = this.#archive.get(envelope.serverSeq);
    const durable = whole;
    // Another version gets other actions. The checks of foreign clients compare what comes of them.
    const dialect = dialectOf(lineOf(version()) ?? PROTOCOL_VERSION);
    if (durable !== undefined && dialect.changes(durable.action.type)) return;
    if (durable === undefined) this.#faults.note('durability', `sent and not journaled: ${json}`);
    else if (JSON.stringify(durable) !== json && !isMergeOf(envelope, durable))
      this.#faults.note('durability', `sent ${json}, journaled ${JSON.stringify(durable)}`);
  }

  #countNewChat({ action }: ActionEnvelope): void {
    if (action.type !== 'session/chatAdded') return;
    if (action.summary.origin?.kind === 'tool') this.#report.count('workerChats');
  }

  /** Merged appends have the number of the last append [SUB-4], so one text must end with the other. */
  #compareMerged(one: ActionEnvelope, other: ActionEnvelope): void {
    if (isMergeOf(one, other) || isMergeOf(other, one)) this.#report.count('mergedEnvelopes');
    else {
      this.#faults.note(
        'numbers',
        `${one.serverSeq} stands for two things: ${JSON.stringify(one)} and ${JSON.stringify(other)}`,
      );
    }
  }

  /** Public envelopes above a number, in order; private ones are not journaled [ACT-7]. */
  *publicAbove(seq: number): Iterable<ActionEnvelope> {
    for (const { envelope } of this.#seen.values()) {
      if (envelope.serverSeq > seq && !isPrivate(envelope)) yield envelope;
    }
  }
}
