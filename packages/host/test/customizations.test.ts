import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { turnStarted } from '@agenthost/testkit';
import { expect, test } from 'vitest';

import { childrenOf, RULE, shown, started } from './customizations-fixture.ts';
import { SESSION } from './host-fixture.ts';

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
