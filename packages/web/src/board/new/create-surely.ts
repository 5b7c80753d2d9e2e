import { ConnectionLost, type CreateSessionOptions, RpcError, type SessionHandle } from '@agenthost/client';
import { ErrorCodes, type URI } from '@agenthost/protocol';

/** What creates and opens sessions: a client of the host. */
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
  for (;;) {
    try {
      return await client.sessions.create(options);
    } catch (error) {
      const isThere = wasLost && error instanceof RpcError && error.code === ErrorCodes.SessionAlreadyExists;
      if (!isThere && !(error instanceof ConnectionLost)) throw error;
      if (isThere) {
        try {
          return await client.sessions.open(options.uri);
        } catch (failure) {
          if (!(failure instanceof ConnectionLost)) throw failure;
        }
      }
      wasLost = true;
      await client.whenOnline();
    }
  }
}
