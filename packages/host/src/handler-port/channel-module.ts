import type { ChannelAction, ChannelKind } from '@agenthost/protocol';
import type { Channel } from '../sync/channel.ts';
import type { Sink } from '../sync/subscription.ts';
import type { Tx } from '../sync/tx.ts';

/** Who sent a command or dispatch. */
export interface Caller {
  readonly clientId: string;
  /** Hash of the token that it connected with: client ids belong to it, and its share of the host's time. */
  readonly tokenHash: string;
  readonly isAdmin: boolean;
  /** BCP 47 [CHAT-19]. */
  readonly locale: string;
  /** Its connection: the key of its subscriptions. */
  readonly sink: Sink;
}

/** Why a dispatch is rejected: becomes `code: sentence` in `rejectionReason` [ACT-3]. */
export interface Rejection {
  readonly code: string;
  readonly reason: string;
}

/** Shorthand for a rejection. */
export const reject = (code: string, reason: string): Rejection => ({ code, reason });

/** What a kind of channel does with dispatched actions. */
export interface ChannelModule<K extends ChannelKind> {
  /**
   * Brings in from disk what `check` and the reducer need; later dispatches of this client wait for it [WIRE-6]. Asked again
   * when it is done, since others act meanwhile: `undefined` when nothing is missing.
   */
  prepare?(channel: Channel<K>, action: ChannelAction[K]): Promise<void> | undefined;
  /** Whether this client may do this now; `undefined` when it may. Looks at state only. */
  check(channel: Channel<K>, action: ChannelAction[K], caller: Caller): Rejection | undefined;
  /**
   * True for an action that changes nothing and must not be kept: it is echoed to its sender alone and never journaled
   * [TERM-2] [ACT-7]; `after` runs as usual. Default: no action is.
   */
  isPrivate?(action: ChannelAction[K]): boolean;
  /** Runs right after a rejection, in the same transaction: what the host does itself in place of what was refused. */
  refused?(tx: Tx, channel: Channel<K>, action: ChannelAction[K], caller: Caller): void;
  /** What is emitted in place of the action, where that is too large for state. Inside the same transaction, before `before`. */
  fit?(tx: Tx, channel: Channel<K>, action: ChannelAction[K]): ChannelAction[K];
  /** Runs right before the action is emitted, in the same transaction. */
  before?(tx: Tx, channel: Channel<K>, action: ChannelAction[K], caller: Caller): void;
  /** Runs right after the action was emitted, in the same transaction: follow-up actions, and effects. */
  after?(tx: Tx, channel: Channel<K>, action: ChannelAction[K], caller: Caller): void;
}

/** The modules of the channels whose actions clients may dispatch. */
export type ChannelModules = { readonly [K in ChannelKind]?: ChannelModule<K> };
