import type {
  ActionEnvelope,
  ChannelAction,
  ChannelKind,
  ChannelState,
  ClientActionType,
  CompletionItem,
  ResourceReadResult,
  URI,
} from '@agenthost/protocol';
import { ConsumerTooSlow } from '../errors.ts';
import type { Channel } from './channel.ts';
import type { DispatchOutcome } from './pending-actions.ts';

/** The actions of one kind of channel that a client may dispatch. */
export type DispatchableAction<K extends ChannelKind> = Extract<ChannelAction[K], { type: ClientActionType }>;

/** Unread envelopes that one `actions()` iteration holds; one more ends it with `ConsumerTooSlow`. */
export const MAX_UNREAD_ACTIONS = 10_000;

/** What a mirror needs of its client. */
export interface MirrorOwner<K extends ChannelKind> {
  dispatch(action: DispatchableAction<K>): Promise<DispatchOutcome>;
  /** Loads older turns; false when there are none. */
  fetchOlderTurns(): Promise<boolean>;
  /** Asks for proposals while a message is written. */
  complete(text: string, offset: number, signal: AbortSignal): Promise<readonly CompletionItem[]>;
  /** Reads a content that the host holds, as base64; `undefined` when the host refuses. */
  readContent(uri: URI): Promise<ResourceReadResult | undefined>;
  /** Called once, by the first `dispose`. */
  release(): void;
}

/**
 * A live copy of one channel's state, kept through reconnects. Several mirrors of one channel share a subscription and
 * the same state objects; states are never changed in place.
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

  /** What to show: what the host confirmed, with this client's unanswered actions replayed on it [REC-1]. */
  get state(): ChannelState[K] {
    return this.#channel.state;
  }

  /** What the host confirmed, in the order of all clients' actions. */
  get confirmed(): ChannelState[K] {
    return this.#channel.confirmed;
  }

  /** `serverSeq` up to which `confirmed` reflects this channel's envelopes. */
  get reflectedSeq(): number {
    return this.#channel.reflectedSeq;
  }

  /** True once the channel is gone (disposed, or not permitted any more); states stay as they last were. */
  get isLost(): boolean {
    return this.#channel.isLost;
  }

  /** True after `dispose`: nothing is told any more. */
  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /**
   * Calls `listener` after `state` or `confirmed` changed, and when the channel is lost; once for all that one frame
   * changed. The result removes it.
   */
  onChange(listener: (state: ChannelState[K]) => void): () => void {
    return this.#own(this.#channel.onChange.add(listener));
  }

  /** Calls `listener` for every envelope that was applied, in order. Snapshots replace what they cover, without envelopes. */
  onAction(listener: (envelope: ActionEnvelope) => void): () => void {
    return this.#own(this.#channel.onAction.add(listener));
  }

  /**
   * Calls `listener` when a snapshot has replaced `confirmed`: after a reconnection without a replay, or because another
   * mirror asked for more. What the last envelopes did is in it, without `onAction`. The result removes it.
   */
  onSnapshot(listener: () => void): () => void {
    return this.#own(this.#channel.onSnapshot.add(listener));
  }

  /** Dispatches an action on this channel; see `AhpClient.dispatch`. */
  dispatch(action: DispatchableAction<K>): Promise<DispatchOutcome> {
    return this.#owner.dispatch(action);
  }

  /**
   * For a chat with a window: loads the turns before it into `state` and resolves to true, or to false when there are
   * none [CHAT-15]. Calls at the same time share one request. Rejects like any request. A snapshot after a long
   * disconnection goes back to the window first asked for.
   */
  fetchOlderTurns(): Promise<boolean> {
    return this.#owner.fetchOlderTurns();
  }

  /** For a chat: what the host proposes at `offset` of a message in the making [CHAT-16]; see `ChatHandle.complete`. Rejects like any request. */
  complete(text: string, offset: number, signal: AbortSignal): Promise<readonly CompletionItem[]> {
    return this.#owner.complete(text, offset, signal);
  }

  /** Reads a content that the host holds for this channel, as base64; `undefined` when the host refuses. */
  readContent(uri: URI): Promise<ResourceReadResult | undefined> {
    return this.#owner.readContent(uri);
  }

  /** Every state from now on, the present one first. A slow consumer skips to the latest. Ends with the channel or mirror. */
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
   * Every envelope applied from the first `next()` on. At most `MAX_UNREAD_ACTIONS` wait unread; then the iteration
   * throws `ConsumerTooSlow`. Ends with the channel or mirror.
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

  /** Ends this mirror. When it was the last of its channel, the client unsubscribes. Calling it again does nothing. */
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

  /** Promises of the next change, that dispose wakes too; one that comes between two `next` calls is not missed. */
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
