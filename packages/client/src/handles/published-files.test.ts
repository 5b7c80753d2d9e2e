import { setImmediate as nextTurn } from 'node:timers/promises';
import { conflict, type HostRequestMethod } from '@agenthost/protocol';
import { beforeEach, expect, test } from 'vitest';
import { Harness } from '../../test/harness.ts';

let it: Harness;

beforeEach(async () => {
  it = await new Harness().online();
});

/** Sends a request of the host to the client. */
async function ask(method: HostRequestMethod, params: object): Promise<unknown> {
  const answer = it.host.connectionOf('c1').peer.request(method, { channel: 'ahp-root://', ...params });
  const settled = new AbortController();
  const settle = (): void => settled.abort();
  answer.then(settle, settle);
  // The code that answers is loaded with the first request.
  while (!settled.signal.aborted) {
    await it.settle();
    await nextTurn();
  }
  return answer;
}

test('[RES-4] a client publishes files by the beginning of their URIs, and the longest one counts', async () => {
  const read = { channel: 'ahp-root://', uri: 'virtual://app/a.md' };
  await expect(ask('resourceRead', read)).rejects.toMatchObject({ code: -32601 });
  const stop = it.client.publishFiles('virtual://app/', {
    read: (uri) => (uri.endsWith('a.md') ? 'täxt' : undefined),
  });
  it.client.publishFiles('virtual://app/bytes/', { read: async () => new Uint8Array([0, 255]) });
  expect(await ask('resourceRead', { uri: 'virtual://app/a.md' })).toEqual({
    data: 'täxt',
    encoding: 'utf-8',
  });
  expect(await ask('resourceRead', { uri: 'virtual://app/a.md', encoding: 'base64' })).toEqual({
    data: Buffer.from('täxt').toString('base64'),
    encoding: 'base64',
  });
  expect(await ask('resourceResolve', { uri: 'virtual://app/a.md' })).toEqual({
    uri: 'virtual://app/a.md',
    type: 'file',
    size: 5,
  });
  expect(await ask('resourceRead', { uri: 'virtual://app/bytes/a.md' })).toEqual({
    data: 'AP8=',
    encoding: 'base64',
  });
  await expect(ask('resourceRead', { uri: 'virtual://app/none' })).rejects.toMatchObject({ code: -32008 });
  await expect(ask('resourceRead', { uri: 'virtual://other/a.md' })).rejects.toMatchObject({ code: -32009 });
  await expect(ask('resourceRead', { uri: 'file:///etc/passwd' })).rejects.toMatchObject({ code: -32009 });
  stop();
  await expect(ask('resourceRead', { uri: 'virtual://app/a.md' })).rejects.toMatchObject({ code: -32009 });
});

test('[RES-4] what a provider does not offer is refused, and its own errors reach the host', async () => {
  it.client.publishFiles('virtual://app/', {
    read: () => {
      throw conflict('not now');
    },
  });
  const uri = 'virtual://app/a';
  await expect(ask('resourceRead', { uri })).rejects.toMatchObject({ code: -32011, message: 'not now' });
  for (const [method, params] of [
    ['resourceList', { uri }],
    ['resourceWrite', { uri, data: '', encoding: 'utf-8' }],
    ['resourceDelete', { uri }],
    ['resourceMkdir', { uri }],
    ['resourceMove', { source: uri, destination: `${uri}2` }],
    ['resourceCopy', { source: uri, destination: `${uri}2` }],
    ['resourceRequest', { uri, write: true }],
  ] as const)
    await expect(ask(method, params), method).rejects.toMatchObject({ code: -32009 });
  expect(await ask('resourceRequest', { uri, read: true })).toEqual({});
  await expect(ask('createResourceWatch', { uri })).rejects.toMatchObject({ code: -32601 });
});

test('[RES-4] a provider that changes files gets every method', async () => {
  const called: unknown[] = [];
  const note =
    (name: string) =>
    (...args: unknown[]): void =>
      void called.push([name, ...args]);
  it.client.publishFiles('virtual://app/', {
    read: () => 'x',
    resolve: () => ({ type: 'directory' }),
    list: () => [{ name: 'a', type: 'file' }],
    write: note('write'),
    copy: note('copy'),
    move: note('move'),
    remove: note('remove'),
    makeFolder: note('makeFolder'),
  });
  const uri = 'virtual://app/a';
  const to = 'virtual://app/b';
  expect(await ask('resourceResolve', { uri })).toEqual({ uri, type: 'directory' });
  expect(await ask('resourceList', { uri })).toEqual({ entries: [{ name: 'a', type: 'file' }] });
  await ask('resourceWrite', { uri, data: 'd', encoding: 'utf-8' });
  await ask('resourceCopy', { source: uri, destination: to });
  await ask('resourceMove', { source: uri, destination: to, failIfExists: true });
  await ask('resourceDelete', { uri, recursive: true });
  await ask('resourceMkdir', { uri });
  expect(called).toEqual([
    ['write', { uri, data: 'd', encoding: 'utf-8' }],
    ['copy', uri, to, { failIfExists: false }],
    ['move', uri, to, { failIfExists: true }],
    ['remove', uri, { recursive: true }],
    ['makeFolder', uri],
  ]);
});

test('a prefix is the beginning of a URI, once, and never of files of the machine', () => {
  const provider = { read: () => undefined };
  it.client.publishFiles('virtual://app/', provider);
  for (const prefix of ['virtual://app/', 'app/', '', 'file:///home/me/'])
    expect(() => it.client.publishFiles(prefix, provider), prefix).toThrow(TypeError);
});
