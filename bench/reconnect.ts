import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { WebSocketServer } from 'ws';
import { alternate, type Measured } from './bar.ts';
import { benchHost, withHost } from './host.ts';
import { withFolder } from './process.ts';
import { newSession, WireClient } from './wire.ts';

const ENVELOPES = 10_000;
const CLIENT = 'comes-back';

interface Replay {
  readonly type: string;
  readonly actions: { readonly serverSeq: number }[];
}

/**
 * `reconnect` of a client that missed 10,000 envelopes, up to the parsed answer. The baseline is a bare `ws` server that sends the same
 * answer, prepared beforehand. The difference is the cost of reading the journal and building the answer.
 */
export async function reconnect(): Promise<Measured[]> {
  return withFolder((folder) =>
    withHost(benchHost(`${folder}/data`, { roots: [folder] }), async ({ client: driver, url }) => {
      const { chat } = await newSession(driver, pathToFileURL(folder).href);
      const before = await leave(url, chat);
      await stream(driver, chat);
      const ours = async (): Promise<Replay> => {
        const client = await WireClient.connect(url);
        try {
          const identity = { clientId: CLIENT, protocolVersions: ['1.0.0'] };
          const from = { lastSeenServerSeq: before, subscriptions: [chat] };
          return await client.request<Replay>('reconnect', { channel: 'ahp-root://', ...identity, ...from });
        } finally {
          await client.close();
        }
      };
      const answer = await ours();
      check(answer);
      const bare = await serveReady(answer);
      try {
        const theirs = async (): Promise<Replay> => {
          const client = await WireClient.connect(bare.url);
          try {
            return await client.request<Replay>('reconnect', {});
          } finally {
            await client.close();
          }
        };
        const timed = async (ask: () => Promise<Replay>): Promise<number> => {
          const startedAt = performance.now();
          check(await ask());
          return performance.now() - startedAt;
        };
        await timed(theirs);
        const found = await alternate(
          () => timed(ours),
          () => timed(theirs),
        );
        const text = (ms: number): string => `${ms.toFixed(1)} ms`;
        return [
          {
            name: `reconnect by replay of ${ENVELOPES}`,
            figure: text(found.ours),
            baseline: text(found.baseline),
            ratio: found.ratio,
            bar: { atMost: 5 },
          },
        ];
      } finally {
        bare.close();
      }
    }),
  );
}

/** Subscribes and disconnects. Resolves with the last sequence number that the client received. */
async function leave(url: string, chat: string): Promise<number> {
  const client = await WireClient.connect(url, CLIENT);
  const { snapshot } = await client.request<{ snapshot: { fromSeq: number } }>('subscribe', {
    channel: chat,
  });
  await client.close();
  return snapshot.fromSeq;
}

async function stream(driver: WireClient, chat: string): Promise<void> {
  await driver.request('subscribe', { channel: chat, view: { turns: 1 } });
  const done = new Promise<void>((resolve) => {
    driver.socket.on('message', (frame) => {
      if (String(frame).includes('"chat/turnComplete"')) resolve();
    });
  });
  const message = {
    text: `stream ${ENVELOPES} every 0`,
    origin: { kind: 'user' },
    model: { id: 'demo-fast' },
  };
  driver.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId: 'missed',
    startedAt: new Date().toISOString(),
    message,
  });
  await done;
}

function check({ type, actions }: Replay): void {
  if (type !== 'replay' || actions.length < ENVELOPES)
    throw new Error(`${type} of ${actions?.length} envelopes instead of a replay of ${ENVELOPES}`);
}

async function serveReady(result: Replay): Promise<{ url: string; close(): void }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
  const frame = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  server.on('connection', (socket) => socket.on('message', () => socket.send(frame, { binary: false })));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => server.close() };
}
