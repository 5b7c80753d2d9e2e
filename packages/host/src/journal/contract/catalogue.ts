import { beforeEach, describe, expect, test } from 'vitest';
import type { JournalWrite } from '../journal.ts';
import { channel, chat, type JournalUnderTest, session } from './rows.ts';

/** The catalogue of sessions, and rows that stand alone. */
export function catalogueContract(here: JournalUnderTest): void {
  describe('the catalogue', () => {
    const row = (uri: string, modifiedAt: string) =>
      ({ op: 'session', uri, modifiedAt, summary: `{"of":"${uri}"}` }) satisfies JournalWrite;
    const uris = (rows: readonly { uri: string }[]): string[] => rows.map(({ uri }) => uri);
    const [day1, day2, day3] = [
      '2026-01-01T00:00:00.000Z',
      '2026-01-02T00:00:00.000Z',
      '2026-01-03T00:00:00.000Z',
    ];

    beforeEach(async () => {
      await here.journal.commit([
        row('d', day1),
        row('b', day2),
        row('c', day2),
        row('a', day3),
        row('e', day2),
      ]);
    });

    test('[ROOT-2] sessions are listed newest first, ties by URI', async () => {
      expect(uris(await here.journal.listSessions({}))).toEqual(['a', 'b', 'c', 'e', 'd']);
    });

    test('[ROOT-2] pages continue after a row, whether or not it is still there', async () => {
      expect(uris(await here.journal.listSessions({ limit: 2 }))).toEqual(['a', 'b']);
      const after = { modifiedAt: day2, uri: 'b' };
      expect(uris(await here.journal.listSessions({ limit: 2, after }))).toEqual(['c', 'e']);
      expect(uris(await here.journal.listSessions({ limit: 3, after }))).toEqual(['c', 'e', 'd']);
      await here.journal.commit([{ op: 'dropSession', uri: 'b' }]);
      expect(uris(await here.journal.listSessions({ after }))).toEqual(['c', 'e', 'd']);
    });

    test('[ROOT-2] rows come shortened, and no more of them than their lengths allow', async () => {
      const lengths: number[] = [];
      const shorten = (summary: string): string => {
        lengths.push(summary.length);
        return summary.slice(2, 8);
      };
      const listed = await here.journal.listSessions({ shorten, maxLength: 12 });
      expect(listed).toEqual([
        { uri: 'a', modifiedAt: day3, summary: 'of":"a' },
        { uri: 'b', modifiedAt: day2, summary: 'of":"b' },
      ]);
      expect(lengths).toEqual([10, 10]);
      // Short ones, but of long rows.
      expect(uris(await here.journal.listSessions({ shorten: () => '', maxLength: 10 }))).toEqual(['a', 'b']);
      const after = { modifiedAt: day2, uri: 'b' };
      expect(uris(await here.journal.listSessions({ after, maxLength: 1 }))).toEqual(['c']);
      expect(uris(await here.journal.listSessions({ after, limit: 3, maxLength: 1_000 }))).toEqual([
        'c',
        'e',
        'd',
      ]);
    });

    test('a session written again moves to its new place', async () => {
      await here.journal.commit([row('d', '2026-02-01T00:00:00.000Z')]);
      expect(uris(await here.journal.listSessions({}))).toEqual(['d', 'a', 'b', 'c', 'e']);
      expect((await here.journal.listSessions({ limit: 1 }))[0]).toEqual({
        uri: 'd',
        modifiedAt: '2026-02-01T00:00:00.000Z',
        summary: '{"of":"d"}',
      });
    });

    test('dropping a session takes its row and contents, and leaves its channels', async () => {
      const content = { op: 'content', contentType: 'text/plain', data: Buffer.from('x') } as const;
      await here.journal.commit([
        { ...content, session: 'a', id: 'of a' },
        { ...content, session: 'b', id: 'of b' },
        channel('a', 0),
        channel(chat, 0, { session: 'a' }),
        { op: 'dropSession', uri: 'a' },
      ]);
      expect(uris(await here.journal.listSessions({}))).toEqual(['b', 'c', 'e', 'd']);
      expect(await here.journal.readContent('of a')).toBeUndefined();
      expect(await here.journal.readContent('of b')).toBeDefined();
      expect(await here.journal.readChannel('a')).toBeDefined();
      expect(await here.journal.listChannels('a')).toHaveLength(1);
    });
  });

  describe('other rows', () => {
    test('[ACT-5] [CONN-7] a client is remembered with all that it had, until dropped', async () => {
      const client = {
        id: 'c1',
        tokenHash: 'h',
        version: '1.0.0',
        epoch: 'e',
        lastClientSeq: 9,
        locale: 'de-AT',
        pastEpochs: '[["d",4]]',
        subscriptions: '{"a":1}',
        seenAt: 1_800_000_000_000,
      };
      const { epoch: _epoch, ...foreign } = { ...client, id: 'c2' };
      await here.journal.commit([
        { op: 'client', ...client },
        { op: 'client', ...foreign },
      ]);
      expect(await here.journal.readClient('c1')).toEqual(client);
      expect(await here.journal.readClient('c2')).toEqual(foreign);
      await here.journal.commit([
        { op: 'client', ...client, lastClientSeq: 10 },
        { op: 'dropClient', id: 'c2' },
      ]);
      await here.reopen();
      expect(await here.journal.readClient('c1')).toEqual({ ...client, lastClientSeq: 10 });
      expect(await here.journal.readClient('c2')).toBeUndefined();
    });

    test('clients are listed page by page, those seen longest ago first', async () => {
      const seen = (id: string, seenAt: number) =>
        ({
          op: 'client',
          id,
          tokenHash: 'h',
          version: '1.0.0',
          lastClientSeq: -1,
          subscriptions: '["ä"]',
          seenAt,
        }) as const;
      const ids = async (limit: number, after?: { seenAt: number; id: string }): Promise<string[]> =>
        (await here.journal.listClients({ limit, ...(after && { after }) })).map(({ id }) => id);
      await here.journal.commit([seen('b', 20), seen('a', 10), seen('d', 40), seen('c', 30)]);
      expect(await ids(10)).toEqual(['a', 'b', 'c', 'd']);
      expect(await ids(2)).toEqual(['a', 'b']);
      expect(await ids(2, { seenAt: 20, id: 'b' })).toEqual(['c', 'd']);
      await here.journal.commit([seen('a', 40), { op: 'dropClient', id: 'b' }]);
      expect(await ids(10)).toEqual(['c', 'a', 'd']);
      expect(await ids(10, { seenAt: 40, id: 'a' })).toEqual(['d']);
      await here.journal.commit([
        { ...seen('c', 30), lastClientSeq: 0 },
        { ...seen('d', 40), pastEpochs: '[["e",1]]' },
      ]);
      const listed = { tokenHash: 'h', bytes: 6, hasActed: true };
      expect(await here.journal.listClients({ limit: 3 })).toEqual([
        { ...listed, id: 'c', seenAt: 30 },
        { ...listed, id: 'a', seenAt: 40, hasActed: false },
        { ...listed, id: 'd', seenAt: 40 },
      ]);
    });

    test('[AUTH-1] a token is kept with all that it has, in the order of creation, until dropped', async () => {
      const token = {
        id: 'b',
        hash: 'h1',
        name: 'phone',
        scope: 'observe',
        createdAt: 10,
        lastUsedAt: 20,
        expiresAt: 1_900_000_000_000,
      };
      const bare = { id: 'a', hash: 'h2', scope: 'admin', createdAt: 5 };
      await here.journal.commit([
        { op: 'token', ...token },
        { op: 'token', ...bare },
      ]);
      expect(await here.journal.listTokens()).toEqual([token, bare]);
      await here.journal.commit([{ op: 'token', ...token, lastUsedAt: 30 }]);
      await here.reopen();
      expect(await here.journal.listTokens()).toEqual([{ ...token, lastUsedAt: 30 }, bare]);
      await here.journal.commit([
        { op: 'dropToken', id: 'b' },
        { op: 'dropToken', id: 'never there' },
      ]);
      expect(await here.journal.listTokens()).toEqual([bare]);
    });

    test('[AUTH-1] a dropped token lets go of its clients and of no others', async () => {
      const client = (id: string, tokenHash: string) =>
        ({
          op: 'client',
          id,
          tokenHash,
          version: '1.0.0',
          lastClientSeq: 0,
          subscriptions: '[]',
          seenAt: 1,
        }) as const;
      await here.journal.commit([
        { op: 'token', id: 't', hash: 'h', scope: 'observe', createdAt: 1 },
        client('its', 'h'),
        client('other', 'owner'),
        { op: 'dropToken', id: 't' },
      ]);
      expect(await here.journal.readClient('its')).toMatchObject({ tokenHash: '' });
      expect(await here.journal.readClient('other')).toMatchObject({ tokenHash: 'owner' });
    });

    test('content comes back byte for byte', async () => {
      const data = Uint8Array.from({ length: 256 }, (_, index) => index);
      await here.journal.commit([{ op: 'content', session, id: 'x', contentType: 'image/png', data }]);
      const found = await here.journal.readContent('x');
      expect(found).toMatchObject({ id: 'x', contentType: 'image/png' });
      expect(Buffer.from(found?.data ?? []).equals(Buffer.from(data))).toBe(true);
      expect(await here.journal.readContent('y')).toBeUndefined();
    });

    test('processes are listed until dropped, the latest of each pid', async () => {
      const child = { pid: 10, startTime: '5', command: 'agent' };
      await here.journal.commit([
        { op: 'process', ...child, startTime: '4' },
        { op: 'process', ...child },
        { op: 'process', ...child, pid: 9 },
        { op: 'dropProcess', pid: 9 },
        { op: 'dropProcess', pid: 8 },
      ]);
      expect(await here.journal.listProcesses()).toEqual([child]);
    });

    test('meta values are kept by key', async () => {
      await here.journal.commit([
        { op: 'meta', key: 'k', value: '1' },
        { op: 'meta', key: 'l', value: '2' },
      ]);
      await here.journal.commit([{ op: 'meta', key: 'k', value: '3' }]);
      expect([
        await here.journal.readMeta('k'),
        await here.journal.readMeta('l'),
        await here.journal.readMeta('m'),
      ]).toEqual(['3', '2', undefined]);
    });
  });
}
