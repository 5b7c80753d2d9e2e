// Ten clients that read at full speed. One of them sets the title of a session again and again, and the delay of each client is measured.
import { setTimeout as pause } from 'node:timers/promises';
import { serve } from './process.ts';
import { WireClient } from './wire.ts';

type Request =
  | { kind: 'connect'; url: string; session: string; chat: string; count: number }
  | { kind: 'measure'; titles: number; gapMs: number };

let clients: WireClient[] = [];
let driver: WireClient | undefined;
let session = '';
/** The time at which each title was sent, and the delay until each client received it. */
const sentAt = new Map<string, number>();
let latenciesMs: number[] = [];
let onSeen = (): void => undefined;

async function answer(request: Request): Promise<unknown> {
  if (request.kind === 'measure') return measure(request);
  const { url, chat, count } = request;
  session = request.session;
  driver = await WireClient.connect(url, 'driver-of-titles');
  clients = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const client = await WireClient.connect(url, `fast-${index}`);
      await client.request('subscribe', { channel: session });
      await client.request('subscribe', { channel: chat, view: { turns: 1 } });
      client.takeOver((frame) => {
        const { params } = JSON.parse(frame.toString());
        if (params?.action?.type !== 'session/titleChanged') return;
        const at = sentAt.get(params.action.title);
        if (at === undefined) return;
        latenciesMs.push(performance.now() - at);
        onSeen();
      });
      return client;
    }),
  );
  return {};
}

async function measure({ titles, gapMs }: { titles: number; gapMs: number }): Promise<{ p99: number }> {
  latenciesMs = [];
  sentAt.clear();
  const expected = titles * clients.length;
  const all = new Promise<void>((resolve) => {
    onSeen = () => {
      if (latenciesMs.length === expected) resolve();
    };
  });
  for (let index = 0; index < titles; index += 1) {
    const title = crypto.randomUUID();
    sentAt.set(title, performance.now());
    driver?.dispatch(session, { type: 'session/titleChanged', title });
    await pause(gapMs);
  }
  await all;
  const sorted = latenciesMs.toSorted((left, right) => left - right);
  return { p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN };
}

serve(answer, async () => {
  await Promise.all([...clients.map((client) => client.close()), driver?.close()]);
});
