import { turnStarted } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { type HostFixture, SESSION, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const instruct = (instructions: string) => ({ type: 'session/configChanged', config: { instructions } });

async function opened(instructions?: string, options: { remembers?: boolean } = {}) {
  const host = await startHost();
  const client = await host.client();
  await client.request('createSession', {
    channel: SESSION,
    ...(instructions === undefined ? {} : { config: { instructions } }),
  });
  const { chat } = await host.session(client, 'ahp-session:/other').then(async () => {
    const { state } = await client.subscribe(SESSION);
    if (!('defaultChat' in state) || state.defaultChat === undefined) throw new Error('no chat');
    return { chat: state.defaultChat };
  });
  await client.subscribe(chat);
  await host.run();
  if (options.remembers === true) host.agent.opened[0]?.host.saveMemory({ id: 1 });
  await host.run();
  return { host, client, chat };
}

/** Runs one turn to its end. Resolves with the texts that the agent got before the message. */
async function turn(host: HostFixture, client: RawClient, chat: string, id: string) {
  await client.act(chat, turnStarted(id));
  await host.run();
  const { input } = host.agent.turn;
  host.agent.turn.complete();
  await host.run();
  return input;
}

test('[SESS-9] instructions come first in the first turn of an agent session, and again only when they change', async () => {
  const { host, client, chat } = await opened('Be brief.');
  const first = await turn(host, client, chat, 't1');
  expect(first.context).toEqual([expect.stringMatching(/^The user's instructions[^]*Be brief\.$/)]);
  expect(first.instructions).toBeUndefined();
  expect(first.message.text).not.toContain('brief');
  const second = await turn(host, client, chat, 't2');
  expect(second.context).toEqual([]);
  expect(second.instructions).toContain('Be brief.');
  await client.act(SESSION, instruct('Be long.'));
  expect((await turn(host, client, chat, 't3')).context).toEqual([
    expect.stringMatching(/has changed the instructions[^]*Be long\.$/),
  ]);
  await client.act(SESSION, instruct(''));
  const withdrawn = await turn(host, client, chat, 't4');
  expect(withdrawn.context).toEqual([expect.stringContaining('withdrawn')]);
  expect(withdrawn).not.toHaveProperty('instructions');
  expect((await turn(host, client, chat, 't5')).context).toEqual([]);
  const { state } = await client.subscribe(chat);
  expect(JSON.stringify(state)).not.toContain('Be ');
});

test('[SESS-9] without instructions the agent gets none', async () => {
  const { host, client, chat } = await opened();
  const { context, ...rest } = await turn(host, client, chat, 't1');
  expect(context).toEqual([]);
  expect(rest).not.toHaveProperty('instructions');
});

test('[SESS-9] after a cancelled turn, which may not have delivered the instructions, the next turn has them again', async () => {
  const { host, client, chat } = await opened('Be brief.');
  await client.act(chat, turnStarted('t1'));
  await host.run();
  await client.act(chat, { type: 'chat/turnCancelled', turnId: 't1', duration: 0 });
  host.agent.turn.complete();
  await host.run();
  expect((await turn(host, client, chat, 't2')).context).toHaveLength(1);
});

test('[SESS-9] instructions come before the commands that people ran meanwhile', async () => {
  const { host, client, chat } = await opened('Be brief.');
  await client.act(chat, { ...turnStarted('c'), message: { text: '!', origin: { kind: 'user' } } });
  await host.run();
  await client.act(chat, {
    ...turnStarted('c2'),
    message: { text: '!true', origin: { kind: 'user' } },
  });
  await host.run();
  host.ptys.last.end(0);
  await host.run();
  const { context } = await turn(host, client, chat, 't1');
  expect(context).toEqual([
    expect.stringContaining('Be brief.'),
    expect.stringMatching(/The user ran a command[^]*Command: true/),
  ]);
});

test.each([
  ['that remembers is not told twice', true, 0],
  ['without a memory is told again', false, 1],
])('[SESS-9] after a restart an agent %s', async (_, remembers, times) => {
  const { host, client, chat } = await opened('Be brief.', { remembers });
  await turn(host, client, chat, 't1');
  await host.restart();
  const again = await host.client('again');
  await again.subscribe(chat);
  expect((await turn(host, again, chat, 't2')).context).toHaveLength(times);
});

test('[SESS-9] [CHAT-6] after a truncation the new agent session gets the instructions', async () => {
  const { host, client, chat } = await opened('Be brief.', { remembers: true });
  await turn(host, client, chat, 't1');
  await turn(host, client, chat, 't2');
  await client.act(chat, { type: 'chat/truncated', turnId: 't1' });
  await host.run();
  expect((await turn(host, client, chat, 't3')).context).toEqual([expect.stringContaining('Be brief.')]);
});
