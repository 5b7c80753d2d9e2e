import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentCapabilities } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SESSION, startHost } from '../../../test/host-fixture.ts';
import type { RawClient } from '../../../test/raw-client.ts';

const GUEST = { tokenHash: 'guest', scope: 'interact' } as const;

async function withFolders(ability: AgentCapabilities['multipleWorkingDirectories'] = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-directories-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [a = '', b = '', c = ''] = ['a', 'b', 'c'].map((name) => {
    mkdirSync(join(root, name));
    return pathToFileURL(join(root, name)).href;
  });
  const host = await startHost({ roots: [root], defaultDirectory: root });
  host.agent.capabilities = { multipleChats: { fork: true }, multipleWorkingDirectories: ability };
  const client = await host.client();
  const listOf = async (uri: string) =>
    ((await client.subscribe(uri)).state as { workingDirectories?: string[] }).workingDirectories;
  return { host, client, root, a, b, c, listOf };
}

async function defaultChatOf(client: RawClient, session: string): Promise<string> {
  return ((await client.subscribe(session)).state as { defaultChat: string }).defaultChat;
}

const act = (client: RawClient, kind: string, directory: string, more: object = {}) =>
  client.act(SESSION, {
    type: `session/workingDirectory${kind}`,
    directory,
    ...more,
  });

describe('createSession', () => {
  test('[SESS-20] keeps the order of its directories, checks each, and names each once', async () => {
    const { host, client, root, a, b, listOf } = await withFolders();
    await client.request('createSession', { channel: SESSION, workingDirectories: [b, a, b] });
    expect(await listOf(SESSION)).toStrictEqual([b, a]);
    const { items } = await client.request('listSessions', { channel: 'ahp-root://' });
    expect(items[0]?.workingDirectories).toStrictEqual([b, a]);
    await host.run();
    expect(host.agent.opened.at(-1)).toMatchObject({
      workingDirectory: join(root, 'b'),
      moreDirectories: [join(root, 'a')],
    });
    const guest = await host.client('guest', {}, GUEST);
    for (const [bad, code] of [
      ['https://example.org/', -32602],
      [`${a}/none`, -32008],
      ['file:///', -32009],
    ] as const)
      await expect(
        guest.request('createSession', { channel: 'ahp-session:/bad', workingDirectories: [a, bad] }),
      ).rejects.toMatchObject({ code });
  });

  test('[SESS-20] [ROOT-20] takes the first directory only if the agent has one per session, and does not look at the others', async () => {
    const { host, client, a, listOf } = await withFolders();
    host.agent.capabilities = {};
    await client.request('createSession', { channel: SESSION, workingDirectories: [a, 'https://x.org/'] });
    expect(await listOf(SESSION)).toStrictEqual([a]);
    expect((await act(client, 'Set', a))?.rejectionReason).toMatch(/^notSupported: /);
    expect((await act(client, 'Removed', a))?.rejectionReason).toMatch(/^notSupported: /);
  });
});

describe('a session', () => {
  test('[SESS-21] gets and loses directories, and the next turn opens the agent in them', async () => {
    const { host, client, root, a, b, listOf } = await withFolders();
    await client.request('createSession', { channel: SESSION, workingDirectories: [a] });
    const chat = await defaultChatOf(client, SESSION);
    await host.run();
    await act(client, 'Set', b);
    expect(await listOf(SESSION)).toStrictEqual([a, b]);
    await client.act(chat, turnStarted('t1'));
    await host.run();
    expect(host.agent.opened).toHaveLength(2);
    expect(host.agent.opened.at(-1)?.moreDirectories).toStrictEqual([join(root, 'b')]);
    // A running turn keeps its agent session.
    await act(client, 'Removed', a);
    await host.run();
    host.agent.turn.complete();
    await host.run();
    await client.act(chat, turnStarted('t2'));
    await host.run();
    expect(host.agent.opened.at(-1)?.workingDirectory).toBe(join(root, 'b'));
    const guest = await host.client('guest', {}, GUEST);
    for (const bad of ['https://example.org/', `${a}/none`, 'file:///'])
      expect((await act(guest, 'Set', bad))?.rejectionReason).toMatch(/^invalidDirectory: /);
    expect((await act(client, 'Replaced', b, { replacement: a }))?.rejectionReason).toMatch(
      /^notSupported: /,
    );
  });

  test('[SESS-21] [SESS-22] cannot lose its primary directory where that is immutable or can be replaced', async () => {
    const { host, client, a, b, c, listOf } = await withFolders({ immutablePrimary: true });
    await client.request('createSession', { channel: SESSION, workingDirectories: [a, b] });
    expect((await act(client, 'Removed', a))?.rejectionReason).toMatch(/^primaryDirectory: /);
    await act(client, 'Removed', b);
    host.agent.capabilities = {
      multipleWorkingDirectories: { immutablePrimary: true, primaryReplacement: true },
    };
    expect((await act(client, 'Removed', a))?.rejectionReason).toMatch(/^primaryDirectory: /);
    await act(client, 'Replaced', a, { replacement: c });
    expect(await listOf(SESSION)).toStrictEqual([c]);
  });

  test('[SESS-23] takes a removed or replaced directory away from its chats', async () => {
    const { client, a, b, c, listOf } = await withFolders({ primaryReplacement: true });
    await client.request('createSession', { channel: SESSION, workingDirectories: [a, b] });
    const params = { channel: SESSION, chat: 'ahp-chat:/own', workingDirectories: [b, a] };
    await client.request('createChat', params);
    await act(client, 'Replaced', a, { replacement: c });
    expect(await listOf('ahp-chat:/own')).toStrictEqual([b, c]);
    await act(client, 'Removed', b);
    expect(await listOf('ahp-chat:/own')).toStrictEqual([c]);
    const { state } = await client.subscribe(SESSION);
    expect(state).toMatchObject({ chats: [{}, { workingDirectories: [c] }] });
  });
});

test('[CHAT-41] a chat takes only directories of its session', async () => {
  const { host, client, a, b, listOf } = await withFolders();
  await client.request('createSession', { channel: SESSION, workingDirectories: [a] });
  const chat = await defaultChatOf(client, SESSION);
  const set = (directory: string) => client.act(chat, { type: 'chat/workingDirectorySet', directory });
  expect((await set(b))?.rejectionReason).toMatch(/^invalidDirectory: /);
  expect((await set(a))?.rejectionReason).toBeUndefined();
  expect(await listOf(chat)).toStrictEqual([a]);
  await client.act(chat, { type: 'chat/workingDirectoryRemoved', directory: a });
  expect(await listOf(chat)).toStrictEqual([]);
  host.kill();
});
