import type { ActionEnvelope, SubscribeView, SubscriptionDeliveryOptions } from '@agenthost/protocol';
import type { Dialect } from '@agenthost/protocol/dialects';
import type { FrameBatch } from '@agenthost/rpc/websocket-server';

/** Receiver of a connection's share of the stream. Calls never throw, and do nothing after the end. */
export interface Sink {
  /** Bytes that wait to be sent, without responses. Absent: always 0. */
  readonly waitingBytes?: number;
  /**
   * Sends a public envelope of a subscribed channel, the echo of the client's own dispatch, or a private
   * envelope [ACT-7].
   */
  envelope(envelope: EncodedEnvelope, delivery: SubscriptionDeliveryOptions | undefined): void;
  /** Sends any other encoded frame: notifications, responses. */
  frame(text: string, kind: 'message' | 'response'): void;
  /** Sends a notification other than an envelope, in order. */
  notification(notification: EncodedNotification): void;
}

/** One connection's subscription to one channel. */
export interface Subscription {
  readonly sink: Sink;
  readonly view: SubscribeView | undefined;
  readonly delivery: SubscriptionDeliveryOptions | undefined;
  /**
   * Number that the window starts from: every envelope above it was or will be delivered. Only `moveWindow`
   * changes it.
   */
  since: number;
  /** Chats: ordinal of the oldest turn that the subscriber has. */
  fromOrdinal: number;
  /** Whether the subscriber understands `chat/turnsLoaded`. Older protocol versions do not. */
  readonly takesTurns: boolean;
  /**
   * True if the window was replaced after the subscription began, possibly while its snapshot was read
   * [CHAT-6].
   */
  isRealigned: boolean;
  /**
   * Stores `since` and `fromOrdinal` for the client's next connection, durably with the current tick. Returns
   * a function that undoes this.
   */
  readonly keep?: () => () => void;
  /** Called when the channel was disposed of. */
  readonly ended?: () => void;
}

/**
 * Moves the start of a subscriber's window to another turn, as envelopes up to number `since` tell the
 * subscriber. A client that returns without having seen that number gets a snapshot [CONN-5]. Returns a
 * function that undoes the move.
 */
export function moveWindow(subscription: Subscription, fromOrdinal: number, since: number): () => void {
  const before = { fromOrdinal: subscription.fromOrdinal, since: subscription.since };
  Object.assign(subscription, { fromOrdinal, since, isRealigned: true });
  const forget = subscription.keep?.();
  return () => {
    Object.assign(subscription, before);
    forget?.();
  };
}

/** Text around an envelope's JSON that makes it a notification. */
export const ENVELOPE_ENDS = { before: '{"jsonrpc":"2.0","method":"action","params":', behind: '}' } as const;

/** The states of a channel before and after an action. Conversions for older versions may need them [DIA-1]. */
export interface StatesAround {
  readonly before: object;
  readonly after: object;
}

/** A notification other than an envelope. It is encoded once for all receivers of the present version. */
export class EncodedNotification {
  readonly method: string;
  readonly params: object;
  #text: string | undefined;

  constructor(method: string, params: object) {
    this.method = method;
    this.params = params;
  }

  /** The whole message. */
  get text(): string {
    this.#text ??= JSON.stringify({ jsonrpc: '2.0', method: this.method, params: this.params });
    return this.#text;
  }
}

/** An envelope and its encodings. Each encoding is made once for all subscribers. */
export class EncodedEnvelope {
  readonly value: ActionEnvelope;
  /**
   * The frames last made of a run that begins with this envelope. Stored here to be released with the
   * envelope. A `WeakMap` would keep it, and all envelopes of the run, through each collection of young
   * objects.
   */
  batch: { readonly run: readonly EncodedEnvelope[]; readonly frames: FrameBatch } | undefined;
  /** Number of outboxes that keep the envelope for slow clients. */
  holderCount = 0;
  /** Absent for appended text, and for envelopes that were read from the journal. */
  readonly states: StatesAround | undefined;
  /** The envelope in the dialects of subscribers with older versions. */
  #translations: Map<Dialect, readonly EncodedEnvelope[]> | undefined;
  #json: string | undefined;
  #frame: string | undefined;
  #bytes: Uint8Array | undefined;

  /** `json`: the encoded value, if the caller already has it. */
  constructor(value: ActionEnvelope, json?: string, states?: StatesAround) {
    this.value = value;
    this.states = states;
    this.#json = json;
  }

  /** The envelope in a dialect, made once by `translate` for all clients that share the dialect. */
  inDialect(dialect: Dialect, translate: () => readonly EncodedEnvelope[]): readonly EncodedEnvelope[] {
    this.#translations ??= new Map();
    let translation = this.#translations.get(dialect);
    if (translation === undefined) {
      translation = translate();
      this.#translations.set(dialect, translation);
    }
    return translation;
  }

  /** `value` as JSON, as journaled. */
  get json(): string {
    this.#json ??= JSON.stringify(this.value);
    return this.#json;
  }

  /** The whole notification as text. */
  get frame(): string {
    this.#frame ??= `${ENVELOPE_ENDS.before}${this.json}${ENVELOPE_ENDS.behind}`;
    return this.#frame;
  }

  /** The whole notification as UTF-8. */
  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(this.frame, 'utf8');
    return this.#bytes;
  }
}
