import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type AutomationEntry,
  type AutomationRunState,
  type AutomationState,
  automationNotes,
} from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type HostFixture, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const CHANNEL = 'ahp-automations://';
const NAME = 'ahp-automation:/nightly';
const MINUTE_MS = 60_000;
const GUEST = { tokenHash: 'guest', scope: 'interact' } as const;

const every5: object = {
  id: 'often',
  kind: 'schedule',
  schedule: { expression: '*/5 * * * *', timeZone: 'UTC' },
};

const onFailure: object = {
  id: 'failure',
  kind: 'event',
  type: 'turn',
  title: 'x',
  events: [{ id: 'failed', title: 'y' }],
};

const definition = (more: object = {}): object => ({
  title: 'Nightly',
  message: { text: 'tidy up', origin: { kind: 'automation' } },
  session: {},
  enabled: true,
  triggers: [],
  ...more,
});

async function start() {
  const host = await startHost({ automations: { runHistoryLimit: 12 } });
  const client = await host.client();
  await client.subscribe(CHANNEL);
  return { host, client };
}

const create = (client: RawClient, more: object = {}, resource = NAME) =>
  client.act(CHANNEL, { type: 'automation/createRequested', resource, definition: definition(more) });

const update = (client: RawClient, changes: object) =>
  client.act(CHANNEL, { type: 'automation/updateRequested', resource: NAME, changes });

async function entryOf(client: RawClient): Promise<AutomationEntry> {
  const { entries } = (await client.subscribe(CHANNEL)).state as AutomationState;
  const entry = entries.find(({ resource }) => resource === NAME);
  if (entry === undefined) throw new Error('no such automation');
  return entry;
}

const run = (client: RawClient, requestId: string) =>
  client.request('runAutomation', { channel: CHANNEL, automation: NAME, requestId });

const runOf = async (client: RawClient, uri: string) =>
  (await client.subscribe(uri)).state as AutomationRunState;

const statuses = ({ runs }: AutomationEntry): string[] => runs.map(({ lifecycle }) => lifecycle.status);

async function complete(host: HostFixture): Promise<void> {
  host.agent.turn.complete();
  await host.run();
}

describe('definitions', () => {
  test('[AUTO-1] [CONN-20] [CONN-21] the host says what it can do, and has a channel of automations', async () => {
    const { host } = await start();
    const result = await host.connect('c').initialize({ initialSubscriptions: [CHANNEL] });
    expect(result).toMatchObject({
      automations: {
        create: {},
        schedules: { minIntervalMinutes: 1 },
        runCancellation: {},
        runHistoryLimit: 12,
      },
      snapshots: [{ resource: CHANNEL, state: { entries: [] } }],
    });
  });

  test('[AUTO-2] [AUTO-8] an automation is created, changed field by field, and removed; all survive a restart', async () => {
    const { host, client } = await start();
    expect((await create(client))?.rejectionReason).toBeUndefined();
    expect((await create(client))?.rejectionReason).toMatch(/^automationExists: /);
    await update(client, { title: 'Other', triggers: [every5] });
    await host.restart();
    const again = await host.client();
    expect(await entryOf(again)).toMatchObject({
      resource: NAME,
      definition: { title: 'Other', message: { text: 'tidy up' }, triggers: [every5] },
      runs: [],
      operations: ['update', 'remove', 'run'],
    });
    await again.act(CHANNEL, { type: 'automation/removed', resource: NAME });
    await host.restart();
    const { state } = await (await host.client()).subscribe(CHANNEL);
    expect(state).toEqual({ entries: [] });
  });

  test.each([
    ['a message of a user', { message: { text: 'x', origin: { kind: 'user' } } }],
    ['triggers with the same id', { triggers: [every5, every5] }],
    ['an unknown event', { triggers: [{ id: 'e', kind: 'event', type: 'push', title: 'x', events: [] }] }],
    ['a condition twice', { disableConditions: [1, 2].map((max) => ({ kind: 'afterRuns', max })) }],
    ['no date', { disableConditions: [{ kind: 'afterDate', date: 'tomorrow' }] }],
    ['an unknown agent', { session: { provider: 'none' } }],
    ['a folder that is not there', { session: { workingDirectories: ['file:///not/there'] } }],
  ])('[AUTO-3] [AUTO-4] [AUTO-12] invalid definitions are refused: %s', async (_name, more) => {
    const { client } = await start();
    expect((await create(client, more))?.rejectionReason).toMatch(/^invalidAutomation: /);
    expect((await client.subscribe(CHANNEL)).state).toEqual({ entries: [] });
  });

  test('[AUTO-3] a model that the agent does not have is refused', async () => {
    const { host } = await start();
    host.agent.models = [{ id: 'small', provider: 'puppet', name: 'small' }];
    await host.restart();
    const client = await host.client();
    const refused = await create(client, { session: { model: { id: 'none' } } });
    expect(refused?.rejectionReason).toMatch(/^invalidAutomation: session: .*no model "none"/);
    expect((await create(client, { session: { model: { id: 'small' } } }))?.rejectionReason).toBeUndefined();
  });

  test('[AUTO-14] a template with plugins is refused, because this host does not say that it copies them', async () => {
    const { client } = await start();
    const plugin = { type: 'plugin', id: 'p', uri: 'virtual://p/', name: 'P' };
    const refused = await create(client, { session: { customizations: [plugin] } });
    expect(refused?.rejectionReason).toMatch(/^notSupported: /);
  });

  test('[AUTO-9] a guest saves no automation that runs every tool', async () => {
    const { host } = await start();
    const guest = await host.client('guest', {}, GUEST);
    await guest.subscribe(CHANNEL);
    const refused = await create(guest, { session: { config: { approvals: 'all' } } });
    expect(refused?.rejectionReason).toMatch(/^permissionDenied: /);
  });

  test.each([
    ['an unknown event', { events: [{ id: 'none', title: 'x' }] }, 'events: expected completed or failed'],
    ['no event', { events: [] }, 'events: expected at least one'],
    ['an unknown setting', { config: { x: 1 } }, 'config.x: unknown key'],
    ['no path', { config: { folder: 'src' } }, 'config.folder: expected an absolute path'],
  ])('[AUTO-7] an event trigger is checked when it is saved: %s', async (_name, more, problem) => {
    const { client } = await start();
    const refused = await create(client, { triggers: [{ ...onFailure, ...more }] });
    expect(refused?.rejectionReason).toContain(`triggers[0]: ${problem}`);
  });
});

describe('events', () => {
  test('[AUTO-7] [RUN-1] a turn that fails starts a run with its chat, with the labels of the host, and once at a time', async () => {
    const { host, client } = await start();
    const { items } = await client.request('listAutomationTriggerDefinitions', { channel: 'ahp-root://' });
    expect(items.map(({ type }) => type)).toEqual(['turn']);
    await create(client, { triggers: [onFailure], disableConditions: [{ kind: 'afterRuns', max: 9 }] });
    expect((await entryOf(client)).definition.triggers).toMatchObject([
      { title: items[0]?.title, events: [{ id: 'failed', title: 'The turn fails' }] },
    ]);
    const { session, chat } = await host.session(client);
    const turn = async (id: string): Promise<void> => {
      await client.act(chat, turnStarted(id));
      await host.run();
    };
    await turn('good');
    await complete(host);
    expect((await entryOf(client)).runs).toEqual([]);
    await turn('bad');
    host.agent.turn.fail(new Error('broken'));
    await host.run();
    const entry = await entryOf(client);
    expect(entry.runs.map(({ origin }) => origin)).toEqual([
      {
        kind: 'trigger',
        triggerId: 'failure',
        event: { type: 'turn', id: 'failed', session, chat, turnId: 'bad' },
      },
    ]);
    expect(entry.runCount).toBe(1);
    const { input } = host.agent.turn;
    expect(input.message).toMatchObject({
      text: 'tidy up',
      attachments: [{ modelRepresentation: expect.stringContaining('bad') }],
    });
    // While the run goes on, no other starts.
    const [, , ofRun] = host.agent.turns;
    await turn('bad again');
    host.agent.turn.fail(new Error('broken again'));
    await host.run();
    expect((await entryOf(client)).runs).toHaveLength(1);
    // The run itself fails: nothing starts again.
    ofRun?.fail(new Error('broken too'));
    await host.run();
    expect(statuses(await entryOf(client))).toEqual(['failed']);
    expect((await entryOf(client)).runs).toHaveLength(1);
  });
});

describe('manual runs', () => {
  test('[AUTO-10] [RUN-1] [RUN-2] [RUN-4] a run has a session with the message, and completes with its turn', async () => {
    const { host, client } = await start();
    await create(client, { enabled: false });
    const { resource } = await run(client, 'r');
    expect((await run(client, 'r')).resource).toBe(resource);
    await host.run();
    const running = await runOf(client, resource);
    expect(running).toMatchObject({ origin: { kind: 'manual' }, lifecycle: { status: 'running' } });
    const [session = ''] = running.sessions;
    expect((await client.subscribe(session)).state).toMatchObject({
      title: 'Nightly',
      origin: { kind: 'automation', automation: NAME, run: resource },
    });
    expect(host.agent.turns.map(({ input }) => input.message.text)).toEqual(['tidy up']);
    await complete(host);
    expect(await entryOf(client)).toMatchObject({
      runs: [{ resource, primarySession: session, sessionCount: 1, lifecycle: { status: 'completed' } }],
    });
    await host.restart();
    const again = await host.client();
    expect((await run(again, 'r')).resource).toBe(resource);
    await again.request('disposeSession', { channel: session });
    expect(await runOf(again, resource)).toMatchObject({ sessions: [] });
    const [summary] = (await entryOf(again)).runs;
    expect(summary).not.toHaveProperty('primarySession');
  });

  test('[AUTO-9] [RUN-2] the session is checked again at each run, which fails with the reason', async () => {
    const { host, client } = await start();
    const folder = mkdtempSync(join(tmpdir(), 'automations-'));
    const workingDirectories = [pathToFileURL(folder).href];
    expect((await create(client, { session: { workingDirectories } }))?.rejectionReason).toBeUndefined();
    rmSync(folder, { recursive: true });
    const { resource } = await run(client, 'r');
    await host.run();
    expect(await runOf(client, resource)).toMatchObject({
      sessions: [],
      lifecycle: { status: 'failed', error: { errorType: 'cannotStart' } },
    });
  });

  test('[AUTO-9] a run has the rights of the weakest client that saved its automation', async () => {
    const { host, client } = await start();
    const outside = mkdtempSync(join(tmpdir(), 'outside-'));
    onTestFinished(() => rmSync(outside, { recursive: true }));
    const session = { workingDirectories: [pathToFileURL(outside).href] };
    const guest = await host.client('guest', {}, GUEST);
    await guest.subscribe(CHANNEL);
    expect((await create(guest))?.rejectionReason).toBeUndefined();
    // An administrator may name any folder.
    expect((await update(client, { session }))?.rejectionReason).toBeUndefined();
    const { resource } = await run(client, '1');
    await host.run();
    expect((await runOf(client, resource)).lifecycle).toMatchObject({
      status: 'failed',
      error: { errorType: 'cannotStart' },
    });
  });

  test('[AUTO-8] the last run of a removed automation ends, and until then no other one has its name', async () => {
    const { host, client } = await start();
    await create(client);
    const { resource } = await run(client, '1');
    await host.run();
    await client.act(CHANNEL, { type: 'automation/removed', resource: NAME });
    expect((await create(client))?.rejectionReason).toMatch(
      /^automationExists: .* its last runs are in progress/,
    );
    await complete(host);
    expect((await runOf(client, resource)).lifecycle.status).toBe('completed');
    expect((await create(client))?.rejectionReason).toBeUndefined();
  });

  test('[RUN-3] a run is cancelled once', async () => {
    const { host, client } = await start();
    await create(client);
    const { resource } = await run(client, 'r');
    await host.run();
    await client.subscribe(resource);
    const cancel = () => client.act(resource, { type: 'automationRun/cancelRequested' });
    expect((await cancel())?.rejectionReason).toBeUndefined();
    await host.run();
    expect(host.agent.turn.signal.aborted).toBe(true);
    expect(await runOf(client, resource)).toMatchObject({ lifecycle: { status: 'cancelled' } });
    expect((await cancel())?.rejectionReason).toMatch(/^runOver: /);
    host.kill();
  });

  test('[AUTO-11] older runs come in pages, and the oldest ended ones are dropped', async () => {
    const { host, client } = await start();
    await create(client);
    const uris: string[] = [];
    for (let count = 0; count < 14; count += 1) {
      uris.unshift((await run(client, `r${count}`)).resource);
      await host.run();
      await complete(host);
    }
    const first = await entryOf(client);
    expect(first.runs.map(({ resource }) => resource)).toEqual(uris.slice(0, 10));
    await client.request('fetchAutomationRuns', {
      channel: CHANNEL,
      automation: NAME,
      cursor: first.runsNextCursor ?? '',
    });
    const all = await entryOf(client);
    expect(all.runs.map(({ resource }) => resource)).toEqual(uris.slice(0, 12));
    expect(all).not.toHaveProperty('runsNextCursor');
    await expect(client.subscribe(uris[13] ?? '')).rejects.toMatchObject({ code: -32008 });
  });
});

describe('schedules', () => {
  test('[AUTO-15] each occurrence makes one run', async () => {
    const { host, client } = await start();
    await create(client, { triggers: [every5] });
    await host.advance(5 * MINUTE_MS);
    expect(statuses(await entryOf(client))).toEqual(['running']);
    await complete(host);
    await host.advance(5 * MINUTE_MS);
    expect(statuses(await entryOf(client))).toEqual(['running', 'completed']);
    await complete(host);
  });

  test.each([
    ['runOnce', 1],
    ['skip', 0],
  ] as const)('[AUTO-6] missed occurrences with the policy %s', async (misfirePolicy, count) => {
    const { host, client } = await start();
    await create(client, { triggers: [{ ...every5, misfirePolicy }] });
    const { nextRunAt = '' } = await entryOf(client);
    host.kill();
    // The last of three missed occurrences is two minutes ago.
    await host.clock.advance(Date.parse(nextRunAt) + 12 * MINUTE_MS - host.clock.now());
    await host.start();
    const again = await host.client();
    await host.advance(1_000);
    const { runs } = await entryOf(again);
    const scheduledFor = new Date(Date.parse(nextRunAt) + 10 * MINUTE_MS).toISOString();
    expect(runs.map(({ origin }) => origin)).toEqual(
      Array.from({ length: count }, () => ({
        kind: 'trigger',
        triggerId: 'often',
        scheduledFor,
        catchUp: true,
      })),
    );
    expect(automationNotes(await entryOf(again))).toEqual({
      missed: { count: 3, last: scheduledFor, isMadeUp: misfirePolicy === 'runOnce' },
    });
    await host.advance(3 * MINUTE_MS);
    expect(automationNotes(await entryOf(again))).toEqual({});
    host.kill();
  });

  test('[AUTO-12] [AUTO-13] the last scheduled run disables the automation, and manual runs do not count', async () => {
    const { host, client } = await start();
    await create(client, { triggers: [every5], disableConditions: [{ kind: 'afterRuns', max: 1 }] });
    await run(client, 'r');
    await host.run();
    expect(await entryOf(client)).toMatchObject({ runCount: 0, definition: { enabled: true } });
    await host.advance(10 * MINUTE_MS);
    const done = await entryOf(client);
    expect(done).toMatchObject({ runCount: 1, definition: { enabled: false }, runs: [{}, {}] });
    expect(done).not.toHaveProperty('nextRunAt');
    await update(client, { title: 'Other' });
    expect(automationNotes(await entryOf(client))).toEqual({ disabledBecause: 'afterRuns' });
    await update(client, { enabled: true });
    const again = await entryOf(client);
    expect(again).toMatchObject({ runCount: 0, definition: { enabled: true } });
    expect(automationNotes(again)).toEqual({});
    host.kill();
  });

  test('[AUTO-12] an automation is disabled at a date', async () => {
    const { host, client } = await start();
    const date = new Date(host.clock.now() + 6 * MINUTE_MS).toISOString();
    await create(client, { disableConditions: [{ kind: 'afterDate', date }] });
    await host.advance(7 * MINUTE_MS);
    const done = await entryOf(client);
    expect(done.definition.enabled).toBe(false);
    expect(automationNotes(done)).toEqual({ disabledBecause: 'afterDate' });
    await update(client, { enabled: true });
    expect((await entryOf(client)).definition.enabled).toBe(false);
  });

  test.each(['is revoked', 'expires while the host is away'])(
    '[AUTO-9] an automation is disabled when the token that saved it %s',
    async (how) => {
      const { host, client } = await start();
      const isRevoked = how === 'is revoked';
      const { token, secret } = await client.request('x-createToken', {
        channel: 'ahp-root://',
        scope: 'interact',
        ...(isRevoked ? {} : { lifetimeSeconds: 3_600 }),
      });
      const guest = await host.client('guest', {}, host.host.core.accessTokens.identify(secret));
      await guest.subscribe(CHANNEL);
      await create(guest, { triggers: [every5] });
      if (isRevoked) {
        await client.request('x-revokeToken', { channel: 'ahp-root://', id: token.id });
      } else {
        host.kill();
        await host.clock.advance(4_000_000);
        await host.start();
      }
      await host.advance(6 * MINUTE_MS);
      const entry = await entryOf(isRevoked ? client : await host.client());
      expect(entry).toMatchObject({ definition: { enabled: false }, runs: [] });
      expect(automationNotes(entry)).toEqual({ disabledBecause: 'tokenEnded' });
    },
  );
});

test('[CONN-22] [AUTO-15] a run that was open at a kill ends visibly, and its occurrence makes no second run', async () => {
  const { host, client } = await start();
  const opening = Promise.withResolvers<void>();
  host.agent.opening = opening.promise;
  await create(client, { triggers: [every5] });
  await host.advance(5 * MINUTE_MS);
  await host.restart();
  const again = await host.client();
  expect(await entryOf(again)).toMatchObject({
    runs: [{ lifecycle: { status: 'failed', error: { errorType: 'hostRestarted' } } }],
  });
  opening.resolve();
  await host.advance(1_000);
  expect((await entryOf(again)).runs).toHaveLength(1);
  expect(host.agent.turns).toHaveLength(0);
});
