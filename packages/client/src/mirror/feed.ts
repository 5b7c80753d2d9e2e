import type { ActionEnvelope, InitializeResult, Snapshot, URI } from '@agenthost/protocol';
import { UnexpectedState } from '../errors.ts';
import type { ReportError } from '../listeners.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Targets of the feed. */
export interface FeedParts {
  clientId(): string;
  readonly dispatcher: Dispatcher;
  readonly subscriptions: Subscriptions;
  readonly report: ReportError;
}

/** Takes envelopes, replays and snapshots from the host, in the order received. */
export class Feed {
  readonly #parts: FeedParts;
  #lastSeenServerSeq: number | undefined;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /**
   * The number up to which this client has received everything addressed to it. Absent before the first
   * handshake [CONN-5]. A connection delivers in one order [ACT-8]. A client that received number n, as an
   * envelope (private ones too) or as the boundary of an answer (`serverSeq`, `fromSeq`), therefore has
   * everything below n. A lower number would be safe, but would cost a snapshot.
   */
  get lastSeenServerSeq(): number | undefined {
    return this.#lastSeenServerSeq;
  }

  /** Records a received number. */
  saw(serverSeq: number): void {
    this.#lastSeenServerSeq = Math.max(this.#lastSeenServerSeq ?? 0, serverSeq);
  }

  /** Takes one envelope. */
  receive(envelope: ActionEnvelope): void {
    this.#takeAll([envelope], false);
  }

  /** Takes a replay from `reconnect`. Listeners are called once per channel. */
  replayed(actions: readonly ActionEnvelope[], missing: readonly URI[]): void {
    this.#takeAll(actions, true);
    for (const uri of missing) this.#parts.subscriptions.lose(uri);
  }

  /** Takes snapshots from `reconnect`. */
  restored(snapshots: readonly Snapshot[]): void {
    // Not the maximum with the number so far: a host with a new journal starts below it.
    this.#lastSeenServerSeq = snapshots.reduce((seq, { fromSeq }) => Math.max(seq, fromSeq), 0);
    this.#parts.subscriptions.restore(snapshots);
  }

  /** Takes the snapshots of `initialize`; see `Subscriptions.plainUris`. */
  initialized({ serverSeq, snapshots }: InitializeResult): void {
    this.#lastSeenServerSeq = serverSeq;
    this.#parts.subscriptions.restore(snapshots);
  }

  #takeAll(envelopes: readonly ActionEnvelope[], isReplay: boolean): void {
    const { clientId, dispatcher, subscriptions, report } = this.#parts;
    const touched = new Set<URI>();
    for (const envelope of envelopes) {
      if (!isEnvelope(envelope)) {
        report(
          new UnexpectedState('received an envelope without channel, serverSeq or action type'),
          'action',
        );
        continue;
      }
      this.saw(envelope.serverSeq);
      touched.add(envelope.channel);
      if (envelope.origin?.clientId === clientId()) {
        for (const uri of dispatcher.settleByEcho(envelope, isReplay)) touched.add(uri);
      }
      if (envelope.rejectionReason === undefined) subscriptions.apply(envelope);
    }
    for (const uri of touched) subscriptions.refresh(uri);
  }
}

/** Checks the members that are needed to route an envelope. The host validates the rest. */
function isEnvelope(value: {
  readonly channel: unknown;
  readonly serverSeq: unknown;
  readonly action: unknown;
}): boolean {
  const { channel, serverSeq, action } = value;
  return (
    typeof channel === 'string' &&
    typeof serverSeq === 'number' &&
    typeof action === 'object' &&
    action !== null &&
    'type' in action &&
    typeof action.type === 'string'
  );
}
