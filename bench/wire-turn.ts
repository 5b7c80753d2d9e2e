import type { WireClient } from './wire.ts';

/**
 * Runs a turn for a client that is subscribed to the chat. `model`: one of the session's agent, by default of the demo agent. Resolves with the
 * sequence number of its last envelope. Rejects when the turn fails.
 */
export function wireTurn(
  client: WireClient,
  chat: string,
  text: string,
  model = 'demo-fast',
): Promise<number> {
  const turnId = crypto.randomUUID();
  const over = new Promise<number>((resolve, reject) => {
    const look = (frame: Buffer): void => {
      const { params } = JSON.parse(frame.toString());
      const { type, turnId: of, error } = params?.action ?? {};
      if (of !== turnId || (type !== 'chat/turnComplete' && type !== 'chat/error')) return;
      client.socket.off('message', look);
      if (type === 'chat/error') reject(new Error(`the turn failed: ${error?.message}`));
      else resolve(params.serverSeq);
    };
    client.socket.on('message', look);
  });
  const message = { text, origin: { kind: 'user' }, model: { id: model } };
  client.dispatch(chat, { type: 'chat/turnStarted', turnId, startedAt: new Date().toISOString(), message });
  return over;
}
