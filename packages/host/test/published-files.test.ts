import { expect, test } from 'vitest';
import { SESSION, startHost } from './host-fixture.ts';
import type { RawClient, RawFrame } from './raw-client.ts';

const FILE = 'virtual://notes/today.md';
const reference = (uri: string) => ({ type: 'resource', label: 'today.md', uri });
const data = Buffer.from('# Rye\n').toString('base64');

async function started() {
  const host = await startHost();
  const client = await host.client('app');
  const { chat } = await host.session(client, SESSION);
  /** Sends a message, and answers what the host asks meanwhile. Resolves with what it asked. */
  const send = async (
    uris: readonly string[],
    answer: (method: string) => object | undefined,
  ): Promise<string[]> => {
    const message = { text: 'go', origin: { kind: 'user' }, attachments: uris.map(reference) };
    client.dispatch(chat, {
      type: 'chat/turnStarted',
      turnId: 't1',
      startedAt: new Date(0).toISOString(),
      message,
    });
    const asked: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      await host.run();
      const next = requestsTo(client)[asked.length];
      if (next === undefined) {
        await host.advance(1_000);
        continue;
      }
      asked.push(`${next.method} ${String(next.params?.['uri'])}`);
      const answered = answer(next.method ?? '');
      if (answered !== undefined) client.send({ jsonrpc: '2.0', id: next.id, ...answered });
    }
    return asked;
  };
  return { host, client, send };
}

const requestsTo = (client: RawClient): RawFrame[] =>
  client.frames.filter(({ id, method }) => id !== undefined && method !== undefined);

test('[RES-4] files that the sender of a message publishes are read from it before the turn begins', async () => {
  const { host, send } = await started();
  const asked = await send([FILE, 'file:///tmp/x', 'https://example.org/y'], (method): object => ({
    result:
      method === 'resourceResolve' ? { uri: FILE, type: 'file', size: 6 } : { data, encoding: 'base64' },
  }));
  expect(asked).toEqual([`resourceResolve ${FILE}`, `resourceRead ${FILE}`]);
  expect(host.agent.turn.input.message.attachments).toEqual([
    { type: 'embeddedResource', label: 'today.md', contentType: 'text/markdown', data },
    reference('file:///tmp/x'),
    reference('https://example.org/y'),
  ]);
});

test.each([
  ['publishes nothing', (): object => ({ error: { code: -32601, message: 'Unknown method' } }), 1],
  ['does not answer', (): undefined => undefined, 1],
  ['has too large a file', (): object => ({ result: { uri: FILE, type: 'file', size: 5_000_000 } }), 1],
] as const)(
  '[RES-4] the message of a client that %s keeps the reference, and the turn begins',
  async (_, answer, count) => {
    const { host, send } = await started();
    expect(await send([FILE], answer)).toHaveLength(count);
    expect(host.agent.turn.input.message.attachments).toEqual([reference(FILE)]);
  },
);
