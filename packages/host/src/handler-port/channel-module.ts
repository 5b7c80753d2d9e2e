import {
  type Author,
  type ChannelAction,
  type ChannelKind,
  type CountLimit,
  excessOf,
  type RefusalDetails,
  type SessionRole,
  type TokenScope,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Channel } from '../sync/channel.ts';
import type { Sink } from '../sync/subscription.ts';
import type { Tx } from '../sync/tx.ts';

/** The client that sent a command or dispatch. */
export interface Caller {
  readonly clientId: string;
  /** Hash of its token. Client ids belong to a token. */
  readonly tokenHash: string;
  /** Hash of the secret of the browser's sign-in. Absent: the client sent the token itself. */
  readonly signInHash?: string;
  readonly scope: TokenScope;
  readonly isAdmin: boolean;
  /** The only sessions that it may learn of, by URI. Absent: all. */
  readonly sessions?: ReadonlyMap<string, SessionRole>;
  /** BCP 47 [CHAT-19]. */
  readonly locale: string;
  /** The author of what it writes. Absent: it acts for the host. */
  readonly author?: Author;
  /** Its connection, by which its subscriptions are found. */
  readonly sink: Sink;
}

/** A rejected dispatch. `rejectionReason` becomes `code: reason` [ACT-3]. */
export interface Rejection {
  readonly code: string;
  readonly reason: string;
  /** The refusal as data, for clients that build their own text. */
  readonly refusal?: RefusalDetails;
  /** Runs right after the rejection, in the same transaction. */
  after?(tx: Tx): void;
}

/** Shorthand for a rejection. */
export const reject = (code: string, reason: string, refusal?: RefusalDetails): Rejection => ({
  code,
  reason,
  ...defined({ refusal }),
});

/** A refusal of a key of a configuration, with the key as data. */
export const rejectKey = (code: string, parameter: string, problem: string): Rejection =>
  reject(code, `${parameter}: ${problem}`, { kind: 'parameter', parameter, problem });

/** A refusal of an action that would make a part of a channel's state too large. */
export const rejectSize = (field: string, limit: CountLimit, actual: number): Rejection =>
  reject('tooLarge', excessOf(limit, actual), {
    kind: 'size',
    field,
    unit: 'charactersAltogether',
    max: limit.max,
    actual,
  });

/** An accepted dispatch. All of it runs in one transaction. */
export interface Plan<K extends ChannelKind> {
  /**
   * The action to emit. A function, called first, if rows must be written for it, for example for an
   * attachment that is too large for state.
   */
  readonly action: ChannelAction[K] | ((tx: Tx) => ChannelAction[K]);
  /**
   * True: the action changes nothing and must not be kept. It is echoed to its sender alone and never journaled
   * [TERM-2] [ACT-7]. Default: false.
   */
  readonly isPrivate?: boolean;
  /** Runs right before the action is emitted. */
  before?(tx: Tx): void;
  /** Runs right after the action is emitted. */
  after?(tx: Tx): void;
}

/**
 * The outcome of planning an action: a rejection, a plan, or a promise while the plan needs rows from disk. The promise
 * resolves with a function that plans again, since others act meanwhile; later dispatches of the client wait for it [WIRE-6].
 */
export type Planned<K extends ChannelKind> = Rejection | Plan<K> | Promise<() => Planned<K>>;

/**
 * Plans the actions that clients dispatch on one kind of channel. Planning only reads state; the plan makes
 * the changes.
 */
export interface ChannelModule<K extends ChannelKind> {
  plan(channel: Channel<K>, action: ChannelAction[K], caller: Caller): Planned<K>;
}

/** The modules of the channels whose actions clients may dispatch. */
export type ChannelModules = { readonly [K in ChannelKind]?: ChannelModule<K> };
