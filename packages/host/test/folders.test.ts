import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT, startHost } from './host-fixture.ts';

async function started() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-pick-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const name of ['root/project', 'outside', 'working']) mkdirSync(join(base, name), { recursive: true });
  writeFileSync(join(base, 'root', 'file'), '');
  const uri = (...names: string[]): string => pathToFileURL(join(base, ...names)).href;
  const host = await startHost({ roots: [join(base, 'root')], defaultDirectory: join(base, 'root') });
  const admin = await host.client('admin');
  const person = await host.client('person', {}, { tokenHash: 'person', scope: 'interact' });
  return { base, uri, host, admin, person };
}

test('[RES-1] resourceList answers in entries, and an empty URI stands for the default directory', async () => {
  const { uri, person } = await started();
  expect(await person.request('resourceList', { channel: ROOT, uri: '' })).toStrictEqual({
    entries: [
      { name: 'project', type: 'directory' },
      { name: 'file', type: 'file' },
    ],
    'x-uri': uri('root'),
  });
  await expect(
    person.request('resourceList', { channel: ROOT, uri: uri('root', 'file') }),
  ).rejects.toMatchObject({
    code: -32602,
  });
});

test('[RES-2] working directories of sessions can be listed, and everything by an admin', async () => {
  const { uri, admin, person } = await started();
  const list = (client: typeof admin, at: string) =>
    client.request('resourceList', { channel: ROOT, uri: at });
  await expect(list(person, uri('working'))).rejects.toMatchObject({
    code: -32009,
    data: { request: { channel: ROOT, uri: uri('working'), read: true } },
  });
  await admin.request('createSession', {
    channel: 'ahp-session:/one',
    workingDirectories: [uri('working')],
  });
  expect(await list(person, uri('working'))).toMatchObject({ entries: [] });
  expect(await list(admin, uri('outside'))).toMatchObject({ entries: [] });
});

test('[RES-1] [RES-2] resourceMkdir makes a folder within the roots, and elsewhere for admins only', async () => {
  const { base, uri, admin, person } = await started();
  const make = (client: typeof admin, at: string) =>
    client.request('resourceMkdir', { channel: ROOT, uri: at });
  expect(await make(person, uri('root', 'project', 'new'))).toStrictEqual({});
  expect(existsSync(join(base, 'root', 'project', 'new'))).toBe(true);
  await expect(make(person, uri('root', 'file'))).rejects.toMatchObject({ code: -32010 });
  await expect(make(person, uri('outside', 'new'))).rejects.toMatchObject({
    code: -32009,
    data: { request: { write: true } },
  });
  expect(await make(admin, uri('outside', 'new'))).toStrictEqual({});
});
