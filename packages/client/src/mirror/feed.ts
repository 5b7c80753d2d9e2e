import type { ActionEnvelope, InitializeResult, Snapshot, URI } from '@agenthost/protocol';
import { UnexpectedState } from '../errors.ts';
import type { ReportError } from '../listeners.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Subscriptions } from './subscriptions.ts';

/** What the feed brings up to date. */
export interface FeedParts {
  readonly clientId: string;
  readonly dispatcher: Dispatcher;
  readonly subscriptions: Subscriptions;
  readonly report: ReportError;
}

/** Takes in what the host says of state, in the order received: envelopes, replays and snapshots. */
export class Feed {
  readonly #parts: FeedParts;
  #lastSeenServerSeq: number | undefined;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /**
   * The highest number up to which this client holds everything that it was owed; absent before the first handshake
   * [CONN-5]. A connection's output is in one order [ACT-8], so whoever received number n, as an envelope (private ones
   * too) or as the boundary in an answer (`serverSeq`, `fromSeq`), has received everything below. A lower number would be
   * safe as well but cost a snapshot.
   */
  get lastSeenServerSeq(): number | undefined {
    return this.#lastSeenServerSeq;
  }

  /** A number was received. */
  saw(serverSeq: number): void {
    this.#lastSeenServerSeq = Math.max(this.#lastSeenServerSeq ?? 0, serverSeq);
  }

  /** An envelope came. */
  receive(envelope: ActionEnvelope): void {
    this.#takeAll([envelope], false);
  }

  /** `reconnect` brought what was missed; listeners hear of it once per channel. */
  replayed(actions: readonly ActionEnvelope[], missing: readonly URI[]): void {
    this.#takeAll(actions, true);
    for (const uri of missing) this.#parts.subscriptions.lose(uri);
  }

  /** `reconnect` brought everything anew. */
  restored(snapshots: readonly Snapshot[]): void {
    // Not the maximum with what was seen: the host may have begun anew below it.
    this.#lastSeenServerSeq = snapshots.reduce((seq, { fromSeq }) => Math.max(seq, fromSeq), 0);
    this.#parts.subscriptions.restore(snapshots);
  }

  /** `initialize` brought what it can, see `Subscriptions.plainUris`. */
  initialized({ serverSeq, snapshots }: InitializeResult): void {
    this.#lastSeenServerSeq = serverSeq;
    this.#parts.subscriptions.restore(snapshots);
  }

  #takeAll(envelopes: readonly ActionEnvelope[], isReplay: boolean): void {
    const { clientId, dispatcher, subscriptions, report } = this.#parts;
    const touched = new Set<URI>();
    for (const envelope of envelopes) {
      if (!isEnvelope(envelope)) {
        report(new UnexpectedState('an action without channel, number or type'), 'action');
        continue;
      }
      this.saw(envelope.serverSeq);
      touched.add(envelope.channel);
      if (envelope.origin?.clientId === clientId) {
        for (const uri of dispatcher.settleByEcho(envelope, isReplay)) touched.add(uri);
      }
      if (envelope.rejectionReason === undefined) subscriptions.apply(envelope);
    }
    for (const uri of touched) subscriptions.refresh(uri);
  }
}

/** The little without which an envelope cannot be routed; the rest is the host's business. */
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
