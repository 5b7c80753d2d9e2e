import { ErrorCodes, type ResourceChange } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { expect, test } from 'vitest';
import { failureOf, Harness } from '../../test/harness.ts';
import type { FileWatch, WatchedChanges, WatchOptions } from './file-watch.ts';

const FOLDER = 'file:///w';
const added = (name: string): ResourceChange => ({ uri: `${FOLDER}/${name}`, type: 'added' });

async function started(options: WatchOptions = { recursive: true }) {
  const it = await new Harness().online();
  let count = 0;
  it.host.answers.set('createResourceWatch', () => {
    count += 1;
    const channel = `ahp-resource-watch:/${count}`;
    it.host.states.set(channel, { root: FOLDER, recursive: true });
    return { channel };
  });
  const seen: WatchedChanges[] = [];
  // The code is loaded when it is needed first; the harness waits for frames only.
  await import('./file-watch.ts');
  const starting = it.client.watch(FOLDER, options, (changes) => seen.push(changes));
  const watch = await it.run(starting);
  const report = async (channel: number, extra: object = {}, ...items: ResourceChange[]): Promise<void> => {
    it.host.emit(`ahp-resource-watch:/${channel}`, {
      type: 'resourceWatch/changed',
      changes: { items },
      ...extra,
    });
    await it.settle();
  };
  const endOf = async (one: FileWatch): Promise<unknown> =>
    Promise.race([one.ended, Promise.resolve('runs')]);
  return { it, seen, watch, report, endOf, watchCount: () => count };
}

test('[WATCH-1] watch sends its options, and reports batches until it is closed', async () => {
  const options = { recursive: true, includes: ['**/*.ts'], excludes: ['out'], gitignore: true };
  const { it, seen, watch, report, endOf } = await started(options);
  expect(it.host.requests.find(({ method }) => method === 'createResourceWatch')?.params).toStrictEqual({
    channel: 'ahp-root://',
    uri: FOLDER,
    recursive: true,
    includes: { items: ['**/*.ts'] },
    excludes: { items: ['out'] },
    'x-gitignore': true,
  });
  await report(1, {}, added('a'), added('b'));
  expect(seen).toEqual([{ changes: [added('a'), added('b')], isMissed: false }]);
  expect(await endOf(watch)).toBe('runs');
  watch.close();
  watch.close();
  await it.settle();
  expect(it.host.connectionOf('c1').subscriptions.size).toBe(0);
  expect(await watch.ended).toBeUndefined();
});

test('[WATCH-1] a replay after a reconnect goes on without a gap, and a snapshot tells that changes were missed', async () => {
  const { it, seen, report, watchCount } = await started();
  await it.cut();
  await report(1, {}, added('a'));
  await it.comeBack();
  expect(seen).toEqual([{ changes: [added('a')], isMissed: false }]);
  it.host.isSnapshotOnly = true;
  await it.cut();
  await report(1, {}, added('b'));
  await it.comeBack();
  expect(seen.slice(1)).toEqual([{ changes: [], isMissed: true }]);
  await report(1, {}, added('c'));
  expect(seen.slice(2)).toEqual([{ changes: [added('c')], isMissed: false }]);
  expect(watchCount()).toBe(1);
});

test('[WATCH-1] a watch that the host does not have any more is made again, and tells that changes were missed', async () => {
  const { it, seen, report, watchCount } = await started();
  await it.cut();
  it.host.states.delete('ahp-resource-watch:/1');
  await it.comeBack();
  expect(watchCount()).toBe(2);
  expect(seen).toEqual([{ changes: [], isMissed: true }]);
  await report(2, {}, added('a'));
  expect(seen.slice(1)).toEqual([{ changes: [added('a')], isMissed: false }]);
});

test('a connection that is lost while a watch is made again does not end it', async () => {
  const { it, seen, watch, endOf, watchCount } = await started();
  await it.cut();
  it.host.states.delete('ahp-resource-watch:/1');
  it.host.hold = (method) => method === 'createResourceWatch';
  await it.comeBack();
  expect(watchCount()).toBe(1);
  await it.cut();
  it.host.hold = () => false;
  await it.comeBack();
  expect([watchCount(), await endOf(watch)]).toEqual([2, 'runs']);
  expect(seen).toEqual([{ changes: [], isMissed: true }]);
});

test('the reason of the host ends a watch, and so does a refusal to make it again', async () => {
  const one = await started();
  await one.report(1, { 'x-ended': 'raise the limit' }, { uri: FOLDER, type: 'updated' });
  expect(await one.watch.ended).toMatchObject({ name: 'WatchEnded', message: 'raise the limit' });
  expect(one.seen).toEqual([]);
  const two = await started();
  await two.it.cut();
  two.it.host.states.delete('ahp-resource-watch:/1');
  const refused = new RpcError(ErrorCodes.PermissionDenied, 'no');
  two.it.host.refuse = (method) => (method === 'createResourceWatch' ? refused : undefined);
  await two.it.comeBack();
  expect(await two.watch.ended).toMatchObject({ code: ErrorCodes.PermissionDenied });
});

test('a host that had to drop changes says so', async () => {
  const { seen, report } = await started();
  await report(1, { 'x-missed': true }, { uri: FOLDER, type: 'updated' });
  expect(seen).toEqual([{ changes: [], isMissed: true }]);
});

test('a watch that is refused rejects, and an error of the listener is reported', async () => {
  const { it, report } = await started();
  it.host.refuse = () => new RpcError(ErrorCodes.NotFound, 'no');
  const failed = await it.run(failureOf(it.client.watch('file:///x', {}, () => undefined)));
  expect(failed).toMatchObject({ code: ErrorCodes.NotFound });
  it.host.refuse = () => undefined;
  const error = new Error('mine');
  await it.run(
    it.client.watch(FOLDER, {}, () => {
      throw error;
    }),
  );
  await report(2, {}, added('a'));
  expect(it.errors).toEqual([error]);
});

test('a closed client ends its watches', async () => {
  const { it, watch } = await started();
  it.client.close();
  await it.settle();
  expect(await watch.ended).toMatchObject({ name: 'ClientClosed' });
});
