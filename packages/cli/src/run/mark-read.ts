import {
  type AhpClient,
  ChannelLost,
  ClientClosed,
  ConnectionLost,
  DispatchRejected,
  Replaced,
  type SessionHandle,
} from '@agenthost/client';

const EXPECTED = [ChannelLost, ClientClosed, ConnectionLost, DispatchRejected, Replaced];

/**
 * Marks a session as read after its answer was shown. A session that is gone and a connection that is lost are no failures: the answer is out,
 * and nobody waits for the connection to come back. Rejects with any other error.
 */
export async function markRead(
  client: Pick<AhpClient, 'status' | 'onStatus'>,
  session: Pick<SessionHandle, 'setRead'>,
): Promise<void> {
  if (client.status.state !== 'online') return;
  let stop = (): void => undefined;
  const isCutOff = new Promise<void>((resolve) => {
    stop = client.onStatus(({ state }) => {
      if (state !== 'online') resolve();
    });
  });
  try {
    await Promise.race([session.setRead(true), isCutOff]);
  } catch (error) {
    if (!EXPECTED.some((kind) => error instanceof kind)) throw error;
  } finally {
    stop();
  }
}
