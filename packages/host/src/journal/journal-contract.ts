import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Journal, JournalWrite } from './journal.ts';

/** Where the journals of one test keep what they hold. */
export interface JournalStorage {
  /** A new journal, not open yet, on this storage. */
  create(): Journal;
  dispose(): void;
}

const session = 'ahp-session:/s1';
const chat = 'ahp-chat:/c1';

function envelope(seq: number, channel = chat, extra: { time?: number; json?: string } = {}) {
  return {
    op: 'envelope',
    seq,
    channel,
    time: 1_000 + seq,
    json: `{"n":${seq}}`,
    ...extra,
  } satisfies JournalWrite;
}

function channel(uri: string, seq: number, extra: { session?: string; state?: string; local?: string } = {}) {
  return { op: 'channel', uri, kind: 'chat', seq, state: '{}', local: '{}', ...extra } satisfies JournalWrite;
}

function turn(ordinal: number, json = `{"turn":${ordinal}}`) {
  return { op: 'turn', chat, ordinal, id: `t${ordinal}`, json } satisfies JournalWrite;
}

function seqs(envelopes: readonly { seq: number }[] | undefined): number[] | undefined {
  return envelopes?.map((each) => each.seq);
}

/** The rules of the `Journal` port. Every implementation passes all of them. */
export function journalContract(name: string, createStorage: () => JournalStorage): void {
  describe(`${name} as a journal`, () => {
    let storage: JournalStorage;
    let journal: Journal;

    beforeEach(async () => {
      storage = createStorage();
      journal = storage.create();
      await journal.open();
    });

    afterEach(async () => {
      await journal.close();
      storage.dispose();
    });

    async function reopen() {
      await journal.close();
      journal = storage.create();
      return journal.open();
    }

    describe('opening', () => {
      test('a new journal starts at number 0 with nothing lost', async () => {
        await journal.close();
        journal = createStorage().create();
        expect(await journal.open()).toEqual({
          lastSeq: 0,
          lastTime: 0,
          reservedSeq: 0,
          mayHaveLostTail: false,
          lost: [],
        });
      });

      test('a second journal on the same storage is refused until the first is closed', async () => {
        const second = storage.create();
        await expect(second.open()).rejects.toMatchObject({ name: 'JournalError', code: 'locked' });
        await journal.close();
        await second.open();
        await second.close();
      });

      test('what is not open refuses to read and to write, and closing twice is fine', async () => {
        await journal.close();
        await journal.close();
        await expect(journal.readMeta('k')).rejects.toMatchObject({ name: 'JournalError', code: 'io' });
        await expect(journal.commit([])).rejects.toMatchObject({ name: 'JournalError', code: 'io' });
      });

      test('[CONN-4] reserved numbers and the last journaled one are known to the next start', async () => {
        await journal.reserveSeq(100);
        await journal.commit([envelope(7)]);
        expect(await reopen()).toMatchObject({
          lastSeq: 7,
          lastTime: 1_007,
          reservedSeq: 100,
          mayHaveLostTail: false,
        });
      });

      test('[CONN-4] a reservation never goes down, and stands at least at the last journaled number', async () => {
        await journal.reserveSeq(100);
        await journal.reserveSeq(50);
        expect(await reopen()).toMatchObject({ reservedSeq: 100 });
        await journal.commit([envelope(120)]);
        expect(await reopen()).toMatchObject({ lastSeq: 120, reservedSeq: 120 });
      });

      test('[CONN-4] [ACT-6] the last journaled number and its time are known when all envelopes are trimmed', async () => {
        await journal.commit([envelope(7), envelope(9)]);
        await journal.trim(9, 10);
        expect(await reopen()).toMatchObject({ lastSeq: 9, lastTime: 1_009 });
      });

      test('everything committed is there after close and reopen', async () => {
        await journal.commit([
          channel(chat, 1, { session, state: '{"a":1}', local: '{"b":2}' }),
          envelope(2),
          turn(0),
          { op: 'markOpen', uri: chat },
          { op: 'session', uri: session, modifiedAt: '2026-01-01T00:00:00.000Z', summary: '{}' },
          { op: 'meta', key: 'k', value: 'v' },
        ]);
        await reopen();
        expect(await journal.readChannel(chat)).toMatchObject({ seq: 1, session, envelopes: [{ seq: 2 }] });
        expect(await journal.readTurns(chat, {})).toEqual([{ ordinal: 0, id: 't0', json: '{"turn":0}' }]);
        expect(await journal.listOpen()).toEqual([chat]);
        expect(await journal.readSession(session)).toMatchObject({ uri: session });
        expect(await journal.readMeta('k')).toBe('v');
      });
    });

    describe('committing', () => {
      test('a batch whose last write fails leaves nothing behind', async () => {
        await journal.commit([envelope(5), channel(chat, 5)]);
        const failing: JournalWrite[] = [
          envelope(6),
          channel(chat, 6, { state: '{"new":true}' }),
          turn(0),
          { op: 'meta', key: 'k', value: 'v' },
          { op: 'markOpen', uri: chat },
          envelope(6),
        ];
        await expect(journal.commit(failing)).rejects.toMatchObject({ name: 'JournalError', code: 'io' });
        expect(await journal.readChannel(chat)).toMatchObject({ seq: 5, state: '{}', envelopes: [] });
        expect(await journal.readTurns(chat, {})).toEqual([]);
        expect(await journal.readMeta('k')).toBeUndefined();
        expect(await journal.listOpen()).toEqual([]);
        expect(await journal.windowStats()).toMatchObject({ bytes: 7 });
      });

      test('after a failed batch the next one is applied as if the failed one had never been', async () => {
        await journal.commit([channel(chat, 0), envelope(5)]);
        await expect(journal.commit([envelope(6), envelope(4)])).rejects.toThrow('4 is not above 6');
        await journal.commit([envelope(6)]);
        expect(seqs((await journal.readChannel(chat))?.envelopes)).toEqual([5, 6]);
        expect(await journal.windowStats()).toMatchObject({ bytes: 14 });
        expect(await journal.listStale(6, 10)).toEqual([chat]);
      });

      test('[CONN-4] a number that was given once is refused, also when its envelope is trimmed', async () => {
        await journal.commit([envelope(5)]);
        await expect(journal.commit([envelope(5)])).rejects.toMatchObject({ code: 'io' });
        await journal.trim(5, 10);
        await expect(journal.commit([envelope(5)])).rejects.toMatchObject({ code: 'io' });
        await reopen();
        await expect(journal.commit([envelope(5)])).rejects.toMatchObject({ code: 'io' });
      });

      test('writes of one batch are applied in their order', async () => {
        await journal.commit([
          { op: 'meta', key: 'k', value: 'first' },
          { op: 'meta', key: 'k', value: 'second' },
          turn(0),
          { op: 'dropTurns', chat, from: 0 },
          turn(0, '{"again":true}'),
          { op: 'markOpen', uri: chat },
          { op: 'markClosed', uri: chat },
        ]);
        expect(await journal.readMeta('k')).toBe('second');
        expect(await journal.readTurns(chat, {})).toEqual([{ ordinal: 0, id: 't0', json: '{"again":true}' }]);
        expect(await journal.listOpen()).toEqual([]);
      });

      test('a read called before a commit has resolved does not see it, and one called after it does', async () => {
        const committed = journal.commit([{ op: 'meta', key: 'k', value: 'v' }]);
        const before = journal.readMeta('k');
        const after = committed.then(async () => journal.readMeta('k'));
        expect([await before, await after]).toEqual([undefined, 'v']);
      });

      test('an empty batch is fine', async () => {
        await journal.commit([]);
        expect(await journal.windowStats()).toEqual({ bytes: 0, trimmedSeq: 0, oldestTime: undefined });
      });

      test('text of every kind comes back as it was', async () => {
        const odd = '{"text":"é 🙂 \\u0000 \\n \' \\" ","lone":"\\ud800"}';
        await journal.commit([
          channel(chat, 1, { state: odd, local: odd }),
          envelope(2, chat, { json: odd }),
        ]);
        expect(await journal.readChannel(chat)).toMatchObject({
          state: odd,
          local: odd,
          envelopes: [{ json: odd }],
        });
        expect(await journal.windowStats()).toMatchObject({ bytes: Buffer.byteLength(odd) });
      });
    });

    describe('channels', () => {
      test('an unknown channel is undefined, with or without envelopes of it', async () => {
        await journal.commit([envelope(1)]);
        expect(await journal.readChannel(chat)).toBeUndefined();
        expect(await journal.readChannel('ahp-chat:/other')).toBeUndefined();
      });

      test('a channel comes with its envelopes above the row, oldest first, and no others', async () => {
        await journal.commit([
          envelope(1),
          envelope(2, 'ahp-chat:/other'),
          envelope(3),
          channel(chat, 1, { session, state: '{"s":1}', local: '{"l":1}' }),
          envelope(4),
        ]);
        expect(await journal.readChannel(chat)).toEqual({
          uri: chat,
          kind: 'chat',
          session,
          seq: 1,
          state: '{"s":1}',
          local: '{"l":1}',
          envelopes: [
            { seq: 3, channel: chat, time: 1_003, json: '{"n":3}' },
            { seq: 4, channel: chat, time: 1_004, json: '{"n":4}' },
          ],
        });
      });

      test('the local part of a row is replaced alone, and nothing happens where there is no row', async () => {
        await journal.commit([channel(chat, 1, { state: '{"s":1}' }), envelope(2)]);
        await journal.commit([
          { op: 'local', uri: chat, local: '{"l":22}' },
          { op: 'local', uri: 'ahp-chat:/other', local: '{}' },
        ]);
        expect(await journal.readChannel(chat)).toMatchObject({
          seq: 1,
          state: '{"s":1}',
          local: '{"l":22}',
        });
        expect(await journal.readChannel('ahp-chat:/other')).toBeUndefined();
        expect(await journal.listStale(2, 10)).toEqual([chat]);
        expect(await journal.diskUse(chat)).toMatchObject({ stateBytes: 15 });
      });

      test('a channel without a session has no such field', async () => {
        await journal.commit([channel('ahp-root://', 0)]);
        expect(await journal.readChannel('ahp-root://')).not.toHaveProperty('session');
      });

      test('channels of a session are listed in order of creation, however often they are written again', async () => {
        const uris = ['ahp-chat:/z', 'ahp-chat:/a', 'ahp-chat:/m'];
        await journal.commit(uris.map((uri, index) => channel(uri, index, { session })));
        await journal.commit([
          channel('ahp-chat:/z', 9, { session }),
          channel('ahp-chat:/other', 9),
          channel(session, 9),
        ]);
        expect(await journal.listChannels(session)).toEqual(uris.map((uri) => ({ uri, kind: 'chat' })));
      });

      test('dropping a channel takes row, turns and open mark, and leaves its envelopes for replay', async () => {
        await journal.commit([
          channel(chat, 0, { session }),
          envelope(1),
          turn(0),
          { op: 'markOpen', uri: chat },
        ]);
        await journal.commit([{ op: 'dropChannel', uri: chat }]);
        expect(await journal.readChannel(chat)).toBeUndefined();
        expect(await journal.readTurns(chat, {})).toEqual([]);
        expect(await journal.findTurn(chat, 't0')).toBeUndefined();
        expect(await journal.listOpen()).toEqual([]);
        expect(await journal.listChannels(session)).toEqual([]);
        expect(await journal.listStale(10, 10)).toEqual([]);
        expect(seqs(await journal.readEnvelopes([chat], 0, 10, 1_000))).toEqual([1]);
      });

      test('[CONN-8] open channels are those marked and not closed since', async () => {
        await journal.commit([
          { op: 'markOpen', uri: 'b' },
          { op: 'markOpen', uri: 'a' },
          { op: 'markOpen', uri: 'a' },
        ]);
        await journal.commit([
          { op: 'markClosed', uri: 'b' },
          { op: 'markClosed', uri: 'never opened' },
        ]);
        await reopen();
        expect(await journal.listOpen()).toEqual(['a']);
      });
    });

    describe('stale channels', () => {
      test('a channel is stale from its first envelope above its row until a row reflects it', async () => {
        await journal.commit([channel('a', 0), channel('b', 0), channel('c', 0)]);
        await journal.commit([envelope(1, 'b'), envelope(2, 'a'), envelope(3, 'b'), envelope(4, 'c')]);
        expect(await journal.listStale(0, 10)).toEqual([]);
        expect(await journal.listStale(3, 10)).toEqual(['b', 'a']);
        expect(await journal.listStale(3, 1)).toEqual(['b']);
        await journal.commit([channel('b', 1)]);
        expect(await journal.listStale(2, 10)).toEqual(['a']);
        expect(await journal.listStale(3, 10)).toEqual(['a', 'b']);
        await journal.commit([channel('b', 3)]);
        await reopen();
        expect(await journal.listStale(10, 10)).toEqual(['a', 'c']);
        await journal.commit([envelope(5, 'b'), channel('a', 2)]);
        expect(await journal.listStale(10, 10)).toEqual(['c', 'b']);
      });

      test('an envelope that its row reflected beforehand, and one of an unknown channel, make nothing stale', async () => {
        await journal.commit([channel('a', 5), envelope(5, 'a'), envelope(6, 'unknown')]);
        expect(await journal.listStale(10, 10)).toEqual([]);
        await journal.commit([channel('unknown', 5)]);
        expect(await journal.listStale(10, 10)).toEqual(['unknown']);
      });
    });

    describe('turns', () => {
      const all = Array.from({ length: 10 }, (_, index) => index);
      const ordinals = (turns: readonly { ordinal: number }[]): number[] =>
        turns.map(({ ordinal }) => ordinal);

      beforeEach(async () => {
        await journal.commit([...all.map((n) => turn(n)), { ...turn(0), chat: 'ahp-chat:/other' }]);
      });

      test('[SUB-3] the newest turns come oldest first, before an ordinal and up to a count', async () => {
        expect(ordinals(await journal.readTurns(chat, {}))).toEqual(all);
        expect(ordinals(await journal.readTurns(chat, { limit: 3 }))).toEqual([7, 8, 9]);
        expect(ordinals(await journal.readTurns(chat, { before: 7, limit: 2 }))).toEqual([5, 6]);
        expect(ordinals(await journal.readTurns(chat, { before: 0 }))).toEqual([]);
        expect(ordinals(await journal.readTurns(chat, { limit: 0 }))).toEqual([]);
        expect(await journal.readTurns('ahp-chat:/unknown', {})).toEqual([]);
      });

      test('[SUB-3] turns stop at a number of bytes of JSON, but for the newest, which always comes', async () => {
        const bytes = Buffer.byteLength('{"turn":9}');
        expect(ordinals(await journal.readTurns(chat, { maxBytes: 3 * bytes }))).toEqual([7, 8, 9]);
        expect(ordinals(await journal.readTurns(chat, { maxBytes: 3 * bytes - 1 }))).toEqual([8, 9]);
        expect(ordinals(await journal.readTurns(chat, { maxBytes: 1 }))).toEqual([9]);
        await journal.commit([turn(9, '"é"')]);
        expect(ordinals(await journal.readTurns(chat, { maxBytes: 4 }))).toEqual([9]);
        expect(ordinals(await journal.readTurns(chat, { maxBytes: 4 + bytes - 1 }))).toEqual([9]);
      });

      test('a turn written again replaces the one at its ordinal', async () => {
        await journal.commit([{ op: 'turn', chat, ordinal: 9, id: 'new', json: '{}' }]);
        expect(await journal.readTurns(chat, { limit: 1 })).toEqual([{ ordinal: 9, id: 'new', json: '{}' }]);
        expect(await journal.findTurn(chat, 'new')).toBe(9);
        expect(await journal.findTurn(chat, 't9')).toBeUndefined();
      });

      test('a turn is found by its id in its chat alone', async () => {
        expect(await journal.findTurn(chat, 't4')).toBe(4);
        expect(await journal.findTurn('ahp-chat:/other', 't4')).toBeUndefined();
      });

      test('[CHAT-6] turns are dropped from an ordinal on, or within a range', async () => {
        await journal.commit([{ op: 'dropTurns', chat, from: 8 }]);
        expect(ordinals(await journal.readTurns(chat, {}))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
        await journal.commit([{ op: 'dropTurns', chat, from: 0, to: 3 }]);
        expect(ordinals(await journal.readTurns(chat, {}))).toEqual([3, 4, 5, 6, 7]);
        expect(ordinals(await journal.readTurns('ahp-chat:/other', {}))).toEqual([0]);
      });
    });

    describe('the replay window', () => {
      beforeEach(async () => {
        await journal.commit([
          envelope(1, 'a'),
          envelope(3, 'b'),
          envelope(4, 'a'),
          envelope(8, 'c'),
          envelope(9, 'a'),
        ]);
      });

      test('[CONN-5] envelopes of the named channels come oldest first, above one number and up to another', async () => {
        expect(seqs(await journal.readEnvelopes(['b', 'a'], 1, 8, 1_000))).toEqual([3, 4]);
        expect(seqs(await journal.readEnvelopes(['a', 'c', 'a', 'unknown'], 0, 9, 1_000))).toEqual([
          1, 4, 8, 9,
        ]);
        expect(await journal.readEnvelopes([], 0, 9, 1_000)).toEqual([]);
        expect(await journal.readEnvelopes(['b'], 2, 3, 1_000)).toEqual([
          { seq: 3, channel: 'b', time: 1_003, json: '{"n":3}' },
        ]);
      });

      test('[CONN-5] more bytes than asked for are undefined, and not a part of them', async () => {
        expect(seqs(await journal.readEnvelopes(['a'], 0, 9, 21))).toEqual([1, 4, 9]);
        expect(await journal.readEnvelopes(['a'], 0, 9, 20)).toBeUndefined();
      });

      test('its size and bounds follow what is added and trimmed', async () => {
        expect(await journal.windowStats()).toEqual({ bytes: 35, trimmedSeq: 0, oldestTime: 1_001 });
        expect(await journal.trim(4, 2)).toBe(2);
        expect(await journal.windowStats()).toEqual({ bytes: 21, trimmedSeq: 3, oldestTime: 1_004 });
        expect(await journal.trim(4, 2)).toBe(1);
        expect(await journal.trim(4, 2)).toBe(0);
        await reopen();
        expect(await journal.windowStats()).toEqual({ bytes: 14, trimmedSeq: 4, oldestTime: 1_008 });
        await journal.commit([envelope(20)]);
        expect(await journal.windowStats()).toMatchObject({ bytes: 22 });
        expect(await journal.trim(100, 100)).toBe(3);
        expect(await journal.windowStats()).toEqual({ bytes: 0, trimmedSeq: 20, oldestTime: undefined });
      });

      test('the trim point leaves at most so many bytes, and nothing older than a time', async () => {
        const forEver = { maxBytes: 1_000, minTime: 0 };
        expect(await journal.findTrimPoint(forEver)).toBeUndefined();
        expect(await journal.findTrimPoint({ ...forEver, maxBytes: 35 })).toBeUndefined();
        expect(await journal.findTrimPoint({ ...forEver, maxBytes: 34 })).toBe(1);
        expect(await journal.findTrimPoint({ ...forEver, maxBytes: 14 })).toBe(4);
        expect(await journal.findTrimPoint({ ...forEver, maxBytes: 0 })).toBe(9);
        const pointByTime = async (minTime: number) => {
          const point = await journal.findTrimPoint({ ...forEver, minTime });
          return seqs(await journal.readEnvelopes(['a', 'b', 'c'], point ?? 0, 100, 1_000));
        };
        expect(await pointByTime(1_001)).toEqual([1, 3, 4, 8, 9]);
        expect(await pointByTime(1_002)).toEqual([3, 4, 8, 9]);
        expect(await pointByTime(1_005)).toEqual([8, 9]);
        expect(await pointByTime(2_000)).toEqual([]);
        expect(await journal.findTrimPoint({ maxBytes: 14, minTime: 1_002 })).toBe(4);
      });

      test('an empty window has no trim point', async () => {
        await journal.trim(9, 100);
        expect(await journal.findTrimPoint({ maxBytes: 0, minTime: 5_000 })).toBeUndefined();
      });

      test('trimming stops before what a snapshot row does not reflect yet', async () => {
        await journal.commit([channel('b', 2)]);
        expect(await journal.trim(9, 100)).toBe(1);
        expect((await journal.readChannel('b'))?.envelopes).toHaveLength(1);
        await journal.commit([channel('b', 3)]);
        expect(await journal.trim(9, 100)).toBe(4);
      });

      test('[ACT-5] the envelope that answered a dispatch is found until it is trimmed', async () => {
        const origin = { clientId: 'c1', epoch: 'e1', clientSeq: 5 };
        await journal.commit([{ ...envelope(30), origin }]);
        expect(await journal.findOutcome('c1', 'e1', 5)).toEqual({
          seq: 30,
          channel: chat,
          time: 1_030,
          json: '{"n":30}',
        });
        expect(await journal.findOutcome('c1', 'e2', 5)).toBeUndefined();
        expect(await journal.findOutcome('c2', 'e1', 5)).toBeUndefined();
        expect(await journal.findOutcome('c1', 'e1', 6)).toBeUndefined();
        await journal.trim(30, 100);
        expect(await journal.findOutcome('c1', 'e1', 5)).toBeUndefined();
      });
    });

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
        await journal.commit([
          row('d', day1),
          row('b', day2),
          row('c', day2),
          row('a', day3),
          row('e', day2),
        ]);
      });

      test('[ROOT-2] sessions are listed newest first, ties by URI', async () => {
        expect(uris(await journal.listSessions({}))).toEqual(['a', 'b', 'c', 'e', 'd']);
        expect(await journal.countSessions()).toBe(5);
      });

      test('[ROOT-2] pages continue after a row, whether or not it is still there', async () => {
        expect(uris(await journal.listSessions({ limit: 2 }))).toEqual(['a', 'b']);
        const after = { modifiedAt: day2, uri: 'b' };
        expect(uris(await journal.listSessions({ limit: 2, after }))).toEqual(['c', 'e']);
        expect(uris(await journal.listSessions({ limit: 3, after }))).toEqual(['c', 'e', 'd']);
        await journal.commit([{ op: 'dropSession', uri: 'b' }]);
        expect(uris(await journal.listSessions({ after }))).toEqual(['c', 'e', 'd']);
      });

      test('a session written again moves to its new place', async () => {
        await journal.commit([row('d', '2026-02-01T00:00:00.000Z')]);
        expect(uris(await journal.listSessions({ limit: 2 }))).toEqual(['d', 'a']);
        expect(await journal.countSessions()).toBe(5);
        expect(await journal.readSession('d')).toEqual({
          uri: 'd',
          modifiedAt: '2026-02-01T00:00:00.000Z',
          summary: '{"of":"d"}',
        });
      });

      test('dropping a session takes its row and contents, and leaves its channels', async () => {
        const content = { op: 'content', contentType: 'text/plain', data: Buffer.from('x') } as const;
        await journal.commit([
          { ...content, session: 'a', id: 'of a' },
          { ...content, session: 'b', id: 'of b' },
          channel('a', 0),
          channel(chat, 0, { session: 'a' }),
          { op: 'dropSession', uri: 'a' },
        ]);
        expect(await journal.readSession('a')).toBeUndefined();
        expect(await journal.readContent('of a')).toBeUndefined();
        expect(await journal.readContent('of b')).toBeDefined();
        expect(await journal.readChannel('a')).toBeDefined();
        expect(await journal.listChannels('a')).toHaveLength(1);
      });
    });

    describe('other rows', () => {
      test('[ACT-5] [CONN-7] a client is remembered with all that it had, until dropped', async () => {
        const client = {
          id: 'c1',
          tokenHash: 'h',
          version: '0.5.2',
          epoch: 'e',
          lastClientSeq: 9,
          subscriptions: '{"a":1}',
          seenAt: 1_800_000_000_000,
        };
        const { epoch: _epoch, ...foreign } = { ...client, id: 'c2' };
        await journal.commit([
          { op: 'client', ...client },
          { op: 'client', ...foreign },
        ]);
        expect(await journal.readClient('c1')).toEqual(client);
        expect(await journal.readClient('c2')).toEqual(foreign);
        await journal.commit([
          { op: 'client', ...client, lastClientSeq: 10 },
          { op: 'dropClient', id: 'c2' },
        ]);
        await reopen();
        expect(await journal.readClient('c1')).toEqual({ ...client, lastClientSeq: 10 });
        expect(await journal.readClient('c2')).toBeUndefined();
      });

      test('content comes back byte for byte', async () => {
        const data = Uint8Array.from({ length: 256 }, (_, index) => index);
        await journal.commit([{ op: 'content', session, id: 'x', contentType: 'image/png', data }]);
        const found = await journal.readContent('x');
        expect(found).toMatchObject({ id: 'x', contentType: 'image/png' });
        expect(Buffer.from(found?.data ?? []).equals(Buffer.from(data))).toBe(true);
        expect(await journal.readContent('y')).toBeUndefined();
      });

      test('processes are listed until dropped, the latest of each pid', async () => {
        const child = { pid: 10, startTime: '5', command: 'agent' };
        await journal.commit([
          { op: 'process', ...child, startTime: '4' },
          { op: 'process', ...child },
          { op: 'process', ...child, pid: 9 },
          { op: 'dropProcess', pid: 9 },
          { op: 'dropProcess', pid: 8 },
        ]);
        expect(await journal.listProcesses()).toEqual([child]);
      });

      test('meta values are kept by key', async () => {
        await journal.commit([
          { op: 'meta', key: 'k', value: '1' },
          { op: 'meta', key: 'l', value: '2' },
        ]);
        await journal.commit([{ op: 'meta', key: 'k', value: '3' }]);
        expect([
          await journal.readMeta('k'),
          await journal.readMeta('l'),
          await journal.readMeta('m'),
        ]).toEqual(['3', '2', undefined]);
      });
    });

    describe('disk use', () => {
      test('the bytes of a session count its own channel, its chats and its contents, and no others', async () => {
        expect(await journal.diskUse(session)).toBeUndefined();
        await journal.commit([
          channel(session, 0, { state: '12345', local: '6' }),
          channel(chat, 0, { session, state: 'é', local: '' }),
          channel('ahp-chat:/other', 0, { session: 'ahp-session:/other', state: '1234' }),
          turn(0, '123'),
          turn(1, 'é'),
          { ...turn(0), chat: 'ahp-chat:/other' },
          envelope(1, session, { json: '1234567' }),
          envelope(2, chat, { json: '12' }),
          envelope(3, 'ahp-chat:/other'),
          { op: 'content', session, id: 'x', contentType: 'text/plain', data: Buffer.from('1234') },
          {
            op: 'content',
            session: 'ahp-session:/other',
            id: 'y',
            contentType: 'text/plain',
            data: Buffer.from('1'),
          },
        ]);
        expect(await journal.diskUse(session)).toEqual({
          turnsBytes: 5,
          stateBytes: 8,
          windowBytes: 9,
          contentBytes: 4,
        });
      });

      test('a session with a catalogue row alone uses nothing, and a dropped one is unknown', async () => {
        await journal.commit([
          { op: 'session', uri: session, modifiedAt: '2026-01-01T00:00:00.000Z', summary: '{}' },
        ]);
        expect(await journal.diskUse(session)).toEqual({
          turnsBytes: 0,
          stateBytes: 0,
          windowBytes: 0,
          contentBytes: 0,
        });
        await journal.commit([{ op: 'dropSession', uri: session }]);
        expect(await journal.diskUse(session)).toBeUndefined();
      });

      test('compaction comes to an end, and changes nothing that is kept', async () => {
        await journal.commit([turn(0), turn(1, JSON.stringify('x'.repeat(500_000)))]);
        await journal.commit([{ op: 'dropTurns', chat, from: 1 }]);
        let slices = 1;
        while (await journal.compact(50)) slices++;
        expect(slices).toBeLessThan(100);
        expect(await journal.readTurns(chat, {})).toEqual([{ ordinal: 0, id: 't0', json: '{"turn":0}' }]);
      });
    });
  });
}
