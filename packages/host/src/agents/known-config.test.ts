import { expect, test } from 'vitest';
import { MemoryJournal } from '../journal/memory/memory-journal.ts';
import { silentLog } from '../lib/log.ts';
import { KnownConfigs } from './known-config.ts';
import type { AgentProvider, AgentSession, ResolvedConfig } from './provider.ts';
import { RememberedAgents } from './remembered.ts';

const CONFIG: ResolvedConfig = {
  schema: { type: 'object', properties: { mode: { type: 'string', title: 'Mode', enum: ['ask', 'code'] } } },
  values: { mode: 'ask' },
};
const NOTHING: ResolvedConfig = { schema: { type: 'object', properties: {} }, values: {} };

/** An agent that reports its config only while a session is open. */
function shyAgent(open: () => Promise<void>) {
  const counts = { opened: 0, closed: 0 };
  let said = NOTHING;
  const session: AgentSession = {
    runTurn: () => Promise.resolve(),
    close: async () => {
      counts.closed += 1;
    },
    terminate: () => Promise.resolve(),
  };
  const provider: AgentProvider = {
    id: 'shy',
    describe: () => ({
      provider: 'shy',
      displayName: 'Shy',
      description: '',
      models: said === NOTHING ? [] : [{ id: 'm', provider: 'shy', name: 'M' }],
    }),
    availability: () => Promise.resolve({ available: true }),
    resolveConfig: ({ values }) =>
      Promise.resolve({ schema: said.schema, values: { ...said.values, ...values } }),
    openSession: async () => {
      counts.opened += 1;
      await open();
      said = CONFIG;
      return session;
    },
    dispose: () => Promise.resolve(),
  };
  return { provider, counts };
}

async function knowing(journal: MemoryJournal) {
  const remembered = await RememberedAgents.load(journal, ['shy'], (writes) => journal.commit(writes));
  const late: (() => void)[] = [];
  const timers = {
    after: (_: number, callback: () => void) => {
      late.push(callback);
      return () => undefined;
    },
    immediate: (callback: () => void) => callback(),
  };
  return { remembered, late, configs: new KnownConfigs({ remembered, timers, log: silentLog }) };
}

async function openJournal(): Promise<MemoryJournal> {
  const journal = new MemoryJournal();
  await journal.open();
  return journal;
}

test('[ROOT-4] an agent that has never run is asked once for all callers, and closed again', async () => {
  const { provider, counts } = shyAgent(() => Promise.resolve());
  const { configs } = await knowing(await openJournal());
  const both = await Promise.all([
    configs.resolve(provider, '/', { mode: 'code' }),
    configs.resolve(provider, '/', {}),
  ]);
  expect(both.map((config) => config?.values)).toEqual([{ mode: 'code' }, { mode: 'ask' }]);
  expect(both[0]?.schema).toEqual(CONFIG.schema);
  await expect.poll(() => counts).toEqual({ opened: 1, closed: 1 });
});

test('[ROOT-4] the next host knows its config and models before the agent runs', async () => {
  const journal = await openJournal();
  await (await knowing(journal)).configs.resolve(shyAgent(() => Promise.resolve()).provider, '/', {});
  const { provider, counts } = shyAgent(() => Promise.resolve());
  const { configs, remembered } = await knowing(journal);
  expect((await configs.resolve(provider, '/', {}))?.schema).toEqual(CONFIG.schema);
  expect(remembered.complete(provider.describe()).models).toMatchObject([{ id: 'm' }]);
  expect(counts.opened).toBe(0);
});

test('an agent that fails to open has no config', async () => {
  const { provider } = shyAgent(() => Promise.reject(new Error('no such command')));
  const { configs } = await knowing(await openJournal());
  expect(await configs.resolve(provider, '/', {})).toEqual(NOTHING);
});

test('the host does not wait for an agent that takes too long', async () => {
  const { provider } = shyAgent(() => new Promise(() => undefined));
  const { configs, late } = await knowing(await openJournal());
  const resolving = configs.resolve(provider, '/', {});
  await expect.poll(() => late.length).toBe(1);
  late[0]?.();
  expect(await resolving).toEqual(NOTHING);
});
