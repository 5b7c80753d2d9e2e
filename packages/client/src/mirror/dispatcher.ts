import {
  type ActionEnvelope,
  findActionFault,
  type StateAction,
  sizeText,
  type URI,
} from '@agenthost/protocol';
import type { Clock } from '../clock.ts';
import { type ActionStore, MAX_SAVED_AGE_MS } from './action-store.ts';
import {
  type DispatchOutcome,
  MAX_PENDING_ACTIONS,
  type PendingAction,
  PendingActions,
} from './pending-actions.ts';
import type { SavedAction } from './saved-life.ts';

/** What dispatching needs of the client. */
export interface DispatcherPort {
  readonly clock: Clock;
  /** Keeps actions over a reload. Absent: they are lost with the page. */
  readonly store: ActionStore | undefined;
  /**
   * Sends an action and returns the number of the connection; 0 when there is none. Throws for values that
   * JSON cannot represent.
   */
  send(params: { channel: URI; clientSeq: number; action: StateAction }): number;
  /** Sends a ping. Its answer settles what was sent before; see `Dispatcher.mark`. */
  ping(): Promise<void>;
  /**
   * Shows a new pending action without calling listeners. When the reducer throws, the error is thrown and
   * nothing changes.
   */
  predict(channel: URI): void;
  /** The pending actions of these channels changed: shows that and calls the listeners. */
  changed(channels: ReadonlySet<URI>): void;
  /** An action has no outcome yet; also called for restored actions, while the dispatcher is constructed. */
  dispatched(channel: URI, clientSeq: number, action: StateAction): void;
  /** An action has its outcome. */
  settled(channel: URI, clientSeq: number, outcome: DispatchOutcome): void;
}

/** Milliseconds without an echo after which a ping asks whether one will come. */
export const ECHO_PATIENCE_MS = 2_000;

/** An action that an earlier client with the same memory dispatched, and that had no outcome. */
export interface RestoredAction extends Pick<SavedAction, 'channel' | 'action' | 'at'> {
  /**
   * Resolves with its outcome: `dropped` when it was too old to be sent again, and `rejected` with `outcomeExpired` when the host applied or
   * rejected it before and does not know which.
   */
  readonly outcome: Promise<DispatchOutcome>;
}

/** A point in the order of dispatches; see `Dispatcher.mark`. */
export interface DispatchMark {
  readonly ordinal: number;
  readonly clientSeq: number;
}

/**
 * Numbers dispatched actions, tracks each until its outcome, and sends unanswered ones again after a drop
 * [ACT-5] [REC-1].
 */
export class Dispatcher {
  /** Actions that were restored from the memory, the oldest first. */
  readonly restored: readonly RestoredAction[];
  readonly #pending = new PendingActions();
  readonly #port: DispatcherPort;
  #clientSeq = 0;
  #ordinal = 0;
  #isOnline = false;
  #echoTimer: unknown;

  constructor(port: DispatcherPort) {
    this.#port = port;
    const { expired = [], restored = [], nextClientSeq = 1 } = port.store ?? {};
    this.#clientSeq = nextClientSeq - 1;
    this.restored = [
      ...expired.map((item) => ({ ...item, outcome: Promise.resolve(TOO_OLD) })),
      ...restored.map((item) => ({ ...item, outcome: this.#add(item).outcome })),
    ];
  }

  /** The pending actions that a channel's mirror shows, in order. */
  predictedOn(channel: URI): PendingAction[] {
    return this.#pending.predictedOn(channel);
  }

  /**
   * Dispatches an action, or keeps it until there is a connection. An action beyond the protocol's limits is
   * rejected here as the host would, without being sent. Throws when the action is malformed; see
   * `DispatchOutcome`.
   */
  dispatch(channel: URI, action: StateAction): Promise<DispatchOutcome> {
    if (this.#pending.size >= MAX_PENDING_ACTIONS) {
      const reason = `${MAX_PENDING_ACTIONS} actions wait for an answer already`;
      return Promise.resolve({ outcome: 'dropped', reason });
    }
    const fault = findActionFault(action);
    if (fault !== undefined) {
      const reason = sizeText(fault);
      return Promise.resolve({ outcome: 'rejected', code: 'tooLarge', reason, details: fault });
    }
    this.#clientSeq += 1;
    const { entry, outcome } = this.#add({ channel, clientSeq: this.#clientSeq, action });
    try {
      this.#port.predict(channel);
      this.#port.store?.add(channel, entry.clientSeq, action);
      // Before `online` has sent the older actions, this one waits behind them.
      if (this.#isOnline) this.#send(entry);
      // After sending, so that a listener's own dispatch does not overtake this one.
      this.#port.changed(new Set([channel]));
    } catch (error) {
      this.#settle((other) => other === entry, {
        outcome: 'dropped',
        reason: 'the action could not be sent',
      });
      throw error;
    }
    return outcome;
  }

  /** Takes an envelope with this client's origin. Returns the channels whose pending actions changed. */
  settleByEcho(envelope: ActionEnvelope, isReplay: boolean): Set<URI> {
    const entry = this.#pending.settleByEcho(envelope, isReplay);
    if (entry === undefined) return new Set();
    // The host settles actions in the order sent, so earlier ones on this connection get no echo any more.
    // This does not hold in a replay, which has no rejections.
    const isSilent = (other: PendingAction): boolean =>
      !isReplay && other.sentOn === this.#ordinal && other.clientSeq < entry.clientSeq;
    const channels = this.#pending.settleWhere(isSilent, { outcome: 'ignored' });
    return channels.add(entry.channel);
  }

  /** Call this when a ping is sent, and pass the result to `settleBefore` when it is answered [WIRE-4]. */
  mark(): DispatchMark {
    return { ordinal: this.#ordinal, clientSeq: this.#clientSeq };
  }

  /** The ping sent at `mark` was answered: actions sent before it without an echo get none. */
  settleBefore({ ordinal, clientSeq }: DispatchMark): void {
    this.#settle((entry) => entry.sentOn === ordinal && entry.clientSeq <= clientSeq && ordinal > 0, {
      outcome: 'ignored',
    });
  }

  /** Settles all actions of a channel that is gone. */
  settleChannel(channel: URI): void {
    this.#settle((entry) => entry.channel === channel, { outcome: 'ignored' });
  }

  /** A connection is up: sends everything without an outcome, in order. */
  online(ordinal: number): void {
    this.#ordinal = ordinal;
    // Iterates the live collection, so that actions dispatched by listeners meanwhile come last.
    for (const entry of this.#pending.values()) this.#send(entry);
    this.#isOnline = true;
  }

  /** The connection is gone. Sent actions wait to be sent again, or are dropped when that is not safe. */
  offline(reason: string, isResendSafe: boolean): void {
    this.#isOnline = false;
    this.#port.clock.clearTimeout(this.#echoTimer);
    this.#echoTimer = undefined;
    if (!isResendSafe) this.#settle((entry) => entry.sentOn > 0, { outcome: 'dropped', reason });
  }

  /** Drops all actions, because no connection will follow. */
  dropAll(reason: string): void {
    this.#settle(() => true, { outcome: 'dropped', reason });
  }

  #add({ channel, clientSeq, action }: Pick<PendingAction, 'channel' | 'clientSeq' | 'action'>): {
    entry: PendingAction;
    outcome: Promise<DispatchOutcome>;
  } {
    let settle: (outcome: DispatchOutcome) => void = () => undefined;
    const outcome = new Promise<DispatchOutcome>((resolve) => {
      settle = resolve;
    });
    const resolve = (value: DispatchOutcome): void => {
      this.#port.store?.settled(clientSeq);
      this.#port.settled(channel, clientSeq, value);
      settle(value);
    };
    const entry: PendingAction = { channel, clientSeq, action, sentOn: 0, resolve };
    this.#pending.add(entry);
    this.#port.dispatched(channel, clientSeq, action);
    return { entry, outcome };
  }

  #settle(test: (entry: PendingAction) => boolean, outcome: DispatchOutcome): void {
    const channels = this.#pending.settleWhere(test, outcome);
    if (channels.size > 0) this.#port.changed(channels);
  }

  #send(entry: PendingAction): void {
    const { channel, clientSeq, action } = entry;
    // Set before sending, because the echo may arrive inside `send`.
    entry.sentOn = this.#ordinal;
    entry.sentOn = this.#port.send({ channel, clientSeq, action });
    if (entry.sentOn > 0) this.#watchForEchoes();
  }

  #watchForEchoes(): void {
    if (this.#echoTimer !== undefined) return;
    const ordinal = this.#ordinal;
    this.#echoTimer = this.#port.clock.setTimeout(() => {
      this.#echoTimer = undefined;
      if (this.#ordinal !== ordinal || this.#pending.size === 0) return;
      const again = (): void => {
        if (this.#ordinal === ordinal && this.#pending.all().some((entry) => entry.sentOn === ordinal)) {
          this.#watchForEchoes();
        }
      };
      // A failed ping means that the connection is gone; `online` starts the pings again.
      this.#port.ping().then(again, () => undefined);
    }, ECHO_PATIENCE_MS);
  }
}

const TOO_OLD: DispatchOutcome = {
  outcome: 'dropped',
  reason: `it was dispatched more than ${MAX_SAVED_AGE_MS / 3_600_000} hours ago`,
};
