import { ConnectionLost, type CreateSessionOptions, RpcError, type SessionHandle } from '@agenthost/client';
import { ErrorCodes, type URI } from '@agenthost/protocol';

/** The part of `AhpClient` that creates and opens sessions. */
export interface SessionMaker {
  readonly sessions: {
    create(options: CreateSessionOptions): Promise<SessionHandle>;
    open(uri: URI): Promise<SessionHandle>;
  };
  whenOnline(): Promise<void>;
}

/**
 * Creates one session, also when the connection is lost meanwhile: waits for the next connection, and opens the session if the host had created
 * it. Rejects like `Sessions.create`, and when the client is closed.
 */
export async function createSurely(
  client: SessionMaker,
  options: CreateSessionOptions & { readonly uri: URI },
): Promise<SessionHandle> {
  let wasLost = false;
  let isThere = false;
  for (;;) {
    try {
      return await (isThere ? client.sessions.open(options.uri) : client.sessions.create(options));
    } catch (error) {
      if (error instanceof ConnectionLost) {
        wasLost = true;
        isThere = false;
        await client.whenOnline();
      } else if (wasLost && !isThere && isExisting(error)) isThere = true;
      else throw error;
    }
  }
}

const isExisting = (error: unknown): boolean =>
  error instanceof RpcError && error.code === ErrorCodes.SessionAlreadyExists;
