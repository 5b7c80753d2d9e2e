import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createHost, type Host } from '@agenthost/host';
import { CHANNEL_LIMITS, LIST_LIMITS } from '@agenthost/protocol';
import { createPlayedAgent } from '@agenthost/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newSession, WireClient } from '../../bench/wire.ts';

const ROOT = 'ahp-root://';
const TOKEN = 'bench-token-of-forty-three-characters-long-x';
const IMPORTED = 'ahp-session:/imported';

let folder: string;
let host: Host;
let client: WireClient;

const agent = createPlayedAgent();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-lists-'));
  host = createHost({
    dataDir: join(folder, 'data'),
    agents: [() => agent.provider],
    listen: { port: 0, token: TOKEN },
    roots: [folder],
    defaultDirectory: folder,
  });
  const address = await host.start();
  client = await WireClient.connect(`${address?.wsUrl}?token=${address?.token}`, 'one');
});

afterEach(async () => {
  await client.close();
  await host.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Number of event-loop iterations during `work`. */
async function loopTurnsDuring(work: Promise<unknown>): Promise<number> {
  let count = 0;
  const over = new AbortController();
  const end = (): void => over.abort();
  work.then(end, end);
  while (!over.signal.aborted) {
    await new Promise((resolve) => setImmediate(resolve));
    count += 1;
  }
  await work;
  return count;
}

test('[CHAT-1] an import of the maximum number of chats lets the host do other work, and one more chat is refused', async () => {
  const { max } = LIST_LIMITS.chats;
  const entry = { title: 'Bread', status: 1, modifiedAt: '2026-01-01T00:00:00.000Z' };
  const chats = Array.from({ length: max }, (_, index) => ({ ...entry, resource: `ahp-chat:/old-${index}` }));
  const session = { resource: 'ahp-session:/old', provider: 'played', title: 'Bread', status: 1 };
  await client.request('x-importSession', {
    channel: IMPORTED,
    session: { ...session, lifecycle: 'ready' },
    chats,
  });
  const loopTurns = await loopTurnsDuring(client.request('x-finishImport', { channel: IMPORTED }));
  expect(loopTurns).toBeGreaterThanOrEqual(max / 100);
  expect(host.core.sync.registry.getOf('session', IMPORTED)?.state.chats).toHaveLength(max);
  await expect(client.request('createChat', { channel: IMPORTED, chat: 'ahp-chat:/more' })).rejects.toThrow(
    `has ${max} chats, and the maximum is ${max}: dispose of some first`,
  );
  await client.request('disposeSession', { channel: IMPORTED });
  expect(await host.core.sync.journal.listChannels(IMPORTED)).toEqual([]);
}, 120_000);

test('[CHAT-5] a turn with the maximum number of tool calls completes, and lets the host do other work', async () => {
  const { max } = CHANNEL_LIMITS.turnParts;
  const { chat } = await newSession(client, pathToFileURL(folder).href);
  const { promise: isSaid, resolve: said } = Promise.withResolvers<void>();
  agent.play = async (output) => {
    for (let index = 0; index < max; index += 1) {
      const call = output.toolCall({ toolName: 'x', displayName: 'X' });
      call.run({ invocationMessage: 'Run' });
      await call.complete({ success: true, pastTenseMessage: 'Ran' });
      await output.ready();
    }
    said();
  };
  const message = { text: 'go', origin: { kind: 'user' } };
  client.dispatch(chat, {
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId: 't',
    message,
  });
  // At the end at most some dozens of steps fit into one tick.
  expect(await loopTurnsDuring(isSaid)).toBeGreaterThan(max / 100);
  await client.request('ping', { channel: ROOT });
  await host.core.sync.path.drain();
  const [turn] = host.core.sync.registry.getOf('chat', chat)?.state.turns ?? [];
  expect(turn?.state).toBe('complete');
  expect(turn?.responseParts).toHaveLength(max);
}, 600_000);
