import type {
  ActionEnvelope,
  ChannelAction,
  ChannelKind,
  ChannelState,
  HostToClientNotifications,
} from '@agenthost/protocol';
import type { JournalWrite } from '../journal/journal.ts';
import type { Channel } from './channel.ts';
import { EncodedNotification, type Sink } from './subscription.ts';
import type { Output, Tick, Undo } from './tick.ts';

/** The cause that runs now. At most one runs at a time. */
export interface RunningCause {
  /** The transaction of the cause; `undefined` while no cause runs. */
  tx: Tx | undefined;
  /** Number of the running or last cause. */
  number: number;
}

/** The dispatch that an envelope answers. */
export interface DispatchOrigin {
  readonly clientId: string;
  readonly clientSeq: number;
  /** Absent for foreign clients [ACT-5]. */
  readonly epoch: string | undefined;
  readonly sink: Sink;
  /** Called instead of publishing when the commit failed. */
  dropped(): void;
}

/** One reduced action, for observers that mirror it elsewhere in the same tick. */
export interface Change<K extends ChannelKind> {
  readonly channel: Channel<K>;
  readonly before: ChannelState[K];
  readonly after: ChannelState[K];
  readonly action: ChannelAction[K];
  readonly envelope: ActionEnvelope;
  readonly origin: DispatchOrigin | undefined;
}

/** A synchronous result: a callback that returns a promise does not type-check, since its changes would leave the transaction. */
export type NotAPromise = void | null | boolean | number | string | (object & { readonly then?: never });

/** The changes of one cause. */
export type Work<T extends NotAPromise = NotAPromise> = (tx: Tx) => T;

/** Reduces, numbers and journals actions for a transaction. */
export interface ActionSink {
  emit<K extends ChannelKind>(
    tx: Tx,
    channel: Channel<K>,
    action: ChannelAction[K],
    origin?: DispatchOrigin,
  ): void;
  emitUnloaded<K extends ChannelKind>(tx: Tx, uri: string, action: ChannelAction[K]): void;
  /** Sends a notification to every subscriber of the root channel. */
  toRoot(notification: EncodedNotification): void;
}

type RootNotification = 'root/sessionAdded' | 'root/sessionRemoved' | 'root/sessionSummaryChanged';

/**
 * A transaction: the only way to change state. `sync.transact` hands it out, and it is valid until the cause that got it
 * ends; every method throws after that. All causes of one tick share one object.
 */
export class Tx {
  readonly #tick: Tick;
  readonly #running: RunningCause;
  readonly #actions: ActionSink;

  constructor(tick: Tick, running: RunningCause, actions: ActionSink) {
    this.#tick = tick;
    this.#running = running;
    this.#actions = actions;
  }

  /** Number of the present cause: lets a channel record one undo per cause. */
  get cause(): number {
    return this.#running.number;
  }

  /** When the tick began, by `steadyNow`: reading the clock for each delta costs as much as reducing the delta. */
  get beganAt(): number {
    return this.#tick.beganAt;
  }

  /** Reduces, numbers and journals one action. Cuts texts of the host and its agents to their limits. */
  emit<K extends ChannelKind>(channel: Channel<K>, action: ChannelAction[K], origin?: DispatchOrigin): void {
    this.#open();
    this.#actions.emit(this, channel, action, origin);
  }

  /**
   * Numbers and journals one action of a channel that is neither in memory nor being loaded; the next load reduces the
   * action. Observers are not called.
   */
  emitUnloaded<K extends ChannelKind>(uri: string, action: ChannelAction[K]): void {
    this.#open();
    this.#actions.emitUnloaded(this, uri, action);
  }

  /** Adds a journal row. */
  write(row: JournalWrite): void {
    this.#open().write(row);
  }

  /** Registers how to take back a change in memory; runs when the commit fails. */
  undo(restore: () => void): void {
    this.undoTo({ restore });
  }

  /** Registers an `Undo` object; saves a closure on the append path. */
  undoTo(change: Undo): void {
    this.#open().undo.push(change);
  }

  /** Runs `run` once the change is committed and published. `run` must check again whether its cause still stands. */
  effect(run: () => void): void {
    this.#open().effects.push(run);
  }

  /** Sends output behind the commit, in order. `dropped` runs instead when the commit fails. */
  publish(send: () => void, dropped?: () => void): void {
    this.publishOutput({ send, dropped });
  }

  /** Sends an `Output` object behind the commit; saves a closure on the append path. */
  publishOutput(output: Output): void {
    this.#open().output.push(output);
  }

  /** Replaces the host's own data of a channel, durably. Clients never see it. */
  setHostData<K extends ChannelKind>(channel: Channel<K>, hostData: Channel<K>['hostData']): void {
    if (!channel.isAlive) return;
    const before = channel.hostData;
    this.undo(() => {
      channel.hostData = before;
    });
    channel.hostData = hostData;
    this.write({ op: 'local', uri: channel.uri, local: JSON.stringify(hostData) });
  }

  /** Replaces a channel's window without an action; what the channel shows does not change. */
  setWindow<K extends ChannelKind>(channel: Channel<K>, state: ChannelState[K]): void {
    const before = channel.state;
    this.undo(() => {
      channel.state = before;
    });
    channel.state = state;
  }

  /** Notifies every subscriber of the root channel. Never journaled or replayed [ROOT-3]. */
  notifyRoot<M extends RootNotification>(method: M, params: HostToClientNotifications[M]): void {
    const notification = new EncodedNotification(method, params);
    this.publish(() => this.#actions.toRoot(notification));
  }

  /** Notifies one client alone, in order with the rest of its messages. Never journaled or replayed. */
  notify<M extends 'root/progress'>(sink: Sink, method: M, params: HostToClientNotifications[M]): void {
    const notification = new EncodedNotification(method, params);
    this.publish(() => sink.notification(notification));
  }

  #open(): Tick {
    if (this.#running.tx !== this) throw new Error('the transaction was used after its cause had ended');
    return this.#tick;
  }
}
