// A host with its data folder and config file in a working directory. No client can read or change them through the host.
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type AhpClient, connect, type SessionHandle } from '@agenthost/client';
import type { MessageAttachment } from '@agenthost/protocol';
import { markdownOf } from '@agenthost/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from '../kill/host-process.ts';
import { quickly } from '../terminals/stage.ts';
import { type DataTrick, hardLinksIn, OWN_FILES, plantLinks, waysTo } from './paths/data-tricks.ts';
import { folderRequests } from './paths/folder-requests.ts';
import { RudeClient } from './rude-client.ts';

const ROOT = 'ahp-root://';
const scriptedAgent = fileURLToPath(
  new URL('../../packages/agents/test/acp-scripted-agent.ts', import.meta.url),
);
const uriOf = (path: string): string => `file://${encodeURI(path)}`;

let work = '';
let data = '';
let config = '';
let token = '';
let host: HostProcess;
/** A client with the owner's token, which has every permission. */
let owner: RudeClient;
let client: RudeClient;
let person: AhpClient;
let session: SessionHandle;
let files: DataTrick[];
let folders: DataTrick[];

beforeAll(async () => {
  work = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-data-')));
  data = join(work, 'data');
  config = join(work, 'agenthost.json');
  await mkdir(data, { mode: 0o700 });
  await writeFile(join(work, 'in.txt'), 'what is inside');
  const scripted = { displayName: 'Scripted', command: process.execPath, args: [scriptedAgent, '{}'] };
  await writeFile(config, JSON.stringify({ agents: { scripted } }));
  host = new HostProcess(data, work, ['--config', config]);
  ({ token } = await host.start());
  owner = await RudeClient.connect(host.address);
  await owner.initialize('trickster');
  const { result } = await owner.request('x-createToken', { channel: ROOT, scope: 'interact' });
  const { secret } = JSON.parse(JSON.stringify(result));
  client = await RudeClient.connect({ wsUrl: host.address.wsUrl, token: secret });
  await client.initialize('worker');
  person = await connect(host.address.wsUrl, { token: secret, clientId: 'person' });
  session = await person.sessions.create({
    provider: 'demo',
    workingDirectories: [pathToFileURL(work).href],
  });
  plantLinks(work, data);
  files = [
    ...OWN_FILES.flatMap((leaf) => waysTo(work, data, leaf)),
    ...hardLinksIn(work),
    { name: 'the config file', path: config },
    { name: 'what is not there yet', path: join(data, 'new.txt') },
    { name: 'what is not there yet, in a folder that is not', path: join(work, 'link/new/new.txt') },
  ];
  folders = [
    ...waysTo(work, data),
    ...waysTo(work, data, 'keepers').filter(({ name }) => !/to the file/.test(name)),
  ];
}, 60_000);

afterAll(async () => {
  person?.close();
  await client?.close();
  await owner?.close();
  await host?.stop();
  await rm(work, { recursive: true, force: true });
});

/** Fails when an answer contains part of the token or the first bytes of a database. */
function expectClosed(answer: string, name: string): void {
  expect(answer, name).not.toContain(token);
  expect(answer, name).not.toContain(Buffer.from(token).toString('base64').slice(0, 40));
  expect(answer, name).not.toMatch(/SQLite format|U1FMaXRlIGZvcm1hdA/);
}

describe('[RES-2] the host’s own files in a working directory are closed', () => {
  test('to reads of a file, by the owner too', async () => {
    for (const by of [client, owner]) {
      const inside = await by.request('resourceRead', { channel: ROOT, uri: uriOf(join(work, 'in.txt')) });
      expect(JSON.stringify(inside.result)).toContain('what is inside');
      for (const { name, path } of [...files, ...folders]) {
        const { error, result } = await by.request('resourceRead', { channel: ROOT, uri: uriOf(path) });
        expect([-32602, -32008, -32009], `${name}: ${JSON.stringify(result)}`).toContain(error?.code);
        expectClosed(JSON.stringify(error), name);
      }
    }
  }, 60_000);

  test.each(folderRequests)('as the folder of %s, for the owner too', async (_, method, params) => {
    for (const { name, path } of folders) {
      const { error } = await owner.request(method, params(uriOf(path), session.uri));
      expect([-32602, -32008, -32009], `${name}: ${error?.message}`).toContain(error?.code);
    }
  });

  test('as the folder of an import', async () => {
    const head = { title: '', status: 1 };
    const chat = { ...head, resource: 'ahp-chat:/a', modifiedAt: '2026-01-01T00:00:00.000Z' };
    for (const { name, path } of folders) {
      const workingDirectory = uriOf(path);
      const imported = { ...head, resource: 'ahp-session:/a', provider: 'demo', lifecycle: 'ready' };
      const { error } = await owner.request('x-importSession', {
        channel: 'ahp-session:/imported',
        session: { ...imported, workingDirectories: [workingDirectory] },
        chats: [chat],
      });
      expect([-32602, -32008, -32009], name).toContain(error?.code);
    }
  });

  test('to attachments of a message', async () => {
    const attachments = [...files, ...folders].map(({ name, path }): MessageAttachment => {
      return { type: 'resource', uri: uriOf(path), label: name };
    });
    const turn = await session.prompt({ ...quickly(''), attachments }).result;
    expect(turn.state).toBe('complete');
    expectClosed(JSON.stringify(turn), 'attachments');
  }, 60_000);

  test('to completions behind an @', async () => {
    const proposed = async (word: string): Promise<string[]> => {
      const text = `@${word}`;
      const channel = session.chat.mirror.uri;
      const params = { channel, kind: 'userMessage', text, offset: text.length } as const;
      return (await person.request('completions', params)).items.map(({ insertText }) => insertText);
    };
    expect(await proposed('in.t')).toContain('@in.txt');
    const words = [
      ...OWN_FILES,
      'data',
      'data/',
      'data/o',
      'hard-',
      'to-',
      'link/',
      'agenthost.json',
      'keepers',
    ];
    for (const word of words) {
      for (const item of await proposed(word)) {
        const real = await realpath(join(work, item.replace(/^@"?|"$/g, '')));
        expect(real.startsWith(data), `${word}: ${item}`).toBe(false);
        expect(real).not.toBe(config);
        expect((await stat(real)).nlink > 1 && (await stat(real)).isFile(), item).toBe(false);
      }
    }
  }, 60_000);

  test('to agents that ask the host to read and write, and stay unchanged', async () => {
    const before = await Promise.all([readFile(join(data, 'owner-token'), 'utf8'), readFile(config, 'utf8')]);
    const acp = await person.sessions.create({
      provider: 'scripted',
      workingDirectories: [pathToFileURL(work).href],
    });
    const asked = [...files, ...folders].flatMap(({ name, path }) => [
      { name, method: 'fs/read_text_file', params: { path } },
      { name, method: 'fs/write_text_file', params: { path, content: 'written by a trick' } },
    ]);
    const steps = asked.flatMap(({ method, params }) => [
      { ask: { method, params } },
      { sayAnswer: true },
      { say: '\n' },
    ]);
    const turn = await acp.prompt({ text: JSON.stringify(steps), origin: { kind: 'user' } }).result;
    const answers = markdownOf(turn).trim().split('\n');
    expect(answers).toHaveLength(asked.length);
    for (const [index, { name, method }] of asked.entries()) {
      const answer = answers[index] ?? '';
      expect([-32602, -32002], `${method} ${name}: ${answer}`).toContain(JSON.parse(answer).code);
      expectClosed(answer, name);
    }
    expect(
      await Promise.all([readFile(join(data, 'owner-token'), 'utf8'), readFile(config, 'utf8')]),
    ).toEqual(before);
    await expect(stat(join(data, 'new.txt'))).rejects.toThrow('ENOENT');
    await person.sessions.dispose(acp.uri);
  }, 60_000);

  test('to the demo agent, which runs in the host', async () => {
    const shown = async (text: string): Promise<string> =>
      JSON.stringify(await session.prompt({ text, origin: { kind: 'user' } }).result);
    expect(await shown('read in.txt')).toContain('what is inside');
    for (const way of ['data/owner-token', 'link/owner-token', './hard-owner-token', './to-owner-token']) {
      const answer = await shown(`read ${way}`);
      expectClosed(answer, way);
      expect(answer, way).toContain('is private to the host');
    }
    expect(await shown('read agenthost.json')).toContain('is private to the host');
    for (const way of ['data', 'link', 'sub/up/data'])
      expect(await shown(`list ${way}`)).not.toContain('seq');
  }, 60_000);
});
