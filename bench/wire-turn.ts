import type { WireClient } from './wire.ts';

/** Runs a turn of the demo agent for a client that is subscribed to the chat. Resolves with the sequence number of its last envelope. */
export function wireTurn(client: WireClient, chat: string, text: string): Promise<number> {
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
  const message = { text, origin: { kind: 'user' }, model: { id: 'demo-fast' } };
  client.dispatch(chat, { type: 'chat/turnStarted', turnId, startedAt: new Date().toISOString(), message });
  return over;
}
