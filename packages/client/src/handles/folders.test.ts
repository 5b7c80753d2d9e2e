import type { ClientToHostRequests } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { type FoldersPort, inFolder, listFolder, makeFolder } from './folders.ts';

type Listed = ClientToHostRequests['resourceList']['result'];

function port(result: Listed): FoldersPort & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    request: async (method: string, params: object) => {
      asked.push([method, params]);
      return Object(result);
    },
  };
}

test('a listed folder has the URIs of its entries and of its parent', async () => {
  const client = port({
    entries: [
      { name: 'a b', type: 'directory', 'x-isLink': true },
      { name: '100%#?', type: 'file' },
    ],
    'x-uri': 'file:///home/me',
    'x-more': true,
  });
  expect(await listFolder(client, '')).toStrictEqual({
    uri: 'file:///home/me',
    parent: 'file:///home',
    entries: [
      { name: 'a b', uri: 'file:///home/me/a%20b', isFolder: true, isLink: true },
      { name: '100%#?', uri: 'file:///home/me/100%25%23%3F', isFolder: false, isLink: false },
    ],
    hasMore: true,
  });
  expect(client.asked).toEqual([['resourceList', { channel: 'ahp-root://', uri: '' }]]);
});

test.each([
  ['file:///home/', 'file:///home', 'file:///'],
  ['file:///', 'file:///', undefined],
  ['file:///a/b/c', 'file:///a/b/c', 'file:///a/b'],
])('%s of a host that does not name the folder is %s in %s', async (asked, uri, parent) => {
  const folder = await listFolder(port({ entries: [{ name: 'x', type: 'file' }] }), asked);
  expect([folder.uri, folder.parent, folder.hasMore]).toEqual([uri, parent, false]);
  expect(folder.entries[0]?.uri).toBe(`${uri === 'file:///' ? '' : uri}${uri === 'file:///' ? uri : '/'}x`);
});

test('a folder is made by its URI', async () => {
  const client = port({ entries: [] });
  await makeFolder(client, inFolder('file:///home', 'new folder'));
  expect(client.asked).toEqual([
    ['resourceMkdir', { channel: 'ahp-root://', uri: 'file:///home/new%20folder' }],
  ]);
});
