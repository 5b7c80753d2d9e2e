import { type ActionEnvelope, findActionFault, type StateAction, type URI } from '@agenthost/protocol';
import type { Clock } from '../clock.ts';
import {
  type DispatchOutcome,
  MAX_PENDING_ACTIONS,
  type PendingAction,
  PendingActions,
} from './pending-actions.ts';

/** What dispatching needs of the client. */
export interface DispatcherPort {
  readonly clock: Clock;
  /** Sends now, and returns the ordinal of the connection; 0 when there is none. Throws what cannot be written as JSON. */
  send(params: { channel: URI; clientSeq: number; action: StateAction }): number;
  /** Asks for a sign of life; its answer settles what was sent before, see `Dispatcher.mark`. */
  ping(): Promise<void>;
  /** Shows a new pending action, listeners not told yet. Throws what its reducer throws, nothing changed. */
  predict(channel: URI): void;
  /** The pending actions of these channels changed: shows it and tells listeners. */
  changed(channels: ReadonlySet<URI>): void;
}

/** Milliseconds without an echo after which a ping asks whether one will come. */
export const ECHO_PATIENCE_MS = 2_000;

/** A moment in the order of dispatches, see `Dispatcher.mark`. */
export interface DispatchMark {
  readonly ordinal: number;
  readonly clientSeq: number;
}

/** Numbers dispatched actions, follows each to its outcome, and sends again what a drop left open [ACT-5] [REC-1]. */
export class Dispatcher {
  readonly #pending = new PendingActions();
  readonly #port: DispatcherPort;
  #clientSeq = 0;
  #ordinal = 0;
  #isOnline = false;
  #echoTimer: unknown;

  constructor(port: DispatcherPort) {
    this.#port = port;
  }

  /** What the mirror of a channel shows on top of what is confirmed, in order. */
  predictedOn(channel: URI): PendingAction[] {
    return this.#pending.predictedOn(channel);
  }

  /**
   * Dispatches, or keeps the action until there is a connection. One that exceeds the limits of the protocol package is rejected here, as the host
   * would, and not sent. Throws when the action is none; see `DispatchOutcome`.
   */
  dispatch(channel: URI, action: StateAction): Promise<DispatchOutcome> {
    if (this.#pending.size >= MAX_PENDING_ACTIONS) {
      const reason = `${MAX_PENDING_ACTIONS} actions wait for an answer already`;
      return Promise.resolve({ outcome: 'dropped', reason });
    }
    const fault = findActionFault(action);
    if (fault !== undefined) return Promise.resolve({ outcome: 'rejected', code: 'tooLarge', reason: fault });
    let settle: (outcome: DispatchOutcome) => void = () => undefined;
    const outcome = new Promise<DispatchOutcome>((resolve) => {
      settle = resolve;
    });
    this.#clientSeq += 1;
    const entry: PendingAction = {
      channel,
      clientSeq: this.#clientSeq,
      action,
      predictedAt: this.#port.clock.now(),
      sentOn: 0,
      resolve: (value) => settle(value),
    };
    this.#pending.add(entry);
    try {
      this.#port.predict(channel);
      // Before `online` has sent what is older, it waits for its turn there.
      if (this.#isOnline) this.#send(entry);
      // After sending: a listener that dispatches must not overtake.
      this.#port.changed(new Set([channel]));
    } catch (error) {
      this.#settle((other) => other === entry, { outcome: 'dropped', reason: 'it could not be sent' });
      throw error;
    }
    return outcome;
  }

  /** Takes an envelope with this client's origin; returns the channels whose pending actions changed. */
  settleByEcho(envelope: ActionEnvelope, isReplay: boolean): Set<URI> {
    const entry = this.#pending.settleByEcho(envelope, isReplay);
    if (entry === undefined) return new Set();
    // Dispatches are settled in the order sent, so what was sent before on this connection gets no echo any more. A
    // replay says nothing of the kind: rejections are not in it.
    const isSilent = (other: PendingAction): boolean =>
      !isReplay && other.sentOn === this.#ordinal && other.clientSeq < entry.clientSeq;
    const channels = this.#pending.settleWhere(isSilent, { outcome: 'ignored' });
    return channels.add(entry.channel);
  }

  /** Remember this when a ping is sent, and give it to `settleBefore` when it is answered [WIRE-4]. */
  mark(): DispatchMark {
    return { ordinal: this.#ordinal, clientSeq: this.#clientSeq };
  }

  /** The ping sent at `mark` was answered: what was sent before it and has no echo gets none. */
  settleBefore({ ordinal, clientSeq }: DispatchMark): void {
    this.#settle((entry) => entry.sentOn === ordinal && entry.clientSeq <= clientSeq && ordinal > 0, {
      outcome: 'ignored',
    });
  }

  /** The channel is gone. */
  settleChannel(channel: URI): void {
    this.#settle((entry) => entry.channel === channel, { outcome: 'ignored' });
  }

  /** A connection stands: everything without an outcome is sent on it, in order. */
  online(ordinal: number): void {
    this.#ordinal = ordinal;
    // Live: what is dispatched meanwhile, by a listener of an echo, comes last.
    for (const entry of this.#pending.values()) this.#send(entry);
    this.#isOnline = true;
  }

  /** The connection is gone. What was sent waits to be sent again, or is dropped when that would not be safe. */
  offline(reason: string, isResendSafe: boolean): void {
    this.#isOnline = false;
    this.#port.clock.clearTimeout(this.#echoTimer);
    this.#echoTimer = undefined;
    if (!isResendSafe) this.#settle((entry) => entry.sentOn > 0, { outcome: 'dropped', reason });
  }

  /** There will be no other connection. */
  dropAll(reason: string): void {
    this.#settle(() => true, { outcome: 'dropped', reason });
  }

  #settle(test: (entry: PendingAction) => boolean, outcome: DispatchOutcome): void {
    const channels = this.#pending.settleWhere(test, outcome);
    if (channels.size > 0) this.#port.changed(channels);
  }

  #send(entry: PendingAction): void {
    const { channel, clientSeq, action } = entry;
    // Set before sending, since the echo may come inside `send`.
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
      // A ping that fails took the connection with it; `online` starts again.
      this.#port.ping().then(again, () => undefined);
    }, ECHO_PATIENCE_MS);
  }
}
