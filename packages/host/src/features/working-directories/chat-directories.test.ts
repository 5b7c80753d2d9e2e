import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { turnStarted } from '@agenthost/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { type HostFixture, startHost } from '../../../test/host-fixture.ts';
import type { RawClient } from '../../../test/raw-client.ts';

function folder(): { uri: string; file: string } {
  const path = mkdtempSync(join(tmpdir(), 'agenthost-chat-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  writeFileSync(join(path, 'a.txt'), 'own');
  return { uri: pathToFileURL(path).href, file: pathToFileURL(join(path, 'a.txt')).href };
}

/** Chats of imports and of earlier versions may have folders outside of the session's. */
function giveFolder({ host }: HostFixture, session: string, own: string): void {
  const { sync } = host.core;
  sync.transact('client', (tx) => {
    const channel = sync.registry.getOf('session', session);
    if (channel === undefined) throw new Error(`${session} is not in memory`);
    const changes = { workingDirectories: [own] };
    tx.emit(channel, { type: 'session/chatUpdated', chat: 'ahp-chat:/own', changes });
  });
}

async function withOwnFolder(own: string) {
  const host = await startHost();
  host.agent.capabilities = { multipleChats: { fork: true } };
  const client = await host.client();
  const { session } = await host.session(client);
  await client.raw('createChat', { channel: session, chat: 'ahp-chat:/own' });
  giveFolder(host, session, own);
  return { host, client, session };
}

async function runTurn(host: HostFixture, client: RawClient, chat: string): Promise<void> {
  await client.act(chat, turnStarted('a'));
  await host.run();
  host.agent.turn.complete();
  await host.run();
}

/** Reads from the real disk, whose time is not that of the test's clock. */
async function read(host: HostFixture, client: RawClient, uri: string): Promise<unknown> {
  const id = client.ask('resourceRead', { channel: 'ahp-root://', uri });
  await expect
    .poll(async () => {
      await host.run();
      return client.answerTo(id);
    })
    .toBeDefined();
  return client.answered(id);
}

test('[RES-2] files in a chat’s own folder can be read as long as a chat has that folder, forks included', async () => {
  const { uri, file } = folder();
  const { host, client, session } = await withOwnFolder(uri);
  expect(await read(host, client, file)).toMatchObject({ data: 'own' });
  await runTurn(host, client, 'ahp-chat:/own');
  const source = { kind: 'fork', chat: 'ahp-chat:/own', turnId: 'a' };
  await client.raw('createChat', { channel: session, chat: 'ahp-chat:/fork', source });
  await client.raw('disposeChat', { channel: 'ahp-chat:/own' });
  expect(await read(host, client, file)).toMatchObject({ data: 'own' });
  await client.raw('disposeChat', { channel: 'ahp-chat:/fork' });
  await expect(read(host, client, file)).rejects.toMatchObject({ code: -32009 });
});

test('[RES-2] they can be read after a restart, and in a forked session, but not after both are disposed of', async () => {
  const { uri, file } = folder();
  const { host, client, session } = await withOwnFolder(uri);
  await runTurn(host, client, 'ahp-chat:/own');
  const fork = { session, turnId: 'a' };
  await client.raw('createSession', { channel: 'ahp-session:/fork', 'x-fork': fork });
  await client.raw('disposeSession', { channel: session });
  expect(await read(host, client, file)).toMatchObject({ data: 'own' });
  await host.restart();
  const later = await host.client('later');
  expect(await read(host, later, file)).toMatchObject({ data: 'own' });
  await later.raw('disposeSession', { channel: 'ahp-session:/fork' });
  await expect(read(host, later, file)).rejects.toMatchObject({ code: -32009 });
});

test('[RES-2] a failed commit opens no folder', async () => {
  const { uri, file } = folder();
  const { host, client, session } = await withOwnFolder(pathToFileURL(process.cwd()).href);
  host.journal.failNextCommits();
  giveFolder(host, session, uri);
  await host.advance(1_000);
  await expect(read(host, client, file)).rejects.toMatchObject({ code: -32009 });
});
