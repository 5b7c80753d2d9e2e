import type { WireClient } from './wire.ts';

/**
 * Runs a turn for a client that is subscribed to the chat. `model`: one of the session's agent, by default of the demo agent. Resolves with the
 * sequence number of its last envelope.
 */
export function wireTurn(
  client: WireClient,
  chat: string,
  text: string,
  model = 'demo-fast',
): Promise<number> {
  const turnId = crypto.randomUUID();
  const over = new Promise<number>((resolve) => {
    const look = (frame: Buffer): void => {
      const { params } = JSON.parse(frame.toString());
      if (params?.action?.type !== 'chat/turnComplete' || params.action.turnId !== turnId) return;
      client.socket.off('message', look);
      resolve(params.serverSeq);
    };
    client.socket.on('message', look);
  });
  const message = { text, origin: { kind: 'user' }, model: { id: model } };
  client.dispatch(chat, { type: 'chat/turnStarted', turnId, startedAt: new Date().toISOString(), message });
  return over;
}
