// Clients of the fleet benchmark. Each parses every frame.
import { serve } from './process.ts';
import { WireClient } from './wire.ts';

type Request =
  /** Connects `count` clients to each target, to its URLs in turn, and subscribes them to its chat. */
  | { kind: 'connect'; targets: readonly { urls: readonly string[]; chat: string }[]; count: number }
  /** Answers with the number of envelopes received so far. */
  | { kind: 'count' };

/** Handshakes at the same time. */
const AT_ONCE = 16;

const clients: WireClient[] = [];
let envelopes = 0;

async function answer(request: Request): Promise<unknown> {
  if (request.kind === 'count') return { envelopes };
  const open = request.targets.flatMap(({ urls, chat }, target) =>
    Array.from({ length: request.count }, (_, index) => async () => {
      const url = urls[(target + index) % urls.length] ?? '';
      const client = await WireClient.connect(url, `client-${process.pid}-${target}-${index}`);
      clients.push(client);
      await client.request('subscribe', { channel: chat, view: { turns: 1 } });
      client.takeOver((frame) => {
        if (JSON.parse(frame.toString()).params?.action !== undefined) envelopes += 1;
      });
    }),
  );
  const next = async (): Promise<void> => {
    for (let connect = open.shift(); connect !== undefined; connect = open.shift()) await connect();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return {};
}

serve(answer, () => Promise.all(clients.map((client) => client.close())).then(() => undefined));
