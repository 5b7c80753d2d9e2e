import type { ClientCapabilities, Implementation } from '@agenthost/protocol';
import type { Transport } from '@agenthost/rpc';
import { type Clock, randomId, systemClock } from './clock.ts';
import type { BackoffOptions } from './connection/connection.ts';
import type { ClientIdentity } from './connection/handshake.ts';
import type { LivenessOptions } from './connection/heartbeat.ts';
import type { ReportError } from './listeners.ts';
import { ActionStore, type ClientMemory } from './mirror/action-store.ts';

/** All options of a client except its transport. */
export interface ClientBehavior {
  /**
   * Identifies the client across connections and restarts. Default: that in the memory, else random. Two running clients with the same id
   * replace each other.
   */
  clientId?: string;
  /** Name and version of the program, shown to the host's operator. */
  clientInfo?: Implementation;
  /** BCP 47 tag for labels that the host makes. Default: the host's. */
  locale?: string;
  capabilities?: ClientCapabilities;
  /**
   * Whether to send unanswered actions again after a drop. Safe with hosts that support `x-epoch` [ACT-5].
   * Set it to false for other hosts; such actions are then `dropped`. Default true.
   */
  resend?: boolean;
  /**
   * Keeps the client's identity and its unanswered actions over a reload of the page, so that the next client continues as the same one and
   * sends them again, each applied at most once [ACT-5]. See `AhpClient.restored`. Not used when `resend` is false. Default: none.
   */
  memory?: ClientMemory;
  /**
   * Whether dispatched actions wait instead of being sent; mirrors show them. For a transport that serves a copy of a host which is away. Default
   * false.
   */
  holdsActions?: boolean;
  /**
   * Address of the host as this client reaches it, for addresses that depend on it, such as those of previews. Default: that which `connect` was
   * given.
   */
  address?: string;
  backoff?: BackoffOptions;
  liveness?: LivenessOptions;
  /** Wraps the transport of each connection before it is used, for example to record its frames. Default: none. */
  wrapTransport?: (transport: Transport) => Transport;
  /**
   * Time limit for opening a transport, in milliseconds. Default 30,000. The handshake has a limit of its own
   * of 60,000 ms.
   */
  connectTimeoutMs?: number;
  /** Clock and timers. Default: those of the machine. */
  clock?: Clock;
  /** A random number, 0 ≤ x < 1, for the jitter of delays. Default `Math.random`. */
  random?: () => number;
  /**
   * Makes ids of sessions, turns and the client. They must be unique and valid in a URI. Default: 128 random
   * bits as hexadecimal digits.
   */
  newId?: () => string;
  /**
   * Called with errors that have no caller, such as an error in a listener or an invalid frame. Default:
   * thrown as an uncaught error.
   */
  onError?: ReportError;
}

/** All options of a client. */
export interface ClientOptions extends ClientBehavior {
  /** Opens a connection; called for every attempt. Must stop when the signal aborts. */
  transport: (signal: AbortSignal) => Promise<Transport>;
}

interface ResolvedOptions {
  openTransport: ClientOptions['transport'];
  identity: ClientIdentity;
  store: ActionStore | undefined;
  holdsActions: boolean;
  address: string | undefined;
  clock: Clock;
  random: () => number;
  newId: () => string;
  backoff: BackoffOptions;
  liveness: LivenessOptions;
  connectTimeoutMs: number;
  report: ReportError;
}

/** Adds the defaults. */
export function resolveOptions(options: ClientOptions): ResolvedOptions {
  const newId = options.newId ?? randomId;
  const { transport, wrapTransport, clientId, memory, resend = true } = options;
  const clock = options.clock ?? systemClock;
  const report = options.onError ?? throwUncaught;
  const store =
    memory !== undefined && resend ? new ActionStore(memory, { clock, report, newId, clientId }) : undefined;
  return {
    openTransport:
      wrapTransport === undefined ? transport : async (signal) => wrapTransport(await transport(signal)),
    identity: {
      clientId: store?.clientId ?? clientId ?? newId(),
      epoch: resend ? (store?.epoch ?? newId()) : undefined,
      clientInfo: options.clientInfo,
      locale: options.locale,
      capabilities: options.capabilities,
    },
    store,
    holdsActions: options.holdsActions ?? false,
    address: options.address,
    clock,
    random: options.random ?? Math.random,
    newId,
    backoff: options.backoff ?? {},
    liveness: options.liveness ?? {},
    connectTimeoutMs: options.connectTimeoutMs ?? 30_000,
    report,
  };
}

const throwUncaught: ReportError = (error) => {
  queueMicrotask(() => {
    throw error;
  });
};
