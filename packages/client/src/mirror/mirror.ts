import type {
  ActionEnvelope,
  ChannelAction,
  ChannelKind,
  ChannelState,
  ClientActionType,
  CompletionItem,
  FetchTurnsResult,
  ResourceReadResult,
  URI,
} from '@agenthost/protocol';
import { ConsumerTooSlow } from '../errors.ts';
import type { Channel } from './channel.ts';
import type { DispatchOutcome } from './pending-actions.ts';

/** The actions of a kind of channel that clients may dispatch. */
export type DispatchableAction<K extends ChannelKind> = Extract<ChannelAction[K], { type: ClientActionType }>;

/** Unread envelopes that one `actions()` iteration buffers. One more ends it with `ConsumerTooSlow`. */
export const MAX_UNREAD_ACTIONS = 10_000;

/** What a mirror needs of its client. */
export interface MirrorOwner<K extends ChannelKind> {
  dispatch(action: DispatchableAction<K>): Promise<DispatchOutcome>;
  /** Loads older turns. Resolves with false when there are none. */
  fetchOlderTurns(): Promise<boolean>;
  /** Reads turns without changing the mirror. */
  readTurnsBefore(turnId: string, limit: number, signal: AbortSignal | undefined): Promise<FetchTurnsResult>;
  /** Asks for completions. */
  complete(text: string, offset: number, signal: AbortSignal): Promise<readonly CompletionItem[]>;
  /** Reads content that the host holds, as base64. Resolves with `undefined` when the host refuses. */
  readContent(uri: URI): Promise<ResourceReadResult | undefined>;
  /** Called once, by the first `dispose`. */
  release(): void;
}

/**
 * A live copy of one channel's state that survives reconnects. Mirrors of one channel share a subscription
 * and the same state objects. State objects are never changed in place.
 *
 * @example
 * const chat = await client.subscribe(uri, { kind: 'chat' });
 * const stop = chat.onChange(({ turns }) => console.log(turns.length));
 * stop();
 * chat.dispose();
 */
export class Mirror<K extends ChannelKind> implements AsyncIterable<ChannelState[K]> {
  readonly #channel: Channel<K>;
  readonly #owner: MirrorOwner<K>;
  readonly #onDispose = new Set<() => void>();
  #isDisposed = false;

  constructor(channel: Channel<K>, owner: MirrorOwner<K>) {
    this.#channel = channel;
    this.#owner = owner;
  }

  get kind(): K {
    return this.#channel.kind;
  }

  get uri(): URI {
    return this.#channel.uri;
  }

  /** The state to show: the confirmed state with this client's unanswered actions applied to it [REC-1]. */
  get state(): ChannelState[K] {
    return this.#channel.state;
  }

  /** The state that the host confirmed. */
  get confirmed(): ChannelState[K] {
    return this.#channel.confirmed;
  }

  /** `serverSeq` of the last envelope that `confirmed` reflects. */
  get reflectedSeq(): number {
    return this.#channel.reflectedSeq;
  }

  /** True once the channel is gone (disposed, or no longer permitted). The states stay as they were. */
  get isLost(): boolean {
    return this.#channel.isLost;
  }

  /** True after `dispose`. Listeners are no longer called. */
  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /**
   * Calls `listener` after `state` or `confirmed` changed, once per frame, and when the channel is lost.
   * Returns a function that removes it.
   */
  onChange(listener: (state: ChannelState[K]) => void): () => void {
    return this.#own(this.#channel.onChange.add(listener));
  }

  /**
   * Calls `listener` for every applied envelope, in order. A snapshot replaces envelopes. Returns a function
   * that removes the listener.
   */
  onAction(listener: (envelope: ActionEnvelope) => void): () => void {
    return this.#own(this.#channel.onAction.add(listener));
  }

  /**
   * Calls `listener` when a snapshot replaced `confirmed`: after a reconnect without a replay, or because
   * another mirror asked for more. The snapshot includes envelopes for which `onAction` was not called.
   * Returns a function that removes the listener.
   */
  onSnapshot(listener: () => void): () => void {
    return this.#own(this.#channel.onSnapshot.add(listener));
  }

  /** Dispatches an action on this channel; see `AhpClient.dispatch`. */
  dispatch(action: DispatchableAction<K>): Promise<DispatchOutcome> {
    return this.#owner.dispatch(action);
  }

  /**
   * For a chat with a window: loads the turns before it into `state`. Resolves with true, or with false when
   * there are none [CHAT-15]. Concurrent calls share one request. Rejects like `AhpClient.request`. After a
   * long disconnect a snapshot restores the window first asked for.
   */
  fetchOlderTurns(): Promise<boolean> {
    return this.#owner.fetchOlderTurns();
  }

  /**
   * For a chat: reads up to `limit` turns before one, oldest first, without changing `state` [CHAT-15]. Rejects like `AhpClient.request`.
   */
  readTurnsBefore(turnId: string, limit: number, signal?: AbortSignal): Promise<FetchTurnsResult> {
    return this.#owner.readTurnsBefore(turnId, limit, signal);
  }

  /**
   * For a chat: completions at `offset` of a message [CHAT-16]; see `ChatHandle.complete`. Rejects like
   * `AhpClient.request`.
   */
  complete(text: string, offset: number, signal: AbortSignal): Promise<readonly CompletionItem[]> {
    return this.#owner.complete(text, offset, signal);
  }

  /**
   * Reads content that the host holds for this channel, as base64. Resolves with `undefined` when the host
   * refuses.
   */
  readContent(uri: URI): Promise<ResourceReadResult | undefined> {
    return this.#owner.readContent(uri);
  }

  /**
   * Iterates the states, starting with the present one. A slow consumer skips to the latest. Ends with the
   * channel or the mirror.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<ChannelState[K], void, undefined> {
    let seen: ChannelState[K] | undefined;
    const wakeUp = this.#waker();
    try {
      while (!this.#isDisposed) {
        const { state } = this;
        if (state !== seen) {
          seen = state;
          yield state;
          continue;
        }
        if (this.isLost) return;
        await wakeUp.next();
      }
    } finally {
      wakeUp.stop();
    }
  }

  /**
   * Iterates the envelopes applied from the first `next()` on. Throws `ConsumerTooSlow` when more than
   * `MAX_UNREAD_ACTIONS` are unread. Ends with the channel or the mirror.
   */
  async *actions(): AsyncGenerator<ActionEnvelope, void, undefined> {
    let unread: ActionEnvelope[] = [];
    let hasOverflowed = false;
    const wakeUp = this.#waker();
    const stop = this.onAction((envelope) => {
      if (unread.length < MAX_UNREAD_ACTIONS) unread.push(envelope);
      else hasOverflowed = true;
      wakeUp.wake();
    });
    try {
      while (!this.#isDisposed) {
        if (hasOverflowed) throw new ConsumerTooSlow(this.uri, MAX_UNREAD_ACTIONS);
        const batch = unread;
        unread = [];
        // oxlint reads `hasOverflowed` as constant; it changes while a consumer holds the generator here.
        yield* batch;
        if (unread.length > 0) continue;
        if (this.isLost) return;
        await wakeUp.next();
      }
    } finally {
      stop();
      wakeUp.stop();
    }
  }

  /**
   * Disposes this mirror. The client unsubscribes when it was the last one of its channel. Calling it again
   * does nothing.
   */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    for (const stop of Array.from(this.#onDispose)) stop();
    this.#owner.release();
  }

  #own(stop: () => void): () => void {
    const once = (): void => {
      this.#onDispose.delete(once);
      stop();
    };
    this.#onDispose.add(once);
    return once;
  }

  /**
   * Creates promises for the next change; `dispose` resolves them too. A change between two `next` calls is
   * not missed.
   */
  #waker(): { next(): Promise<void>; wake(): void; stop(): void } {
    let isSet = false;
    let resolve: (() => void) | undefined;
    const wake = (): void => {
      isSet = true;
      resolve?.();
    };
    const stopListening = this.#channel.onChange.add(wake);
    this.#onDispose.add(wake);
    return {
      wake,
      next: async () => {
        if (!isSet) {
          await new Promise<void>((done) => {
            resolve = done;
          });
        }
        isSet = false;
        resolve = undefined;
      },
      stop: () => {
        stopListening();
        this.#onDispose.delete(wake);
      },
    };
  }
}
