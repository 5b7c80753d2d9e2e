import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChatState } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { expect, test } from 'vitest';

import { childrenOf, RULE, shown, started } from './customizations-fixture.ts';
import { SESSION } from './host-fixture.ts';
import { type PublishedFiles, publisher } from './published-files.ts';

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
