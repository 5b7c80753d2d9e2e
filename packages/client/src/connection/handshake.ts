import {
  type ActionEnvelope,
  type ClientCapabilities,
  ErrorCodes,
  type Implementation,
  type InitializeResult,
  PROTOCOL_VERSION,
  type ReconnectResult,
  ROOT_URI,
  type Snapshot,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { RpcError } from '@agenthost/rpc';
import { HandshakeFailed, Unauthorized } from '../errors.ts';
import type { HostPeer } from './connection.ts';

/** How the client identifies itself to the host. */
export interface ClientIdentity {
  readonly clientId: string;
  /** Random id of this client object. Absent: no action is ever sent twice [ACT-5]. */
  readonly epoch: string | undefined;
  readonly clientInfo: Implementation | undefined;
  readonly locale: string | undefined;
  readonly capabilities: ClientCapabilities | undefined;
}

/** Name, version and features of the host, from `initialize`. */
export type HostInfo = Omit<InitializeResult, 'snapshots' | 'serverSeq'>;

/** State that a handshake reads, and callbacks that update it. */
export interface HandshakePort {
  readonly identity: ClientIdentity;
  /** Absent before the first answer to `initialize`. */
  readonly lastSeenServerSeq: number | undefined;
  /** URIs of all held channels. */
  uris(): URI[];
  /** URIs of the channels that `initialize` can restore completely. */
  plainUris(): URI[];
  initialized(result: InitializeResult): void;
  replayed(actions: readonly ActionEnvelope[], missing: readonly URI[]): void;
  restored(snapshots: readonly Snapshot[]): void;
}

/**
 * Time limit for the answer to `initialize` or `reconnect`, in milliseconds. The answer may hold 32 MiB of
 * snapshots.
 */
const HANDSHAKE_TIMEOUT_MS = 60_000;

/**
 * Performs the handshake on a new connection: `reconnect` when the host knows the client, and `initialize`
 * when it does not or when it refuses `reconnect` [CONN-1] [CONN-3] [CONN-5]. Updates the state and calls
 * `online` synchronously when the answer arrives, before the envelopes that follow it. Rejects with
 * `HandshakeFailed` or `Unauthorized` when another attempt cannot succeed.
 */
export async function shakeHands(peer: HostPeer, port: HandshakePort, online: () => void): Promise<void> {
  const { lastSeenServerSeq } = port;
  if (lastSeenServerSeq !== undefined && (await hasReconnected(peer, port, lastSeenServerSeq, online)))
    return;
  const { clientInfo, locale, capabilities } = port.identity;
  try {
    await peer.request(
      'initialize',
      {
        channel: ROOT_URI,
        protocolVersions: [PROTOCOL_VERSION],
        ...identityParams(port.identity),
        initialSubscriptions: port.plainUris(),
        ...defined({ clientInfo, locale, capabilities }),
      },
      {
        timeoutMs: HANDSHAKE_TIMEOUT_MS,
        onResult: (result) => {
          port.initialized(result);
          online();
        },
      },
    );
  } catch (error) {
    throw asFinal(error);
  }
}

async function hasReconnected(
  peer: HostPeer,
  port: HandshakePort,
  lastSeenServerSeq: number,
  online: () => void,
): Promise<boolean> {
  try {
    await peer.request(
      'reconnect',
      {
        channel: ROOT_URI,
        ...identityParams(port.identity),
        lastSeenServerSeq,
        subscriptions: port.uris(),
      },
      {
        timeoutMs: HANDSHAKE_TIMEOUT_MS,
        onResult: (result: ReconnectResult) => {
          if (result.type === 'replay') port.replayed(result.actions, result.missing);
          else port.restored(result.snapshots);
          online();
        },
      },
    );
    return true;
  } catch (error) {
    // After a refused `reconnect` the same connection may send `initialize` [CONN-3].
    if (error instanceof RpcError) return false;
    throw error;
  }
}

function identityParams({ clientId, epoch }: ClientIdentity): { clientId: string; 'x-epoch'?: string } {
  return epoch === undefined ? { clientId } : { clientId, 'x-epoch': epoch };
}

function asFinal(error: unknown): unknown {
  if (!(error instanceof RpcError) || error.code === ErrorCodes.InternalError) return error;
  if (error.code === ErrorCodes.PermissionDenied) return new Unauthorized(error.message, { cause: error });
  return new HandshakeFailed(`the host refused the handshake: ${error.message}`, { cause: error });
}
