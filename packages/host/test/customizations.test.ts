import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChatState, Customization, SessionState } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { TreeOptions } from '../src/workspace/watching/tree-source.ts';
// The host loads it on first use, which the simulated clock does not wait for.
import 'yaml';
import { SESSION, startHost } from './host-fixture.ts';
import { type PublishedFiles, publisher } from './published-files.ts';
import type { RawClient } from './raw-client.ts';

const RULE = '---\ndescription: Style\nalwaysApply: true\n---\nUse tabs.\n';

/** A host with a project and a user folder, whose watches the test plays. */
async function started(files: Record<string, string>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-customizations-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('project/readme.md', '');
  for (const [path, text] of Object.entries(files)) write(path, text);
  const trees: TreeOptions[] = [];
  const host = await startHost({
    roots: [root],
    defaultDirectory: root,
    customizations: { userFolder: join(root, 'user') },
    openTree: async (options) => {
      trees.push(options);
      return {
        size: { folders: 1, entries: 1 },
        rescan: async () => undefined,
        close: async () => undefined,
      };
    },
  });
  const client = await host.client();
  const directory = pathToFileURL(join(root, 'project')).href;
  const open = async (uri = SESSION): Promise<string> => {
    await client.request('createSession', { channel: uri, workingDirectories: [directory] });
    await host.run();
    const { defaultChat } = (await client.subscribe(uri)).state as SessionState;
    if (defaultChat === undefined) throw new Error('no chat');
    await client.subscribe(defaultChat);
    return defaultChat;
  };
  const change = async (path: string, text: string): Promise<void> => {
    write(path, text);
    // Its folders may be new as well.
    for (let at = join(root, path); at !== root; at = dirname(at))
      for (const tree of trees)
        if (at.startsWith(`${tree.root}/`)) tree.onChange({ path: at, type: 'added' });
    await host.advance(5_000);
  };
  return { host, client, root, directory, open, change };
}

async function shown(client: RawClient, uri = SESSION): Promise<Customization[]> {
  return ((await client.subscribe(uri)).state as SessionState).customizations ?? [];
}

const childrenOf = (entry: Customization | undefined) =>
  entry !== undefined && 'children' in entry ? (entry.children ?? []) : [];

test('[CUST-1] a session without customizations has no list of them', async () => {
  const { client, open } = await started({});
  await open();
  expect((await client.subscribe(SESSION)).state).not.toHaveProperty('customizations');
});

test('[CUST-1] [CUST-2] directories and plugins are found, with the fields of each child and the position of each fault', async () => {
  const { client, open } = await started({
    'user/rules/style.mdc': RULE,
    'project/.claude/agents/tester.md':
      '---\nname: Tester\ndescription: Tests\nmodel: small\ntools: Read, Bash\n---\nYou test.\n',
    'project/.agents/plugins/kit/plugin.json': '{"name": "Kit", "version": "1.2"}',
    'project/.agents/plugins/kit/skills/pdf/SKILL.md': '---\ndescription: Reads PDFs\n---\nUse pdftotext.\n',
    'project/.agents/plugins/kit/commands/fix.md':
      '---\ndescription: Fixes\nargument-hint: issue\ndisable-model-invocation: true\n---\nFix $ARGUMENTS.\n',
    'project/.agents/plugins/kit/rules/ts.mdc': '---\nglobs: *.ts,*.{js,mjs}\n---\nNo any.\n',
    'project/.agents/plugins/kit/rules/bad.mdc': '---\ndescription: x\nalwaysApply: perhaps\n---\nText.\n',
    'project/.agents/plugins/kit/rules/worse.mdc': '---\ndescription: "open\n---\nText.\n',
    'project/.agents/plugins/kit/hooks/hooks.json':
      '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
    'project/.agents/plugins/kit/.mcp.json': '{"mcpServers": {\n  "db": {"command": "db-server"}}}',
    'project/.agents/plugins/empty/readme.txt': '',
  });
  await open();
  const [rules, agents, empty, kit] = await shown(client);
  expect(rules).toMatchObject({
    type: 'directory',
    contents: 'rule',
    enabled: true,
    load: { kind: 'loaded' },
  });
  expect(childrenOf(rules)).toMatchObject([{ type: 'rule', name: 'style', alwaysApply: true }]);
  expect(childrenOf(agents)).toMatchObject([
    { type: 'agent', name: 'Tester', description: 'Tests', model: 'small', tools: ['Read', 'Bash'] },
  ]);
  expect(empty).toMatchObject({ type: 'plugin', name: 'empty', load: { kind: 'error' }, children: [] });
  expect(kit).toMatchObject({ type: 'plugin', name: 'Kit', version: '1.2', load: { kind: 'degraded' } });
  const { load } = kit as { load: { message: string } };
  expect(load.message.split('\n')).toEqual([
    'rules/bad.mdc:3:14: alwaysApply: expected true or false',
    expect.stringMatching(/^rules\/worse\.mdc:\d+:\d+: Missing closing "quote/),
  ]);
  expect(childrenOf(kit)).toMatchObject([
    { type: 'skill', name: 'pdf', description: 'Reads PDFs' },
    { type: 'skill', name: 'fix', disableModelInvocation: true },
    { type: 'rule', name: 'bad' },
    { type: 'rule', name: 'ts', globs: ['*.ts', '*.{js,mjs}'] },
    { type: 'hook', name: 'hooks' },
    {
      type: 'mcpServer',
      name: 'db',
      state: { kind: 'stopped' },
      range: { start: { line: 1, character: 8 } },
    },
  ]);
});

test('[CUST-1] a file that is added or repaired shows in the state', async () => {
  const { client, open, change } = await started({ 'project/.agents/rules/a.md': '---\nx: [\n---\nA\n' });
  await open();
  expect(await shown(client)).toMatchObject([{ load: { kind: 'error' }, children: [] }]);
  await change('project/.agents/rules/a.md', RULE);
  expect(await shown(client)).toMatchObject([{ load: { kind: 'loaded' }, children: [{ name: 'a' }] }]);
  await change('project/.agents/commands/go.md', 'Go.');
  expect((await shown(client)).map(({ name }) => name)).toEqual(['.agents/commands', '.agents/rules']);
});

test('[CUST-1] a link out of the project is not read', async () => {
  const { client, root, open } = await started({ 'secret.md': 'secret', 'project/.agents/rules/a.md': RULE });
  symlinkSync(join(root, 'secret.md'), join(root, 'project/.agents/rules/b.md'));
  await open();
  const [rules] = await shown(client);
  expect(childrenOf(rules).map(({ name }) => name)).toEqual(['a']);
  expect(rules).toMatchObject({
    load: { kind: 'degraded', message: '.agents/rules/b.md: it is a link that leads out of the folder' },
  });
});

test('[CUST-20] [CUST-21] decisions hold in session, workspace and everywhere, are shown, and survive a restart', async () => {
  const { host, client, directory, open } = await started({ 'project/.agents/rules/a.md': RULE });
  await open();
  await open('ahp-session:/two');
  const [rules] = await shown(client);
  const [rule] = childrenOf(rules);
  if (rules === undefined || rule === undefined) throw new Error('nothing was found');
  const enablement = [
    { kind: 'session', enabled: true },
    { kind: 'workspace', uri: directory, enabled: false },
    { kind: 'global', enabled: true },
  ];
  await client.act(SESSION, { type: 'session/customizationToggled', id: rule.id, enablement });
  await host.run();
  const first = { enabled: true, _meta: { 'agenthost.enablement': enablement } };
  const second = { enabled: false, _meta: { 'agenthost.enablement': enablement.slice(1) } };
  expect(childrenOf((await shown(client))[0])).toMatchObject([first]);
  expect(childrenOf((await shown(client, 'ahp-session:/two'))[0])).toMatchObject([second]);
  await host.restart();
  const again = await host.client('again');
  await again.subscribe(SESSION);
  await host.run();
  expect(childrenOf((await shown(again))[0])).toMatchObject([first]);
  await again.act(SESSION, { type: 'session/customizationToggled', id: rule.id, enablement: [] });
  await host.run();
  expect(childrenOf((await shown(again))[0])[0]).not.toHaveProperty('_meta');
});

test.each([
  [
    'in another order',
    [
      { kind: 'global', enabled: true },
      { kind: 'session', enabled: true },
    ],
  ],
  [
    'of one kind twice',
    [
      { kind: 'session', enabled: true },
      { kind: 'session', enabled: false },
    ],
  ],
  ['for another workspace', [{ kind: 'workspace', uri: 'file:///elsewhere', enabled: true }]],
])('[CUST-20] decisions %s are refused', async (_, enablement) => {
  const { client, open } = await started({ 'project/.agents/rules/a.md': RULE });
  await open();
  const id = (await shown(client))[0]?.id;
  const answer = await client.act(SESSION, { type: 'session/customizationToggled', id, enablement });
  expect(answer?.rejectionReason).toMatch(/^invalidEnablement: /);
});

test('[CUST-1] rules and skills in effect reach the agent, and commands expand, until they are disabled', async () => {
  const { host, client, open } = await started({
    'project/.agents/rules/a.md': RULE,
    'project/.agents/commands/fix.md':
      '---\ndescription: Fixes\ndisable-model-invocation: true\n---\nFix $ARGUMENTS now.\n',
  });
  const chat = await open();
  const turn = async (turnId: string) => {
    const message = { text: '/fix  issue 7', origin: { kind: 'user' } };
    await client.act(chat, { ...turnStarted(turnId), message });
    await host.run();
    const { input } = host.agent.turn;
    host.agent.turn.complete();
    await host.run();
    return input;
  };
  const first = await turn('t1');
  expect(first.message.text).toBe('Fix issue 7 now.');
  expect(first.context.join('\n')).toContain('Use tabs.');
  expect(first.context.join('\n')).not.toContain('Fix');
  const found = await client.request('completions', {
    channel: chat,
    text: '/f',
    offset: 2,
    kind: 'userMessage',
  });
  expect(found.items).toMatchObject([{ insertText: '/fix ' }]);
  for (const { id } of await shown(client))
    await client.act(SESSION, {
      type: 'session/customizationToggled',
      id,
      enablement: [{ kind: 'global', enabled: false }],
    });
  const second = await turn('t2');
  expect(second.message.text).toBe('/fix  issue 7');
  expect(second.context).toEqual([expect.stringContaining('withdrawn')]);
});

test('[CUST-1] rules with globs go apart to agents that apply them themselves, and are instructions for others', async () => {
  const { host, client, open } = await started({
    'project/.agents/rules/always.mdc': '---\nglobs: "*.md"\nalwaysApply: true\n---\nBe brief.\n',
    'project/.agents/rules/scoped.md': '---\npaths: ["src/**/*.ts", "*.tsx"]\n---\nUse tabs.\n',
  });
  const chat = await open();
  const turn = async (turnId: string) => {
    await client.act(chat, turnStarted(turnId));
    await host.run();
    const { input } = host.agent.turn;
    host.agent.turn.complete();
    await host.run();
    return input;
  };
  const first = await turn('t1');
  expect(first).not.toHaveProperty('rules');
  expect(first.context.join('\n')).toContain('Only for files that match src/**/*.ts, *.tsx:\n\nUse tabs.');
  host.agent.scopesRules = true;
  await host.restart();
  const again = await host.client();
  await again.subscribe(chat);
  await again.act(chat, turnStarted('t2'));
  await host.run();
  const { input } = host.agent.turn;
  expect(input.rules).toMatchObject([
    { globs: ['src/**/*.ts', '*.tsx'], text: expect.stringContaining('Use tabs.') },
  ]);
  expect(input.context.join('\n')).toContain('Be brief.');
  expect(input.context.join('\n')).not.toContain('Use tabs.');
  host.agent.turn.complete();
  await host.run();
});

test('[CUST-1] a custom agent works with its model and tools, and what has no effect is told once', async () => {
  const { host, client, root, open } = await started({
    'project/.agents/agents/tester.md': '---\nmodel: large\ntools: Read, Bash\n---\nYou test.',
    'project/.agents/rules/own.md': 'Told by the host.',
    'project/.claude/rules/theirs.md': 'Read by the agent.',
  });
  Object.assign(host.agent, { readsFolders: ['.claude'] });
  const chat = await open();
  const uri = pathToFileURL(join(root, 'project/.agents/agents/tester.md')).href;
  const turn = async (turnId: string) => {
    const message = { text: 'go', origin: { kind: 'user' }, agent: { uri } };
    await client.act(chat, { ...turnStarted(turnId), message });
    await host.run();
    const { input } = host.agent.turn;
    host.agent.turn.complete();
    await host.run();
    const { state } = await client.subscribe(chat);
    const parts = 'turns' in state ? (state.turns.at(-1)?.responseParts ?? []) : [];
    const notes = parts.flatMap((part) => (part.kind === 'systemNotification' ? [part.content] : []));
    return { input, notes };
  };
  const first = await turn('t1');
  expect(first.input.context.join('\n')).toContain('Told by the host.');
  expect(first.input.context.join('\n')).not.toContain('Read by the agent.');
  expect(first.input.context.join('\n')).toContain('Use only these tools: Read, Bash.');
  expect(first.input).not.toHaveProperty('tools');
  expect(first.notes).toEqual([
    'The agent tester wants the model large, which the provider of this session does not have.',
    expect.stringContaining('cannot be limited to the tools'),
  ]);
  expect((await turn('t2')).notes).toEqual([]);
});

test('[CUST-1] skills outside of the folders of a session are read by a tool of the host', async () => {
  const { host, client, open } = await started({
    'user/skills/pdf/SKILL.md': '---\ndescription: Reads PDFs\n---\nUse pdftotext, see more.md.',
    'user/skills/pdf/more.md': 'More.',
    'secret.md': 'secret',
  });
  const chat = await open();
  await client.act(chat, turnStarted('t1'));
  await host.run();
  expect(host.agent.opened[0]?.host.hostTools().map(({ name }) => name)).toContain('read_skill');
  expect(host.agent.turn.input.context.join('\n')).toContain(
    '- pdf: Reads PDFs (read it with the tool read_skill',
  );
  const read = async (input: object) => {
    const call = host.agent.turn.output.hostTool({ name: 'read_skill', toolInput: JSON.stringify(input) });
    await host.run();
    const { content, error } = await call;
    return content?.[0] ?? error?.message;
  };
  expect(await read({ name: 'pdf' })).toMatchObject({ text: 'Use pdftotext, see more.md.' });
  expect(await read({ name: 'pdf', path: 'more.md' })).toMatchObject({ text: 'More.' });
  expect(await read({ name: 'pdf', path: '../../../secret.md' })).toBe(
    'path: it is a link that leads out of the folder',
  );
  expect(await read({ name: 'other' })).toBe('name: expected one of pdf');
  host.agent.turn.complete();
  await host.run();
});

test('[CHAT-12] [CUST-1] a steering message expands a command', async () => {
  const { host, client, open } = await started({ 'project/.agents/commands/fix.md': 'Fix $1.' });
  const steered: string[] = [];
  host.agent.steer = async ({ text }) => steered.push(text) > 0;
  const chat = await open();
  await client.act(chat, turnStarted('t1'));
  await host.run();
  const message = { text: '/fix issue', origin: { kind: 'user' } };
  await client.act(chat, { type: 'chat/pendingMessageSet', kind: 'steering', id: 's1', message });
  await host.run();
  expect(steered).toEqual(['Fix issue.']);
  host.agent.turn.complete();
  await host.run();
});

test('[CUST-2] [CUST-22] a plugin of a client is read from it, once for each nonce, and goes with the client', async () => {
  const { host, client, root, open } = await started({ 'kit/skills/spy/secret.md': 'secret' });
  const chat = await open();
  // A client of its own, whose frames are no requests.
  const viewer = await host.client();
  const files: PublishedFiles = {
    'virtual:/kit/rules/a.md': RULE,
    'virtual:/kit/commands/go.md': 'Go.',
    'virtual:/kit/hooks/hooks.json': '{"hooks": []}',
  };
  const serve = publisher(host, client, files);
  const plugin = { type: 'plugin', id: 'kit', uri: 'virtual:/kit', name: 'Kit', nonce: '1' };
  const publish = async (more: object = {}): Promise<void> => {
    const activeClient = { clientId: client.clientId, tools: [], customizations: [{ ...plugin, ...more }] };
    client.dispatch(SESSION, { type: 'session/activeClientSet', activeClient });
    await serve();
  };
  await publish();
  const fault = 'hooks/hooks.json:1:11: hooks: expected an object';
  const [kit] = await shown(viewer);
  expect(kit).toMatchObject({
    id: 'kit',
    clientId: client.clientId,
    load: { kind: 'degraded', message: fault },
    children: [{ name: 'go' }, { name: 'a' }],
  });
  const count = await serve();
  await publish({
    enablement: [{ kind: 'global', enabled: false }],
    childEnablement: { a: [{ kind: 'global', enabled: false }] },
  });
  expect(await serve()).toBe(count);
  const [decided] = await shown(viewer);
  expect(decided).toMatchObject({ enablement: [{ kind: 'global', enabled: false }] });
  expect(childrenOf(decided)[1]).toMatchObject({ name: 'a', enabled: false });
  files['virtual:/kit/commands/go.md'] = '---\nname: gone\n---\nGo.';
  await publish({ nonce: '2' });
  expect(childrenOf((await shown(viewer))[0])[0]).toMatchObject({ name: 'gone' });
  // A URI of the client never names a file of the host.
  const theirs = pathToFileURL(join(root, 'kit')).href;
  files[`${theirs}/skills/spy/SKILL.md`] = 'Look around.';
  await publish({ id: 'spy', uri: theirs });
  await client.act(chat, turnStarted('t1'));
  await host.run();
  const { output } = host.agent.turn;
  const read = async (input: object) => {
    const call = output.hostTool({ name: 'read_skill', toolInput: JSON.stringify(input) });
    await host.run();
    const { content, error } = await call;
    return content?.[0] ?? error?.message;
  };
  expect(await read({ name: 'spy' })).toMatchObject({ text: 'Look around.' });
  expect(await read({ name: 'spy', path: 'secret.md' })).toBe(
    'path: only the text of this skill can be read',
  );
  host.agent.turn.complete();
  await client.act(SESSION, { type: 'session/activeClientRemoved', clientId: client.clientId });
  await host.run();
  expect(await shown(viewer)).toEqual([]);
});

test('[CUST-2] a plugin with all kinds of children, one of them broken, is in effect while its client is away for a moment in a turn, goes with the client, and comes back with it', async () => {
  const { host, client, open } = await started({});
  const chat = await open();
  const kit: PublishedFiles = {
    'plugin.json': '{"name": "Kit", "version": "2"}',
    'agents/tester.md': '---\ntools: Read\n---\nYou test.',
    'skills/pdf/SKILL.md': '---\ndescription: Reads PDFs\n---\nUse pdftotext.',
    'prompts/plan.prompt.md': 'Plan.',
    'commands/fix.md': 'Fix $ARGUMENTS.',
    'rules/ts.mdc': RULE,
    'rules/broken.mdc': '---\nglobs: [\n---\nText.',
    'hooks/hooks.json': '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
    '.mcp.json': '{"mcpServers": {"db": {"command": "db-server"}}}',
  };
  const files = Object.fromEntries(Object.entries(kit).map(([path, text]) => [`virtual:/kit/${path}`, text]));
  const plugin = { type: 'plugin', id: 'kit', uri: 'virtual:/kit', name: 'Kit', nonce: '1' };
  const publish = async () => {
    const owner = await host.client('owner');
    await owner.subscribe(SESSION);
    const activeClient = { clientId: 'owner', tools: [], customizations: [plugin] };
    owner.dispatch(SESSION, { type: 'session/activeClientSet', activeClient });
    await publisher(host, owner, files)();
    expect(await shown(client)).toMatchObject([
      {
        id: 'kit',
        clientId: 'owner',
        version: '2',
        load: { kind: 'degraded', message: expect.stringMatching(/^rules\/broken\.mdc:\d+:\d+: [^\n]+$/) },
        children: [
          { type: 'agent', name: 'tester', tools: ['Read'] },
          { type: 'skill', name: 'pdf' },
          { type: 'skill', name: 'fix' },
          { type: 'prompt', name: 'plan' },
          { type: 'rule', name: 'ts' },
          { type: 'hook', name: 'hooks' },
          { type: 'mcpServer', name: 'db' },
        ],
      },
    ]);
    return owner;
  };
  /** Starts a turn with the agent of the plugin, and refuses hooks and servers when asked. Returns the names of what was asked about. */
  const begin = async (turnId: string): Promise<string[]> => {
    const agents = childrenOf((await shown(client))[0]).filter(({ type }) => type === 'agent');
    const message = { text: '/fix it', origin: { kind: 'user' }, agent: { uri: agents[0]?.uri } };
    const { length } = host.agent.turns;
    await client.act(chat, { ...turnStarted(turnId), message });
    const asked: string[] = [];
    for (let round = 0; round < 500 && host.agent.turns.length === length; round += 1) {
      await host.run();
      const { activeTurn } = (await client.subscribe(chat)).state as ChatState;
      for (const part of activeTurn?.responseParts ?? []) {
        if (part.kind !== 'toolCall' || part.toolCall.status !== 'pending-confirmation') continue;
        const { toolCallId, toolName } = part.toolCall;
        asked.push(toolName);
        const answer = { approved: false, reason: 'denied' };
        await client.act(chat, { type: 'chat/toolCallConfirmed', turnId, toolCallId, ...answer });
      }
    }
    return asked;
  };
  const read = async () => {
    const { output } = host.agent.turn;
    const call = output.hostTool({ name: 'read_skill', toolInput: '{"name": "pdf"}' });
    await host.run();
    return (await call).content?.[0];
  };
  const owner = await publish();
  expect((await begin('t1')).toSorted()).toEqual(['hooks', 'mcp_servers']);
  const { input } = host.agent.turn;
  expect(input.message.text).toBe('Fix it.');
  const told = input.context.join('\n');
  for (const text of ['Use tabs.', '- pdf: Reads PDFs', 'You test.']) expect(told).toContain(text);

  // Away for a moment: the copy is in effect, and is not read again.
  owner.link.cut();
  await host.advance(5_000);
  expect(await shown(client)).toMatchObject([{ id: 'kit', load: { kind: 'degraded' } }]);
  expect(await read()).toMatchObject({ text: 'Use pdftotext.' });
  const back = host.connect('owner');
  await back.reconnect(0, [SESSION]);
  expect(await publisher(host, back, files)()).toBe(0);
  expect(await shown(client)).toMatchObject([{ id: 'kit', load: { kind: 'degraded' } }]);

  // Away for good: the plugin goes, and the turn goes on.
  back.link.cut();
  await host.advance(31_000);
  expect(await shown(client)).toEqual([]);
  host.agent.turn.complete();
  await host.run();
  const { turns } = (await client.subscribe(chat)).state as ChatState;
  expect(turns).toMatchObject([{ id: 't1', state: 'complete' }]);

  await publish();
  // The answer about the hooks holds for the session.
  expect(await begin('t2')).not.toContain('hooks');
  expect(host.agent.turn.input.message.text).toBe('Fix it.');
  expect(await read()).toMatchObject({ text: 'Use pdftotext.' });
  host.agent.turn.complete();
  await host.run();
});
