import type { ClientCapabilities, Implementation } from '@agenthost/protocol';
import type { Transport } from '@agenthost/rpc';
import { type Clock, randomId, systemClock } from './clock.ts';
import type { BackoffOptions } from './connection/connection.ts';
import type { ClientIdentity } from './connection/handshake.ts';
import type { LivenessOptions } from './connection/heartbeat.ts';
import type { ReportError } from './listeners.ts';

/** Everything about a client but where its host is. */
export interface ClientBehavior {
  /** Names the client over its whole life and beyond. Default: random. Two live clients with the same id replace each other. */
  clientId?: string;
  /** Shown to the host's operator. */
  clientInfo?: Implementation;
  /** BCP 47 tag for labels that the host makes. Default: the host's. */
  locale?: string;
  capabilities?: ClientCapabilities;
  /**
   * Sends again after a drop what has no answer. Safe with hosts that know `x-epoch` [ACT-5]; with any other host set it
   * to false, and such actions are `dropped`. Default true.
   */
  resend?: boolean;
  backoff?: BackoffOptions;
  liveness?: LivenessOptions;
  /** Milliseconds until an attempt to open a connection is given up; the handshake behind it has a minute. Default 30,000. */
  connectTimeoutMs?: number;
  /** Time. Default: the machine's. */
  clock?: Clock;
  /** 0 ≤ x < 1, for the jitter of backoff. Default `Math.random`. */
  random?: () => number;
  /** Makes ids of sessions, turns and the client itself; must be unique and fit in a URI. Default: 128 random bits as hex. */
  newId?: () => string;
  /** Hears errors that have no caller: a listener that throws, a frame that makes no sense. Default: thrown as uncaught. */
  onError?: ReportError;
}

/** Everything about a client. */
export interface ClientOptions extends ClientBehavior {
  /** Opens a connection, for each attempt anew; gives up when the signal aborts. */
  transport: (signal: AbortSignal) => Promise<Transport>;
}

interface ResolvedOptions {
  openTransport: ClientOptions['transport'];
  identity: ClientIdentity;
  clock: Clock;
  random: () => number;
  newId: () => string;
  backoff: BackoffOptions;
  liveness: LivenessOptions;
  connectTimeoutMs: number;
  report: ReportError;
}

/** Fills in defaults. */
export function resolveOptions(options: ClientOptions): ResolvedOptions {
  const newId = options.newId ?? randomId;
  return {
    openTransport: options.transport,
    identity: {
      clientId: options.clientId ?? newId(),
      epoch: options.resend === false ? undefined : newId(),
      clientInfo: options.clientInfo,
      locale: options.locale,
      capabilities: options.capabilities,
    },
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    newId,
    backoff: options.backoff ?? {},
    liveness: options.liveness ?? {},
    connectTimeoutMs: options.connectTimeoutMs ?? 30_000,
    report: options.onError ?? throwUncaught,
  };
}

const throwUncaught: ReportError = (error) => {
  queueMicrotask(() => {
    throw error;
  });
};
