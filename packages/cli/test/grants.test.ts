import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AhpClient, connect } from '@agenthost/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const machine = new Machine();
const outside = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-grants-')));
let owner: AhpClient;
let app: AhpClient;

beforeAll(async () => {
  mkdirSync(join(outside, 'notes'));
  writeFileSync(join(outside, 'notes', 'a.txt'), 'notes');
  const { line } = await machine.serve();
  owner = await connect(line.wsUrl, { token: line.token });
  const { secret } = await owner.tokens.create({ scope: 'interact' });
  app = await connect(line.wsUrl, {
    token: secret,
    clientId: 'app',
    clientInfo: { name: 'app', title: 'Notes \u202eApp' },
  });
}, 30_000);

afterAll(async () => {
  app?.close();
  owner?.close();
  await machine.dispose();
  rmSync(outside, { recursive: true, force: true });
});

/** Asks for access, and waits until the host has the request. */
async function asked(name: string): Promise<{ readonly answer: Promise<void>; readonly id: string }> {
  const uri = pathToFileURL(join(outside, name)).href;
  await owner.grants.list();
  const arrived = new Promise<void>((resolve) => void owner.grants.onChange(resolve));
  const answer = app.files.request(uri, { read: true, write: true });
  answer.catch(() => undefined);
  await arrived;
  const { requests } = await owner.grants.list();
  const id = requests.find((request) => request.uri === uri)?.id;
  if (id === undefined) throw new Error('no request');
  return { answer, id };
}

test('[RES-2] agenthost grants lists, allows, denies and revokes access to files', async () => {
  expect(await machine.run(['grants'])).toMatchObject({
    code: 0,
    out: '',
    err: 'no client has or wants access to other files\n',
  });
  const uri = pathToFileURL(join(outside, 'notes', 'a.txt')).href;
  await expect(app.files.read(uri)).rejects.toMatchObject({ code: -32009 });
  const { answer, id } = await asked('notes');
  const line = (state: string): RegExp =>
    new RegExp(`^\\S{8} +\\d+ s  ${state} +read\\+write +${outside}/notes  by .*client app\\n$`);
  expect((await machine.run(['grants'])).out).toMatch(line('requested'));
  expect((await machine.run(['grants'])).out).not.toContain('\u202e');
  expect((await machine.run(['grants', 'allow', id])).out).toMatch(line('granted'));
  await answer;
  expect(await app.files.read(uri)).toMatchObject({ text: 'notes' });
  const denied = await asked('other');
  expect(jsonLines((await machine.run(['grants', 'deny', denied.id, '--json'])).out)).toEqual([
    { denied: denied.id },
  ]);
  await expect(denied.answer).rejects.toMatchObject({ code: -32009 });
  const listed = jsonLines((await machine.run(['grants', '--json'])).out);
  expect(listed).toMatchObject([{ state: 'granted', clientId: 'app', read: true, write: true }]);
  expect((await machine.run(['grants', 'revoke', '--all'])).out).toMatch(line('revoked'));
  await expect(app.files.read(uri)).rejects.toMatchObject({ code: -32009 });
}, 60_000);

test('reports invalid arguments', async () => {
  expect(await machine.run(['grants', 'revoke'])).toMatchObject({
    code: 2,
    err: 'agenthost: expected ids of grants, or --all\n',
  });
  expect(await machine.run(['grants', 'allow', 'x'])).toMatchObject({
    code: 1,
    err: 'agenthost: no request is called x; `agenthost grants` lists them\n',
  });
}, 30_000);
