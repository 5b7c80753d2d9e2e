import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  AutomationEntry,
  AutomationRunState,
  AutomationState,
  PluginCustomization,
  SessionState,
} from '@agenthost/protocol';
import { expect, onTestFinished, test } from 'vitest';
// The host loads it on first use, which the simulated clock does not wait for.
import 'yaml';
import { type HostFixture, startHost } from './host-fixture.ts';
import { type PublishedFiles, publisher } from './published-files.ts';
import type { RawClient } from './raw-client.ts';

const CHANNEL = 'ahp-automations://';
const NAME = 'ahp-automation:/nightly';
const KIT = { type: 'plugin', id: 'kit', uri: 'virtual:/kit', name: 'Kit', nonce: '1' };

const FILES: PublishedFiles = {
  'virtual:/kit/rules/style.md': '---\nalwaysApply: true\n---\nUse tabs.\n',
  'virtual:/kit/commands/go.md': 'Go.',
  'virtual:/kit/skills/ship/SKILL.md': '---\ndescription: Releases\n---\nRun ship.sh.',
  'virtual:/kit/skills/ship/ship.sh': '#!/bin/sh\necho shipped\n',
  'virtual:/kit/.git/config': 'url = secret',
};

async function started() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-copies-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [dataDir, project] = [join(root, 'data'), join(root, 'project')];
  for (const folder of [dataDir, project]) mkdirSync(folder, { mode: 0o700 });
  const host = await startHost({
    dataDir,
    roots: [project],
    defaultDirectory: project,
    automations: {},
    customizations: {},
    openTree: async () => ({
      size: { folders: 1, entries: 1 },
      rescan: async () => undefined,
      close: async () => undefined,
    }),
  });
  // It only dispatches: the ids of the host's requests look like those of its own.
  const owner = await host.client();
  await owner.subscribe(CHANNEL);
  const client = await host.client();
  const files = { ...FILES };
  const serve = publisher(host, owner, files);
  const folder = join(dataDir, 'plugins');
  const copies = (): string[] => (existsSync(folder) ? readdirSync(folder) : []);
  /** Saves the automation, and answers the host meanwhile. Returns the reason of a refusal. */
  const save = async (customizations: object[], by = owner, action: 'create' | 'update' = 'create') => {
    const session = { customizations };
    const message = { text: '/go now', origin: { kind: 'automation' } };
    const definition = { title: 'Nightly', message, session, enabled: true, triggers: [] };
    const seq = by.dispatch(
      CHANNEL,
      action === 'create'
        ? { type: 'automation/createRequested', resource: NAME, definition }
        : { type: 'automation/updateRequested', resource: NAME, changes: { session } },
    );
    const echo = () =>
      by.frames.find(
        ({ params }) => params?.origin?.clientSeq === seq && params.origin.clientId === by.clientId,
      );
    await expect
      .poll(
        async () => {
          await serve();
          return echo();
        },
        { interval: 1 },
      )
      .toBeDefined();
    return echo()?.params?.rejectionReason;
  };
  /** Starts a run, and returns its session. */
  const run = async (by: RawClient, requestId: string) => {
    const { resource } = await by.request('runAutomation', {
      channel: CHANNEL,
      automation: NAME,
      requestId,
    });
    await host.run();
    const { primarySession } = (await by.subscribe(resource)).state as AutomationRunState;
    if (primarySession === undefined) throw new Error('the run has no session');
    await host.run();
    return { uri: primarySession, state: (await by.subscribe(primarySession)).state as SessionState };
  };
  return { host, owner, client, files, serve, folder, copies, save, run };
}

async function entryOf(client: RawClient): Promise<AutomationEntry> {
  const { entries } = (await client.subscribe(CHANNEL)).state as AutomationState;
  const entry = entries.find(({ resource }) => resource === NAME);
  if (entry === undefined) throw new Error('no such automation');
  return entry;
}

/** Files take real time, which the simulated clock does not wait for. */
async function until(host: HostFixture, condition: () => boolean): Promise<void> {
  // Files are copied and removed on a real disk, which takes no fixed number of rounds.
  await expect
    .poll(
      async () => {
        await host.run();
        return condition();
      },
      { interval: 1 },
    )
    .toBe(true);
}

const pluginsOf = ({ customizations = [] }: { readonly customizations?: SessionState['customizations'] }) =>
  customizations.filter((each): each is PluginCustomization => each.type === 'plugin');

test('[AUTO-1] [AUTO-14] plugins of a template are copied when it is saved, shown, and in effect in runs without their client', async () => {
  const { host, client, copies, save, run } = await started();
  const { automations } = await host.connect('c').initialize();
  expect(automations).toMatchObject({ customizations: {} });
  const template = {
    ...KIT,
    enablement: [{ kind: 'global', enabled: true }],
    childEnablement: { style: [{ kind: 'global', enabled: false }] },
  };
  expect(await save([template])).toBeUndefined();
  const { definition, customizations } = await entryOf(client);
  expect(definition.session.customizations).toEqual([template]);
  expect(customizations).toMatchObject([
    {
      type: 'plugin',
      id: 'kit',
      name: 'Kit',
      enablement: [{ kind: 'global', enabled: true }],
      load: { kind: 'loaded' },
      children: [{ name: 'ship' }, { name: 'go' }, { name: 'style', enabled: false }],
    },
  ]);
  const root = fileURLToPath(customizations?.[0]?.uri ?? '');
  expect(copies()).toHaveLength(1);
  expect(readdirSync(root).toSorted()).toEqual(['commands', 'rules', 'skills']);
  expect(statSync(join(root, 'skills/ship/ship.sh')).mode & 0o777).toBe(0o700);
  expect(statSync(join(root, 'commands/go.md')).mode & 0o777).toBe(0o600);

  await host.restart();
  const other = await host.client();
  const { state } = await run(other, 'r1');
  const [kit] = pluginsOf(state);
  expect(kit).toMatchObject({ id: 'kit', uri: customizations?.[0]?.uri, load: { kind: 'loaded' } });
  expect(kit).not.toHaveProperty('clientId');
  await until(host, () => host.agent.turns.length === 1);
  const { turn } = host.agent;
  const told = turn.input.context.join('\n');
  expect(told).not.toContain('Use tabs.');
  expect(told).toContain('- ship: Releases (read it with the tool read_skill, with files in its folder)');
  expect(told).not.toContain(root);
  const read = async (input: object) => {
    const call = turn.output.hostTool({ name: 'read_skill', toolInput: JSON.stringify(input) });
    await host.run();
    return (await call).content?.[0];
  };
  expect(await read({ name: 'ship', path: 'ship.sh' })).toMatchObject({
    text: FILES['virtual:/kit/skills/ship/ship.sh'],
  });
  turn.complete();
  await host.run();
});

test('[AUTO-14] an entry with the same id, URI and nonce keeps its copy, also when another client saves it; a new nonce makes a new copy', async () => {
  const { host, owner, client, files, serve, copies, save } = await started();
  await save([KIT]);
  const [first] = (await entryOf(client)).customizations ?? [];
  files['virtual:/kit/commands/go.md'] = 'Go again.';
  const count = await serve();
  const other = await host.client();
  await other.subscribe(CHANNEL);
  const off = { ...KIT, enablement: [{ kind: 'global', enabled: false }] };
  expect(await save([off], other, 'update')).toBeUndefined();
  expect(await serve()).toBe(count);
  const [kept] = (await entryOf(client)).customizations ?? [];
  expect(kept).toMatchObject({ uri: first?.uri, enablement: [{ kind: 'global', enabled: false }] });
  await client.act(CHANNEL, {
    type: 'automation/updateRequested',
    resource: NAME,
    changes: { title: 'Other' },
  });
  expect((await entryOf(client)).customizations).toEqual([kept]);
  expect(await save([{ ...KIT, nonce: '2' }], owner, 'update')).toBeUndefined();
  const [renewed] = (await entryOf(client)).customizations ?? [];
  expect(renewed?.uri).not.toBe(first?.uri);
  expect(readFileSync(join(fileURLToPath(renewed?.uri ?? ''), 'commands/go.md'), 'utf8')).toBe('Go again.');
  await until(host, () => copies().length === 1);
  await save([], owner, 'update');
  expect(await entryOf(client)).not.toHaveProperty('customizations');
  await until(host, () => copies().length === 0);
});

test.each<[string, object[], RegExp]>([
  [
    'a plugin that its client does not have',
    [KIT, { ...KIT, id: 'x', uri: 'virtual:/none' }],
    /^Kit: .*Not found/,
  ],
  ['the same id twice', [KIT, KIT], /the same id/],
  [
    'a large file',
    [{ ...KIT, uri: 'virtual:/large' }],
    /^Kit: virtual:\/large\/a has more than 1048576 bytes/,
  ],
  ['many files', [{ ...KIT, uri: 'virtual:/many' }], /^Kit: more than 500 files and folders/],
  ['deep folders', [{ ...KIT, uri: 'virtual:/deep' }], /^Kit: more than 10 folders inside of each other/],
])(
  '[AUTO-14] a failure of one copy rejects the whole action, and leaves nothing behind: %s',
  async (_name, plugins, reason) => {
    const { client, files, copies, save } = await started();
    files['virtual:/large/a'] = 'x'.repeat(1024 * 1024 + 1);
    for (let index = 0; index <= 500; index += 1) files[`virtual:/many/${index}.md`] = 'x';
    files[`virtual:/deep/${'d/'.repeat(11)}f`] = 'x';
    const rejection = (await save(plugins)) ?? '';
    expect(rejection).toMatch(/^pluginNotCopied: session\.customizations: /);
    expect(rejection.replace('pluginNotCopied: session.customizations: ', '')).toMatch(reason);
    expect((await client.subscribe(CHANNEL)).state).toEqual({ entries: [] });
    expect(copies()).toEqual([]);
  },
);

test('[AUTO-14] [AUTO-9] a copy stays while a session of a run uses it, also after the automation is removed and a restart', async () => {
  const { host, owner, client, copies, save, run } = await started();
  await save([KIT]);
  const { uri } = await run(client, 'r1');
  await until(host, () => host.agent.turns.length === 1);
  host.agent.turn.complete();
  await save([{ ...KIT, nonce: '2' }], owner, 'update');
  await host.run();
  expect(copies()).toHaveLength(2);
  await client.act(CHANNEL, { type: 'automation/removed', resource: NAME });
  await until(host, () => copies().length === 1);
  await host.restart();
  const again = await host.client();
  const state = (await again.subscribe(uri)).state as SessionState;
  expect(pluginsOf(state)).toMatchObject([{ id: 'kit', load: { kind: 'loaded' } }]);
  // A decision for all sessions is the template's.
  await again.act(uri, {
    type: 'session/customizationToggled',
    id: 'kit',
    enablement: [
      { kind: 'session', enabled: false },
      { kind: 'global', enabled: false },
    ],
  });
  await host.run();
  const toggled = (await again.subscribe(uri)).state as SessionState;
  expect(pluginsOf(toggled)[0]?.enablement).toEqual([{ kind: 'session', enabled: false }]);
  await again.request('disposeSession', { channel: uri });
  await until(host, () => copies().length === 0);
});

test('[AUTO-14] [SESS-12] a fork of a session of a run has the copies too, and keeps them when the session and the automation are gone', async () => {
  const { host, client, copies, save, run } = await started();
  await save([KIT]);
  const { uri } = await run(client, 'r1');
  await until(host, () => host.agent.turns.length === 1);
  const { turnId } = host.agent.turn.input;
  host.agent.turn.complete();
  await host.run();
  const fork = 'ahp-session:/fork';
  const [sourceChat] = ((await client.subscribe(uri)).state as SessionState).chats;
  expect(sourceChat).toBeDefined();
  await client.request('createSession', { channel: fork, 'x-fork': { session: uri, turnId } });
  await host.run();
  const ofFork = async (by: RawClient) => pluginsOf((await by.subscribe(fork)).state as SessionState);
  expect(await ofFork(client)).toMatchObject([{ id: 'kit', load: { kind: 'loaded' } }]);
  await client.request('disposeSession', { channel: uri });
  await client.act(CHANNEL, { type: 'automation/removed', resource: NAME });
  await host.run();
  await host.restart();
  const again = await host.client();
  expect(copies()).toHaveLength(1);
  expect(await ofFork(again)).toMatchObject([{ id: 'kit', load: { kind: 'loaded' } }]);
  await again.request('disposeSession', { channel: fork });
  await until(host, () => copies().length === 0);
});

test('[AUTO-14] a client that leaves while it is copied from saves nothing, and the folder is removed at the latest by the next host', async () => {
  const { host, owner, copies } = await started();
  owner.dispatch(CHANNEL, {
    type: 'automation/createRequested',
    resource: NAME,
    definition: {
      title: 'Nightly',
      message: { text: 'x', origin: { kind: 'automation' } },
      session: { customizations: [KIT] },
      enabled: true,
      triggers: [],
    },
  });
  await host.run();
  expect(owner.frames.some(({ method }) => method === 'resourceResolve')).toBe(true);
  owner.link.cut();
  await host.advance(10_000);
  const other = await host.client();
  expect((await other.subscribe(CHANNEL)).state).toEqual({ entries: [] });
  await host.restart();
  expect(copies()).toEqual([]);
});
