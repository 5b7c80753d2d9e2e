import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AccessGrant, AccessRequest } from '@agenthost/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const PERSON = { tokenHash: 'person', scope: 'interact' } as const;

async function started() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-grants-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const name of ['work', 'notes', 'other']) mkdirSync(join(base, name));
  writeFileSync(join(base, 'notes', 'a.txt'), 'notes');
  writeFileSync(join(base, 'other', 'a.txt'), 'other');
  const uri = (...names: string[]): string => pathToFileURL(join(base, ...names)).href;
  const host = await startHost({ roots: [join(base, 'work')], defaultDirectory: join(base, 'work') });
  const admin = await host.client('admin');
  const person = await host.client('person', { clientInfo: { name: 'app', title: 'Notes App' } }, PERSON);
  /** Sends a request and lets it arrive. Returns its id. */
  const ask = async (client: RawClient, at: string, access: object = { read: true }): Promise<number> => {
    const id = client.ask('resourceRequest', { channel: ROOT, uri: at, ...access });
    await host.run();
    return id;
  };
  return { base, uri, host, admin, person, ask };
}

const list = (client: RawClient) => client.request('x-listGrants', { channel: ROOT });
const read = (client: RawClient, uri: string) => client.request('resourceRead', { channel: ROOT, uri });
const write = (client: RawClient, uri: string) =>
  client.request('resourceWrite', { channel: ROOT, uri, data: 'x', encoding: 'utf-8' });
const answer = (client: RawClient, { id }: AccessRequest, isGranted = true) =>
  client.request('x-answerGrant', { channel: ROOT, id, isGranted });
const only = <T>(items: readonly T[]): T => {
  expect(items).toHaveLength(1);
  const [item] = items;
  if (item === undefined) throw new Error('no item');
  return item;
};

test('[RES-2] a request waits until an admin grants it, and then opens the folder with everything below it', async () => {
  const { uri, host, admin, person, ask } = await started();
  await list(admin);
  const id = await ask(person, uri('notes'));
  expect(person.answerTo(id)).toBeUndefined();
  expect(admin.notifications('x-grantsChanged')).toEqual([{ channel: ROOT }]);
  const request = only((await list(admin)).requests);
  expect(request).toStrictEqual({
    id: expect.any(String),
    clientId: 'person',
    clientName: 'Notes App',
    uri: uri('notes'),
    read: true,
    write: false,
    createdAt: expect.stringMatching(/^\d{4}-/),
    expiresAt: expect.stringMatching(/^\d{4}-/),
  });
  await expect(read(person, uri('notes', 'a.txt'))).rejects.toMatchObject({ code: -32009 });
  await answer(admin, request);
  expect(await person.answered(id)).toStrictEqual({});
  expect(await read(person, uri('notes', 'a.txt'))).toMatchObject({ data: 'notes' });
  expect(await person.request('resourceList', { channel: ROOT, uri: uri('notes') })).toMatchObject({
    entries: [{ name: 'a.txt' }],
  });
  await expect(write(person, uri('notes', 'a.txt'))).rejects.toMatchObject({ code: -32009 });
  await expect(read(person, uri('other', 'a.txt'))).rejects.toMatchObject({ code: -32009 });
  const listed: { items: AccessGrant[] } = await list(admin);
  expect(listed).toStrictEqual({
    requests: [],
    items: [
      {
        id: expect.any(String),
        clientId: 'person',
        uri: uri('notes'),
        read: true,
        write: false,
        createdAt: expect.stringMatching(/^\d{4}-/),
        grantedBy: 'admin',
      },
    ],
  });
  await host.run();
});

test('[RES-2] a denial is -32009, and the first of two answers counts', async () => {
  const { uri, host, admin, person, ask } = await started();
  const second = await host.client('second');
  const id = await ask(person, uri('notes'));
  const request = only((await list(second)).requests);
  await answer(second, request, false);
  await expect(answer(admin, request)).rejects.toMatchObject({ code: -32008 });
  await expect(person.answered(id)).rejects.toMatchObject({
    code: -32009,
    message: expect.stringContaining('an admin has denied it'),
  });
  await expect(read(person, uri('notes', 'a.txt'))).rejects.toMatchObject({ code: -32009 });
  expect(await list(admin)).toStrictEqual({ items: [], requests: [] });
});

test('[RES-2] a request that nobody answers ends after five minutes', async () => {
  const { uri, host, admin, person, ask } = await started();
  const id = await ask(person, uri('notes'));
  // Nothing of the connection waits behind it [WIRE-6].
  await person.ping();
  await host.advance(299_000);
  expect(person.answerTo(id)).toBeUndefined();
  const request = only((await list(admin)).requests);
  await host.advance(2_000);
  await expect(person.answered(id)).rejects.toMatchObject({
    code: -32009,
    message: expect.stringContaining('in time'),
  });
  await expect(answer(admin, request)).rejects.toMatchObject({ code: -32008 });
});

test('[RES-2] an admin gets access at once', async () => {
  const { base, uri, admin, ask } = await started();
  await expect(read(admin, uri('notes', 'a.txt'))).rejects.toMatchObject({ code: -32009 });
  const id = await ask(admin, uri('notes'), { read: true, write: true });
  expect(await admin.answered(id)).toStrictEqual({});
  await write(admin, uri('notes', 'a.txt'));
  expect(readFileSync(join(base, 'notes', 'a.txt'), 'utf8')).toBe('x');
});

test('[RES-2] a grant belongs to client and token, outlasts a restart, and ends when it is revoked', async () => {
  const { uri, host, admin, person, ask } = await started();
  await ask(person, uri('notes'));
  await answer(admin, only((await list(admin)).requests));
  await host.restart();
  const again = await host.client('person', {}, PERSON);
  expect(await read(again, uri('notes', 'a.txt'))).toMatchObject({ data: 'notes' });
  const other = await host.client('other', {}, PERSON);
  await expect(read(other, uri('notes', 'a.txt'))).rejects.toMatchObject({ code: -32009 });
  expect(await list(other)).toStrictEqual({ items: [], requests: [] });
  const { id } = only((await list(again)).items);
  await expect(other.request('x-revokeGrant', { channel: ROOT, id })).rejects.toMatchObject({ code: -32008 });
  const owner = await host.client('admin');
  await owner.request('x-revokeGrant', { channel: ROOT, id });
  await expect(read(again, uri('notes', 'a.txt'))).rejects.toMatchObject({ code: -32009 });
  await host.restart();
  const third = await host.client('person', {}, PERSON);
  await expect(read(third, uri('notes', 'a.txt'))).rejects.toMatchObject({ code: -32009 });
});

test('[RES-2] grants and requests end with the token that they belong to', async () => {
  const { uri, host, admin, ask } = await started();
  const made = await admin.request('x-createToken', { channel: ROOT, scope: 'interact' });
  const identity = host.host.core.accessTokens.identify(made.secret);
  if (identity === undefined) throw new Error('no token');
  const app = await host.client('app', {}, identity);
  await ask(app, uri('notes'));
  await answer(admin, only((await list(admin)).requests));
  await ask(app, uri('other'));
  await admin.request('x-revokeToken', { channel: ROOT, id: made.token.id });
  expect(await list(admin)).toStrictEqual({ items: [], requests: [] });
});

test('[RES-2] a client without the scope admin cannot answer, not even its own request', async () => {
  const { uri, person, ask } = await started();
  await ask(person, uri('notes'));
  const request = only((await list(person)).requests);
  await expect(answer(person, request)).rejects.toMatchObject({ code: -32009 });
  await expect(read(person, uri('notes', 'a.txt'))).rejects.toMatchObject({ code: -32009 });
});

test('[RES-2] an admin sees the real place, and a link that changes later opens nothing', async () => {
  const { base, uri, admin, person, ask } = await started();
  symlinkSync(join(base, 'notes'), join(base, 'work', 'link'));
  const id = await ask(person, uri('work', 'link'));
  const request = only((await list(admin)).requests);
  expect(request.uri).toBe(uri('notes'));
  await answer(admin, request);
  await person.answered(id);
  expect(await read(person, uri('work', 'link', 'a.txt'))).toMatchObject({ data: 'notes' });
  renameSync(join(base, 'notes'), join(base, 'old'));
  symlinkSync(join(base, 'other'), join(base, 'notes'));
  await expect(read(person, uri('notes', 'a.txt'))).rejects.toMatchObject({ code: -32009 });
});

test('[RES-2] open requests are limited, and the same request again joins the open one', async () => {
  const { uri, admin, person, ask } = await started();
  const ids: number[] = [];
  for (const name of ['one', 'two', 'three', 'four', 'four']) ids.push(await ask(person, uri(name)));
  expect((await list(admin)).requests).toHaveLength(4);
  const fifth = await ask(person, uri('five'));
  await expect(person.answered(fifth)).rejects.toMatchObject({
    code: -32011,
    data: { 'x-refusal': { kind: 'limit', of: 'accessRequests', max: 4 } },
  });
  const four = (await list(admin)).requests.at(-1);
  if (four === undefined) throw new Error('no request');
  await answer(admin, four);
  expect(await Promise.all(ids.slice(3).map((id) => person.answered(id)))).toStrictEqual([{}, {}]);
});

test('[RES-2] a grant that cannot be journaled is not given', async () => {
  const { uri, host, admin, person, ask } = await started();
  const id = await ask(person, uri('notes'));
  const request = only((await list(admin)).requests);
  host.journal.failNextCommits();
  await expect(answer(admin, request)).rejects.toMatchObject({ code: -32603 });
  await expect(person.answered(id)).rejects.toMatchObject({ code: -32603 });
  await host.advance(5_000);
  await expect(read(person, uri('notes', 'a.txt'))).rejects.toMatchObject({ code: -32009 });
});
