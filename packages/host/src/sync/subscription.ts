import type { ActionEnvelope, SubscribeView, SubscriptionDeliveryOptions } from '@agenthost/protocol';
import type { FrameBatch } from '@agenthost/rpc/websocket-server';

/** Where a connection's share of the stream goes. Calls never throw; after the end they do nothing. */
export interface Sink {
  /** Bytes that wait to be sent, responses aside. Absent: none ever do. */
  readonly waitingBytes?: number;
  /** A public envelope of a subscribed channel, the echo of an own dispatch, or a private one [ACT-7]. */
  envelope(envelope: EncodedEnvelope, delivery: SubscriptionDeliveryOptions | undefined): void;
  /** Any other ready frame: notifications, responses. */
  frame(text: string, kind: 'message' | 'response'): void;
}

/** One connection's subscription to one channel. */
export interface Subscription {
  readonly sink: Sink;
  readonly view: SubscribeView | undefined;
  readonly delivery: SubscriptionDeliveryOptions | undefined;
  /** The number that its window holds from: everything above it was or will be delivered. Changed by `moveWindow` only. */
  since: number;
  /** Chats: ordinal of the oldest turn that the subscriber holds. */
  fromOrdinal: number;
  /** Whether `chat/turnsLoaded` reaches it; older versions do not know that action. */
  readonly takesTurns: boolean;
  /** Its window was replaced since it began, maybe while its snapshot was being read [CHAT-6]. */
  isRealigned: boolean;
  /** Keeps `since` and `fromOrdinal` for the client's next connection, durably with the present tick; returns how to take that back. */
  readonly keep?: () => () => void;
  /** Called when the channel is gone for good. */
  readonly ended?: () => void;
}

/**
 * A subscriber's window begins at another turn, which envelopes up to number `since` tell him: his client gets a snapshot when it comes
 * back and has not seen that number [CONN-5]. Returns how to take it back.
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

/** What makes an envelope's JSON a notification. */
export const ENVELOPE_ENDS = { before: '{"jsonrpc":"2.0","method":"action","params":', behind: '}' } as const;

/** An envelope with its encodings, each made once however many subscribers there are. */
export class EncodedEnvelope {
  readonly value: ActionEnvelope;
  /**
   * What was last made of a run that begins with this envelope. Here it goes when the envelope does: in a `WeakMap` each
   * collection of young objects would keep it, and with it all envelopes of the run.
   */
  batch: { readonly run: readonly EncodedEnvelope[]; readonly frames: FrameBatch } | undefined;
  /** How many outboxes keep it for clients that have not read as far. */
  holderCount = 0;
  #json: string | undefined;
  #frame: string | undefined;
  #bytes: Uint8Array | undefined;

  /** `json`: the encoded value, when the caller has it already. */
  constructor(value: ActionEnvelope, json?: string) {
    this.value = value;
    this.#json = json;
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
