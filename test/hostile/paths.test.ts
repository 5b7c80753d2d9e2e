// Every request with a path or a file URI, with every path trick.
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type AhpClient, connect, type SessionHandle } from '@agenthost/client';
import { type MessageAttachment, TEXT_LIMITS } from '@agenthost/protocol';
import { markdownOf } from '@agenthost/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from '../kill/host-process.ts';
import { quickly } from '../terminals/stage.ts';
import { folderRequests } from './paths/folder-requests.ts';
import { treeOf } from './paths/tree.ts';
import { type Place, SECRET, setUp, type Trick, tricks } from './paths/tricks.ts';
import { RudeClient } from './rude-client.ts';

/** Detects hangs: a thousand times the duration of any of them on a quiet machine, so that a short stall fails nothing. */
const LIMIT_MS = 30_000;
const ROOT = 'ahp-root://';
const repository = fileURLToPath(new URL('../..', import.meta.url));
const agent = fileURLToPath(new URL('../../packages/agents/test/acp-scripted-agent.ts', import.meta.url));

let folder = '';
let file: Place;
let directory: Place;
let host: HostProcess;
/** A client with a token of scope `interact`, which the roots restrict. */
let client: RudeClient;
let person: AhpClient;
let owner: RudeClient;
let session: SessionHandle;
let socket: Server;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-paths-')));
  const home = join(folder, 'home');
  file = { work: join(home, 'work'), outside: join(folder, 'outside'), leaf: '/secret.txt' };
  directory = { ...file, leaf: '' };
  socket = await setUp(file);
  const config = join(folder, 'agenthost.json');
  const scripted = { displayName: 'Scripted', command: process.execPath, args: [agent, '{}'] };
  await writeFile(config, JSON.stringify({ agents: { scripted } }));
  host = new HostProcess(join(folder, 'data'), home, ['--config', config]);
  const { wsUrl } = await host.start();
  owner = await RudeClient.connect(host.address);
  await owner.initialize('owner');
  const { result } = await owner.request('x-createToken', { channel: ROOT, scope: 'interact' });
  const { secret: token } = JSON.parse(JSON.stringify(result));
  client = await RudeClient.connect({ wsUrl, token });
  await client.initialize('trickster');
  person = await connect(wsUrl, { token, clientId: 'person' });
  const workingDirectory = pathToFileURL(file.work).href;
  session = await person.sessions.create({ provider: 'demo', workingDirectories: [workingDirectory] });
}, 60_000);

afterEach(async () => {
  expect(host.isRunning, host.errors).toBe(true);
  expect(await client.pingMs()).toBeLessThan(LIMIT_MS);
});

afterAll(async () => {
  person?.close();
  await owner?.close();
  await client?.close();
  await host?.stop();
  socket?.close();
  await rm(folder, { recursive: true, force: true });
});

const trees = async (): Promise<string[]> => [...(await treeOf(file.work)), ...(await treeOf(file.outside))];

/** Prompts that make the scripted agent send each request and print its answer, each short enough for a message. */
function promptsOf(asked: readonly { method: string; params: object }[]): string[] {
  const prompts: object[][] = [[]];
  let length = 0;
  for (const { method, params } of asked) {
    const steps = [{ ask: { method, params } }, { sayAnswer: true }, { say: '\n' }];
    const added = JSON.stringify(steps).length;
    if (length + added > TEXT_LIMITS.text.max) {
      prompts.push([]);
      length = 0;
    }
    length += added;
    prompts.at(-1)?.push(...steps);
  }
  return prompts.map((steps) => JSON.stringify(steps));
}

/** State that a refused request must not change: folders, sessions, chats, terminals. */
async function everything(): Promise<unknown> {
  const states = [];
  for (const channel of [ROOT, session.uri]) {
    const { result } = await client.request('subscribe', { channel });
    states.push(JSON.parse(JSON.stringify(result)).snapshot.state);
  }
  const { result: listed } = await client.request('listSessions', { channel: ROOT });
  return { listed, states, trees: await trees() };
}

/** A refusal repeats the requested path and contains no other path or internals of the machine. */
function expectHarmless(answer: string, asked: string): void {
  expect(answer).not.toContain(SECRET);
  for (const hidden of [file.outside, join(folder, 'data'), repository, '/proc/self/fd/', 'node:'])
    if (!asked.includes(hidden)) expect(answer).not.toContain(hidden);
  expect(answer).not.toMatch(/\\n\s+at /);
}

async function expectRefused(
  ask: (trick: Trick) => { method: string; params: object; asked: string },
  by = client,
  which: readonly Trick[] = tricks,
): Promise<void> {
  const before = await everything();
  for (const trick of which) {
    const { method, params, asked } = ask(trick);
    const start = performance.now();
    const { error, result } = await by.request(method, params);
    expect(performance.now() - start, trick.name).toBeLessThan(LIMIT_MS);
    expect(error, `${trick.name}: ${JSON.stringify(result)}`).toBeDefined();
    expect([-32602, -32006, -32008, -32009], `${trick.name}: ${error?.message}`).toContain(error?.code);
    expect(error?.message.length, trick.name).toBeGreaterThan(10);
    expect(error?.message.length, trick.name).toBeLessThan(10_000);
    expectHarmless(JSON.stringify(error), asked);
  }
  expect(await everything()).toEqual(before);
}

describe('[RES-2] no trick with a path leads out', () => {
  test('of the working directory, for reads of a file', async () => {
    const read = (uri: string) => client.request('resourceRead', { channel: ROOT, uri });
    const base = pathToFileURL(file.work).href;
    for (const inside of ['in.txt', 'sub/../in.txt', '%69n.txt'])
      expect(JSON.stringify(await read(`${base}/${inside}`))).toContain('what is inside');
    await expectRefused(({ uri }) => {
      const asked = uri(file);
      return { method: 'resourceRead', params: { channel: ROOT, uri: asked }, asked };
    });
  });

  test('of the working directory, for writes of a file and copies of one', async () => {
    const risky = tricks.filter(({ isPlainName }) => isPlainName !== true);
    await expectRefused(
      ({ uri }) => {
        const asked = uri(file);
        return {
          method: 'resourceWrite',
          params: { channel: ROOT, uri: asked, data: 'written by a trick', encoding: 'utf-8' },
          asked,
        };
      },
      client,
      risky,
    );
    await expectRefused(({ uri }) => {
      const asked = uri(file);
      const destination = `${pathToFileURL(file.work).href}/copied`;
      return { method: 'resourceCopy', params: { channel: ROOT, source: asked, destination }, asked };
    });
    for (const method of ['resourceCopy', 'resourceMove'])
      await expectRefused(
        ({ uri }) => {
          const asked = uri({ ...file, leaf: '/new.txt' });
          const source = `${pathToFileURL(file.work).href}/in.txt`;
          return { method, params: { channel: ROOT, source, destination: asked }, asked };
        },
        client,
        // Links in the working directory itself may be replaced.
        risky.filter(
          (trick) => trick.uri({ ...file, leaf: '/new.txt' }) !== trick.uri({ ...file, leaf: '' }),
        ),
      );
  }, 120_000);

  test.each(folderRequests)('of the roots, as the folder of %s', async (_, method, params) => {
    await expectRefused(({ uri }) => {
      const asked = uri(directory);
      return { method, params: params(asked, session.uri), asked };
    });
  });

  test('of the roots, in a file that the owner imports', async () => {
    const chat = { resource: 'ahp-chat:/a', title: '', status: 1, modifiedAt: '2026-01-01T00:00:00.000Z' };
    const exported = {
      resource: 'ahp-session:/a',
      provider: 'demo',
      title: '',
      status: 1,
      lifecycle: 'ready',
    };
    const inside = pathToFileURL(file.work).href;
    for (const place of ['session', 'chat']) {
      await expectRefused(({ uri }) => {
        const asked = uri(directory);
        const [workingDirectory, own] =
          place === 'session' ? [asked, {}] : [inside, { workingDirectories: [asked] }];
        const params = {
          channel: 'ahp-session:/imported',
          session: { ...exported, workingDirectories: [workingDirectory] },
          chats: [{ ...chat, ...own }],
        };
        return { method: 'x-importSession', params, asked };
      }, owner);
    }
  });

  test('of the working directories, in attachments of a message', async () => {
    const attachments = [
      ...tricks,
      { name: 'what may be read', uri: () => `${pathToFileURL(file.work).href}/in.txt` },
    ]
      .map(({ name, uri }) => ({ label: name, uri: uri(file) }))
      .filter(({ uri }) => uri.length < 10_000)
      .flatMap(({ label, uri }): MessageAttachment[] => {
        const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 14 } };
        return [
          { type: 'resource', uri, label },
          { type: 'resource', uri, label: `${label}, a part`, selection: { range } },
        ];
      });
    const before = await trees();
    let readCount = 0;
    let refusedCount = 0;
    // A message may have a hundred attachments.
    for (let from = 0; from < attachments.length; from += 100) {
      const some = attachments.slice(from, from + 100);
      const start = performance.now();
      const turn = await session.prompt({ ...quickly(''), attachments: some }).result;
      expect(performance.now() - start).toBeLessThan(LIMIT_MS);
      expect(turn.state).toBe('complete');
      const all = JSON.stringify(turn.responseParts);
      expect(all).not.toContain(SECRET);
      expect(all).not.toMatch(/\\n\s+at \w/);
      readCount += [...markdownOf(turn).matchAll(/what is inside/g)].length;
      refusedCount += [...markdownOf(turn).matchAll(/to be found at/g)].length;
      refusedCount += turn.responseParts.filter(({ kind }) => kind === 'systemNotification').length;
    }
    // The agent reads the allowed file, whole and in part. For every other file it gets the message that there is nothing for it.
    expect(readCount).toBe(2);
    expect(refusedCount).toBeGreaterThanOrEqual(attachments.length - 2);
    expect(await trees()).toEqual(before);
  });

  test('of the working directory, in completions behind an @', async () => {
    const { items: inside } = await person.request('completions', {
      channel: session.chat.mirror.uri,
      kind: 'userMessage',
      text: '@in',
      offset: 3,
    });
    expect(inside.map(({ insertText }) => insertText)).toContain('@in.txt');
    for (const { name, uri, path } of tricks) {
      for (const way of [
        uri(file),
        path?.(file),
        path?.({ ...file, work: '.' }),
        path?.({ ...file, work: '' }),
      ]) {
        if (way === undefined) continue;
        for (const text of [`@${way}`, `@${JSON.stringify(way)}`]) {
          const { items } = await person.request('completions', {
            channel: session.chat.mirror.uri,
            kind: 'userMessage',
            text,
            offset: text.length,
          });
          for (const { attachment } of items) {
            expect(attachment.type, name).toBe('resource');
            if (attachment.type !== 'resource') continue;
            const real = await realpath(fileURLToPath(attachment.uri));
            expect(real.startsWith(file.work), `${name}: ${attachment.uri}`).toBe(true);
          }
        }
      }
    }
  });

  test('of the working directory, to an agent that asks the host to read and write', async () => {
    const acp = await person.sessions.create({
      provider: 'scripted',
      workingDirectories: [pathToFileURL(file.work).href],
    });
    const ways = tricks.flatMap(({ path, ...trick }) => [
      { ...trick, path: trick.uri(file) },
      ...(path === undefined ? [] : [{ ...trick, path: path(file) }]),
    ]);
    const asked = ways.flatMap((way) => [
      { way, method: 'fs/read_text_file', params: { path: way.path } },
      { way, method: 'fs/write_text_file', params: { path: way.path, content: 'written by a trick' } },
    ]);
    const before = await trees();
    const answers: string[] = [];
    for (const prompt of promptsOf(asked)) {
      const turn = await acp.prompt({ text: prompt, origin: { kind: 'user' } }).result;
      expect(turn.state).toBe('complete');
      answers.push(...markdownOf(turn).trim().split('\n'));
    }
    expect(answers).toHaveLength(asked.length);
    const made = new Set<string>();
    for (const [index, { way, method }] of asked.entries()) {
      const answer = answers[index] ?? '';
      expectHarmless(answer, way.path);
      if (method === 'fs/write_text_file' && way.isPlainName === true && answer === '{}') made.add(way.path);
      else expect([-32602, -32002], `${way.name}: ${method} ${answer}`).toContain(JSON.parse(answer).code);
    }
    // Names that only look like tricks are names of ordinary files.
    expect(made.size).toBe(
      ways.filter(({ isPlainName, path }) => isPlainName && path.startsWith('/')).length,
    );
    const added = (await trees()).filter((line) => !before.includes(line));
    expect(added.every((line) => line.startsWith(`${file.work}/`))).toBe(true);
    expect(added.filter((line) => line.endsWith(': written by a trick'))).toHaveLength(made.size);
    expect((await trees()).filter((line) => before.includes(line))).toEqual(before);
    await person.sessions.dispose(acp.uri);
  });

  test('a link that changes between check and read never leads outside', async () => {
    const swapped = join(file.work, 'swapped');
    await mkdir(join(file.work, 'real'));
    await writeFile(join(file.work, 'real', 'secret.txt'), 'harmless');
    const uri = `${pathToFileURL(swapped).href}/secret.txt`;
    const read = () => client.request('resourceRead', { channel: ROOT, uri });
    const reading = new AbortController();
    const swapping = (async () => {
      for (let turn = 0; !reading.signal.aborted; turn += 1) {
        await symlink(turn % 2 === 0 ? join(file.work, 'real') : file.outside, `${swapped}.new`);
        await rename(`${swapped}.new`, swapped);
      }
    })();
    const answers = new Set<string>();
    for (let round = 0; round < 400; round += 1)
      answers.add(JSON.stringify(await read()).replace(/"id":\d+/, ''));
    reading.abort();
    await swapping;
    expect([...answers].join('\n')).not.toContain(SECRET);
    expect([...answers].join('\n')).toContain('harmless');
  });

  test('a link that changes between check and write never leads outside', async () => {
    const swapped = join(file.work, 'swapped-for-writes');
    const inside = join(file.work, 'real-for-writes');
    await mkdir(inside);
    const uri = `${pathToFileURL(swapped).href}/written.txt`;
    const other = `${pathToFileURL(swapped).href}/other.txt`;
    const requests = [
      ['resourceWrite', { uri, data: 'written', encoding: 'utf-8' }],
      ['resourceCopy', { source: uri, destination: other }],
      ['resourceMove', { source: other, destination: uri }],
      ['resourceDelete', { uri }],
      ['resourceMkdir', { uri: `${uri}.folder` }],
      ['resourceDelete', { uri: `${pathToFileURL(swapped).href}/secret.txt` }],
    ] as const;
    const before = await treeOf(file.outside);
    const writing = new AbortController();
    const swapping = (async () => {
      for (let turn = 0; !writing.signal.aborted; turn += 1) {
        await symlink(turn % 2 === 0 ? inside : file.outside, `${swapped}.new`);
        await rename(`${swapped}.new`, swapped);
      }
    })();
    let doneCount = 0;
    for (let round = 0; round < 100; round += 1)
      for (const [method, params] of requests) {
        const { error } = await client.request(method, { channel: ROOT, ...params });
        if (error === undefined) doneCount += 1;
        else expect([-32008, -32009, -32010, -32011], error.message).toContain(error.code);
      }
    writing.abort();
    await swapping;
    expect(doneCount).toBeGreaterThan(10);
    expect(await treeOf(file.outside)).toEqual(before);
  });
});
