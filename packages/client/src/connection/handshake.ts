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
  SUPPORTED_VERSIONS,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { RpcError } from '@agenthost/rpc';
import { HandshakeFailed, Unauthorized } from '../errors.ts';
import type { HostPeer } from './connection.ts';

/** Who the client says it is. */
export interface ClientIdentity {
  readonly clientId: string;
  /** Random id of this client's life; absent: nothing is ever sent twice [ACT-5]. */
  readonly epoch: string | undefined;
  readonly clientInfo: Implementation | undefined;
  readonly locale: string | undefined;
  readonly capabilities: ClientCapabilities | undefined;
}

/** What `initialize` told of the host. */
export type HostInfo = Omit<InitializeResult, 'snapshots' | 'serverSeq'>;

/** What a handshake reads and brings up to date. */
export interface HandshakePort {
  readonly identity: ClientIdentity;
  /** Absent until the first `initialize` was answered. */
  readonly lastSeenServerSeq: number | undefined;
  /** All held channels. */
  uris(): URI[];
  /** Those that `initialize` can bring back as they were. */
  plainUris(): URI[];
  initialized(result: InitializeResult): void;
  replayed(actions: readonly ActionEnvelope[], missing: readonly URI[]): void;
  restored(snapshots: readonly Snapshot[]): void;
}

/** Milliseconds for the answer to `initialize` or `reconnect`; it may hold 32 MiB of snapshots. */
const HANDSHAKE_TIMEOUT_MS = 60_000;

/**
 * Introduces the client on a new connection: `reconnect` when the host has met it, and `initialize` when it has not or
 * will not have it [CONN-1] [CONN-3] [CONN-5]. State is brought up to date and `online` called in the very call that
 * brings the answer, ahead of the envelopes behind it. Rejects with `HandshakeFailed` or `Unauthorized` when trying
 * again is of no use.
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
        protocolVersions: [...new Set<string>([PROTOCOL_VERSION, ...SUPPORTED_VERSIONS])],
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
    // A refused `reconnect` spends nothing: the same connection may begin anew [CONN-3].
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
