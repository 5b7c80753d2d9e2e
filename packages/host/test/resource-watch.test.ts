import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ActionEnvelope, CreateResourceWatchParams } from '@agenthost/protocol';
import { SimulatedTrees } from '@agenthost/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { WatchFailure } from '../src/workspace/watching/tree-source.ts';
import { type FixtureOptions, ROOT, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const GRACE_MS = 30_000;

async function started(options: FixtureOptions = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-watched-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const work = join(base, 'work');
  mkdirSync(join(work, 'src'), { recursive: true });
  writeFileSync(join(work, 'file'), '');
  const uri = (...names: string[]): string => pathToFileURL(join(work, ...names)).href;
  const trees = new SimulatedTrees();
  const host = await startHost({ roots: [base], openTree: trees.open, ...options });
  const client = await host.client('one');
  await client.request('createSession', { channel: 'ahp-session:/one', workingDirectories: [uri()] });
  const create = async (by = client, params: Partial<CreateResourceWatchParams> = {}): Promise<string> => {
    const answer = await by.request('createResourceWatch', {
      channel: ROOT,
      uri: uri(),
      recursive: true,
      ...params,
    });
    return answer.channel;
  };
  const watch = async (by = client, params: Partial<CreateResourceWatchParams> = {}): Promise<string> => {
    const channel = await create(by, params);
    await by.subscribe(channel);
    return channel;
  };
  return { base, work, uri, trees, host, client, create, watch };
}

/** The watch actions that a client has received. */
const changesOf = (client: RawClient, channel: string) =>
  client
    .envelopes()
    .filter((envelope: ActionEnvelope) => envelope.channel === channel)
    .map(({ action }) => action);

test('[WATCH-1] a watch is a channel with its settings, and changes come in batches', async () => {
  const { work, uri, trees, host, client, create } = await started();
  const channel = await create(client, { excludes: { items: ['out'] } });
  expect(channel).toMatch(/^ahp-resource-watch:\/./);
  const { state } = await client.subscribe(channel);
  expect(state).toStrictEqual({ root: uri(), recursive: true, excludes: { items: ['out'] } });
  trees.change(join(work, 'a b'), 'added', 'updated');
  trees.change(join(work, 'saved'), 'deleted', 'added');
  trees.change(join(work, 'gone'), 'deleted');
  trees.change(join(work, 'out/x'), 'added');
  await host.advance(90);
  expect(changesOf(client, channel)).toEqual([]);
  await host.advance(110);
  expect(changesOf(client, channel)).toEqual([
    {
      type: 'resourceWatch/changed',
      changes: {
        items: [
          { uri: uri('a b'), type: 'added' },
          { uri: uri('saved'), type: 'updated' },
          { uri: uri('gone'), type: 'deleted' },
        ],
      },
    },
  ]);
});

test('[WATCH-1] without `recursive` only the direct entries are reported, and a file alone', async () => {
  const { work, uri, trees, host, client, watch } = await started();
  const flat = await watch(client, { recursive: false });
  const file = await watch(client, { uri: uri('file') });
  trees.change(join(work, 'src/a'), 'added');
  trees.change(join(work, 'file'), 'updated');
  trees.change(join(work, 'b'), 'added');
  await host.advance(200);
  const urisOf = (channel: string) =>
    changesOf(client, channel).flatMap((action) =>
      action.type === 'resourceWatch/changed' ? action.changes.items.map((item) => item.uri) : [],
    );
  expect([urisOf(flat), urisOf(file)]).toEqual([[uri('file'), uri('b')], [uri('file')]]);
});

test('[WATCH-1] one watcher serves two clients, and is released when the last subscriber leaves', async () => {
  const { trees, host, client, watch } = await started();
  const other = await host.client('two');
  const channel = await watch();
  await other.subscribe(channel);
  const second = await watch(other);
  expect(trees.running).toHaveLength(1);
  client.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel } });
  other.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel: second } });
  await host.run();
  await expect(other.subscribe(second)).rejects.toMatchObject({ code: -32008 });
  expect(trees.running).toHaveLength(1);
  other.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel } });
  await host.run();
  expect(trees.running).toEqual([]);
  await expect(client.subscribe(channel)).rejects.toMatchObject({ code: -32008 });
});

test('[WATCH-1] a watch that nobody subscribes to is released after the grace period', async () => {
  const { trees, host, create } = await started();
  await create();
  await host.advance(GRACE_MS - 1);
  expect(trees.running).toHaveLength(1);
  await host.advance(2);
  expect(trees.running).toEqual([]);
});

test('[WATCH-1] a watch is kept over a reconnect within the grace period, and what was missed is replayed', async () => {
  const { work, uri, trees, host, client, watch } = await started();
  const channel = await watch();
  const lastSeen = client.envelopes().at(-1)?.serverSeq ?? 0;
  const { fromSeq } = await client.subscribe(channel);
  client.link.cut();
  await host.advance(GRACE_MS - 1_000);
  trees.change(join(work, 'a'), 'added');
  await host.advance(500);
  const back = host.connect('one');
  const answer = await back.reconnect(Math.max(lastSeen, fromSeq), [channel]);
  expect(answer).toMatchObject({
    type: 'replay',
    missing: [],
    actions: [{ channel, action: { changes: { items: [{ uri: uri('a'), type: 'added' }] } } }],
  });
  await host.advance(2 * GRACE_MS);
  expect(trees.running).toHaveLength(1);
  back.link.cut();
  await host.advance(GRACE_MS + 2);
  expect(trees.running).toEqual([]);
});

test('[WATCH-1] a client that leaves does not end the watch of one that is away', async () => {
  const { trees, host, client, watch } = await started();
  const other = await host.client('two');
  const channel = await watch();
  await other.subscribe(channel);
  other.link.cut();
  client.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel } });
  await host.advance(GRACE_MS - 1_000);
  expect(trees.running).toHaveLength(1);
  await host.advance(2_000);
  expect(trees.running).toEqual([]);
});

test('[WATCH-1] a client that returns without the watch has left it', async () => {
  const { trees, host, client, watch } = await started();
  const channel = await watch();
  const { fromSeq } = await client.subscribe(channel);
  client.link.cut();
  const back = host.connect('one');
  await back.reconnect(fromSeq, []);
  await host.run();
  expect(trees.running).toEqual([]);
});

test('[WATCH-1] a watch that an observer still looks at is released when the observer is gone', async () => {
  const { trees, host, client, watch } = await started();
  const observer = await host.client('looks', {}, { tokenHash: 'observer', scope: 'observe' });
  const channel = await watch();
  await observer.subscribe(channel);
  client.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel } });
  await host.advance(60_000);
  expect(trees.running).toHaveLength(1);
  observer.link.cut();
  await host.advance(16_000);
  expect(trees.running).toEqual([]);
});

test('[WATCH-1] after a restart the watch is missing, and leaves nothing behind', async () => {
  const { host, client, watch } = await started();
  const channel = await watch();
  const { fromSeq } = await client.subscribe(channel);
  await host.restart();
  const back = host.connect('one');
  expect(await back.reconnect(fromSeq, [channel])).toMatchObject({ type: 'replay', missing: [channel] });
  expect(await host.journal.readChannel(channel)).toBeUndefined();
  expect(await host.journal.listOpen()).toEqual([]);
});

test('[WATCH-1] [RES-2] a watch is allowed where the client may read', async () => {
  const { base, work, uri, host, client, create } = await started();
  mkdirSync(join(base, 'outside'));
  symlinkSync(join(base, 'outside'), join(work, 'link'));
  const outside = pathToFileURL(join(base, 'outside')).href;
  for (const denied of [outside, uri('link'), uri('..')])
    await expect(create(client, { uri: denied })).rejects.toMatchObject({
      code: -32009,
      data: { request: { channel: ROOT, uri: denied, read: true } },
    });
  await expect(create(client, { uri: uri('missing') })).rejects.toMatchObject({ code: -32008 });
  await expect(create(client, { uri: 'https://example.org' })).rejects.toMatchObject({ code: -32602 });
  const observer = await host.client('looks', {}, { tokenHash: 'observer', scope: 'observe' });
  await expect(create(observer)).rejects.toMatchObject({ code: -32009 });
});

test('[WATCH-1] [RES-2] private files of the host are neither watched nor reported', async () => {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-private-')));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  mkdirSync(join(parent, 'data'));
  const { host, trees, client, create } = await started({
    roots: [parent],
    privatePaths: [join(parent, 'data')],
  });
  const uri = pathToFileURL(parent).href;
  await client.request('createSession', { channel: 'ahp-session:/two', workingDirectories: [uri] });
  await expect(create(client, { uri: pathToFileURL(join(parent, 'data')).href })).rejects.toMatchObject({
    code: -32009,
    data: { 'x-refusal': { reason: 'private' } },
  });
  await create(client, { uri });
  expect(
    trees.running.map(({ isIgnored }) => [isIgnored(join(parent, 'data/x')), isIgnored(join(parent, 'x'))]),
  ).toEqual([[true, false]]);
  await host.run();
});

test('[WATCH-1] [RES-2] a watch ends with a reason when its path leads elsewhere or its session is gone', async () => {
  const { base, work, uri, trees, host, client, watch } = await started();
  const moved = await watch(client, { uri: uri('src') });
  renameSync(join(work, 'src'), join(work, 'src2'));
  mkdirSync(join(base, 'secret'));
  symlinkSync(join(base, 'secret'), join(work, 'src'));
  trees.change(join(work, 'src/x'), 'added');
  await host.advance(300);
  expect(changesOf(client, moved)).toEqual([
    {
      type: 'resourceWatch/changed',
      changes: { items: [{ uri: uri('src'), type: 'updated' }] },
      'x-ended': `${JSON.stringify(uri('src'))} is not at this path any more`,
    },
  ]);
  expect(trees.running).toEqual([]);
  const left = await watch();
  await client.request('disposeSession', { channel: 'ahp-session:/one' });
  trees.change(join(work, 'x'), 'added');
  await host.advance(300);
  expect(changesOf(client, left)).toMatchObject([{ 'x-ended': expect.stringContaining('any more') }]);
  await expect(client.subscribe(left)).rejects.toMatchObject({ code: -32008 });
});

test('[WATCH-1] [RES-2] changes behind a folder that became a link are not reported', async () => {
  const { base, work, uri, trees, host, client, watch } = await started();
  const channel = await watch();
  mkdirSync(join(base, 'secret/inner'), { recursive: true });
  symlinkSync(join(base, 'secret'), join(work, 'link'));
  trees.change(join(work, 'link'), 'added');
  trees.change(join(work, 'link/inner/x'), 'added');
  trees.change(join(work, 'gone/deep/x'), 'deleted');
  await host.advance(300);
  expect(changesOf(client, channel)).toMatchObject([
    {
      changes: {
        items: [
          { uri: uri('link'), type: 'added' },
          { uri: uri('gone/deep/x'), type: 'deleted' },
        ],
      },
    },
  ]);
});

test('[WATCH-1] a limit is answered in words, with the URI of the client, and ends a running watch', async () => {
  const { work, uri, trees, host, client, create, watch } = await started();
  trees.failure = new WatchFailure('tooLarge', `${work} has more than 10 folders`, { max: 10 });
  await expect(create()).rejects.toMatchObject({
    code: -32011,
    message: `${JSON.stringify(uri())} has more than 10 folders`,
    data: { 'x-refusal': { kind: 'limit', of: 'watchedFiles', max: 10 } },
  });
  trees.failure = new WatchFailure('systemLimit', `raise fs.inotify.max_user_watches for ${work}`);
  await expect(create()).rejects.toMatchObject({
    code: -32011,
    message: expect.stringContaining('fs.inotify.max_user_watches'),
  });
  const { failure } = trees;
  trees.failure = undefined;
  const channel = await watch();
  trees.running[0]?.onFailure(failure);
  await host.run();
  expect(changesOf(client, channel)).toMatchObject([
    { 'x-ended': `raise fs.inotify.max_user_watches for ${JSON.stringify(uri())}` },
  ]);
  expect(host.logged).toContain('a watch of files has ended');
});

test.each([
  ['../x', 'expected a pattern relative to the root of the watch'],
  ['/etc/**', 'expected a pattern relative to the root of the watch'],
  ['', 'expected a pattern that matches a name'],
  ['x'.repeat(1_025), 'at most 1024 characters, got 1025'],
  ['{a,b}'.repeat(10), 'its braces stand for more than 64 patterns'],
])('[WATCH-1] the pattern %s is refused', async (pattern, problem) => {
  const { client, create } = await started();
  for (const name of ['includes', 'excludes'] as const)
    await expect(create(client, { [name]: { items: ['ok', pattern] } })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(`^params\\.${name}\\.items: .*${problem}`),
    });
});

test('[WATCH-1] a token has at most 256 watches', async () => {
  const { client, create, host, trees } = await started();
  for (let index = 0; index < 256; index += 1) await create();
  await expect(create()).rejects.toMatchObject({
    code: -32011,
    data: { 'x-refusal': { kind: 'limit', of: 'watches', max: 256 } },
  });
  expect(trees.running).toHaveLength(1);
  await host.advance(GRACE_MS + 1);
  await create(client);
});

test('[WATCH-1] changes while the journal cannot be written are reported as missed when it can', async () => {
  const { work, uri, trees, host, client, watch } = await started();
  const channel = await watch();
  host.journal.failNextCommits(3);
  client.dispatch('ahp-session:/one', { type: 'session/titleChanged', title: 'x' });
  await host.advance(100);
  trees.change(join(work, 'a'), 'added');
  await host.advance(500);
  expect(changesOf(client, channel)).toEqual([]);
  await host.advance(10_000);
  expect(changesOf(client, channel)).toEqual([
    {
      type: 'resourceWatch/changed',
      changes: { items: [{ uri: uri(), type: 'updated' }] },
      'x-missed': true,
    },
  ]);
});
