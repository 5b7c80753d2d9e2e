// The subscribers of the fan-out benchmark, for host and baseline alike. Each parses every frame.
import { serve } from './process.ts';
import { WireClient } from './wire.ts';

type Request =
  /** Replaces the earlier subscribers. With `chat`, they subscribe to it at a host; the first `olderCount` of them at version 0.5.2. */
  | { kind: 'connect'; url: string; count: number; chat?: string; olderCount?: number }
  /** Sent before a turn begins. */
  | { kind: 'expect'; isRecorded: boolean }
  /** Answers when every subscriber has received the end of the turn. */
  | { kind: 'receive' };

interface Turn {
  readonly isRecorded: boolean;
  readonly frames: Buffer[];
  readonly received: Promise<{ ms: number; envelopes: number; frames: Buffer[] }>;
  take(client: number, frame: Buffer): void;
}

let clients: WireClient[] = [];
let turn: Turn | undefined;

async function answer(request: Request): Promise<unknown> {
  switch (request.kind) {
    case 'connect':
      return connect(request);
    case 'expect':
      turn = expect(request.isRecorded);
      return {};
    default:
      return turn?.received;
  }
}

async function connect({
  url,
  count,
  chat,
  olderCount = 0,
}: Extract<Request, { kind: 'connect' }>): Promise<void> {
  await Promise.all(clients.map((client) => client.close()));
  clients = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const clientId = chat === undefined ? undefined : `subscriber-${index}`;
      const client = await WireClient.connect(url, clientId, index < olderCount ? '0.5.2' : '1.0.0');
      if (chat !== undefined) await client.request('subscribe', { channel: chat, view: { turns: 1 } });
      client.takeOver((frame) => turn?.take(index, frame));
      return client;
    }),
  );
}

function expect(isRecorded: boolean): Turn {
  const { promise: received, resolve } = Promise.withResolvers<Awaited<Turn['received']>>();
  const frames: Buffer[] = [];
  let envelopes = 0;
  let endedCount = 0;
  let startedAt: number | undefined;
  return {
    isRecorded,
    frames,
    received,
    take: (client, frame) => {
      startedAt ??= performance.now();
      const { params } = JSON.parse(frame.toString());
      envelopes += 1;
      if (isRecorded && client === 0) frames.push(frame);
      if (params.action.type !== 'chat/turnComplete') return;
      endedCount += 1;
      if (endedCount === clients.length) resolve({ ms: performance.now() - startedAt, envelopes, frames });
    },
  };
}

serve(answer, () => Promise.all(clients.map((client) => client.close())).then(() => undefined));
