import { beforeEach, describe, expect, test } from 'vitest';
import { channel, chat, envelope, type JournalUnderTest, seqs, session, turn } from './rows.ts';

/** Snapshot rows, open marks, stale channels and turns. */
export function channelsContract(here: JournalUnderTest): void {
  describe('channels', () => {
    test('an unknown channel is undefined, with or without envelopes of it', async () => {
      await here.journal.commit([envelope(1)]);
      expect(await here.journal.readChannel(chat)).toBeUndefined();
      expect(await here.journal.readChannel('ahp-chat:/other')).toBeUndefined();
      expect(await here.journal.readChannelHead(chat)).toBeUndefined();
    });

    test('the head of a channel is its row without the state, with the local part that was written last', async () => {
      await here.journal.commit([
        channel(chat, 1, { session, state: '{"s":1}', local: '{"l":1}' }),
        channel('ahp-chat:/other', 2),
        envelope(3),
        { op: 'local', uri: chat, local: '{"l":2}' },
      ]);
      expect(await here.journal.readChannelHead(chat)).toEqual({
        uri: chat,
        kind: 'chat',
        session,
        seq: 1,
        local: '{"l":2}',
      });
      expect(await here.journal.readChannelHead('ahp-chat:/other')).toEqual({
        uri: 'ahp-chat:/other',
        kind: 'chat',
        seq: 2,
        local: '{}',
      });
    });

    test('a channel comes as in its row, and its envelopes above that oldest first, and no others', async () => {
      await here.journal.commit([
        envelope(1),
        envelope(2, 'ahp-chat:/other'),
        envelope(3),
        channel(chat, 1, { session, state: '{"s":1}', local: '{"l":1}' }),
        envelope(4),
      ]);
      expect(await here.journal.readChannel(chat)).toEqual({
        uri: chat,
        kind: 'chat',
        session,
        seq: 1,
        state: '{"s":1}',
        local: '{"l":1}',
      });
      expect(await here.journal.readEnvelopesAfter(chat, 1, 1e6)).toEqual([
        { seq: 3, channel: chat, time: 1_003, json: '{"n":3}' },
        { seq: 4, channel: chat, time: 1_004, json: '{"n":4}' },
      ]);
    });

    test('envelopes after a number come up to the one that fills a page, and all of them page by page', async () => {
      await here.journal.commit([
        ...[1, 2, 3].map((seq) => envelope(seq)),
        envelope(4, 'ahp-chat:/other'),
        envelope(5, chat, { json: JSON.stringify('long '.repeat(30_000)) }),
      ]);
      await here.journal.commit([6, 7].map((seq) => envelope(seq)));
      const page = async (after: number, maxBytes: number): Promise<number[] | undefined> =>
        seqs(await here.journal.readEnvelopesAfter(chat, after, maxBytes));
      expect(await page(0, 0)).toEqual([1]);
      expect(await page(0, 7)).toEqual([1]);
      expect(await page(0, 8)).toEqual([1, 2]);
      expect(await page(1, 14)).toEqual([2, 3]);
      expect(await page(1, 15)).toEqual([2, 3, 5]);
      expect(await page(3, 150_008)).toEqual([5, 6]);
      expect(await page(0, 1e6)).toEqual([1, 2, 3, 5, 6, 7]);
      expect(await page(7, 1e6)).toEqual([]);
      expect(await here.journal.readEnvelopesAfter('ahp-chat:/none', 0, 1e6)).toEqual([]);
    });

    test('the local part of a row is replaced alone, and nothing happens where there is no row', async () => {
      await here.journal.commit([channel(chat, 1, { state: '{"s":1}' }), envelope(2)]);
      await here.journal.commit([
        { op: 'local', uri: chat, local: '{"l":22}' },
        { op: 'local', uri: 'ahp-chat:/other', local: '{}' },
      ]);
      expect(await here.journal.readChannel(chat)).toMatchObject({
        seq: 1,
        state: '{"s":1}',
        local: '{"l":22}',
      });
      expect(await here.journal.readChannel('ahp-chat:/other')).toBeUndefined();
      expect(await here.journal.listStale(2, 10)).toEqual([chat]);
      expect(await here.journal.diskUse(chat)).toMatchObject({ stateBytes: 15 });
    });

    test('a channel without a session has no such field', async () => {
      await here.journal.commit([channel('ahp-root://', 0)]);
      expect(await here.journal.readChannel('ahp-root://')).not.toHaveProperty('session');
    });

    test('channels of a session are listed in order of creation, however often they are written again', async () => {
      const uris = ['ahp-chat:/z', 'ahp-chat:/a', 'ahp-chat:/m'];
      await here.journal.commit(uris.map((uri, index) => channel(uri, index, { session })));
      await here.journal.commit([
        channel('ahp-chat:/z', 9, { session }),
        channel('ahp-chat:/other', 9),
        channel(session, 9),
      ]);
      expect(await here.journal.listChannels(session)).toEqual(uris.map((uri) => ({ uri, kind: 'chat' })));
    });

    test('dropping a channel takes row, turns and open mark, and leaves its envelopes for replay', async () => {
      await here.journal.commit([
        channel(chat, 0, { session }),
        envelope(1),
        turn(0),
        { op: 'markOpen', uri: chat },
      ]);
      await here.journal.commit([{ op: 'dropChannel', uri: chat }]);
      expect(await here.journal.readChannel(chat)).toBeUndefined();
      expect(await here.journal.readTurns(chat, {})).toEqual([]);
      expect(await here.journal.findTurn(chat, 't0')).toBeUndefined();
      expect(await here.journal.listOpen()).toEqual([]);
      expect(await here.journal.listChannels(session)).toEqual([]);
      expect(await here.journal.listStale(10, 10)).toEqual([]);
      expect(seqs(await here.journal.readEnvelopes([chat], 0, 10, 1_000))).toEqual([1]);
    });

    test('[CONN-8] open channels are those marked and not closed since', async () => {
      await here.journal.commit([
        { op: 'markOpen', uri: 'b' },
        { op: 'markOpen', uri: 'a' },
        { op: 'markOpen', uri: 'a' },
      ]);
      await here.journal.commit([
        { op: 'markClosed', uri: 'b' },
        { op: 'markClosed', uri: 'never opened' },
      ]);
      await here.reopen();
      expect(await here.journal.listOpen()).toEqual(['a']);
    });
  });

  describe('stale channels', () => {
    test('a channel is stale from its first envelope above its row until a row reflects it', async () => {
      await here.journal.commit([channel('a', 0), channel('b', 0), channel('c', 0)]);
      await here.journal.commit([envelope(1, 'b'), envelope(2, 'a'), envelope(3, 'b'), envelope(4, 'c')]);
      expect(await here.journal.listStale(0, 10)).toEqual([]);
      expect(await here.journal.listStale(3, 10)).toEqual(['b', 'a']);
      expect(await here.journal.listStale(3, 1)).toEqual(['b']);
      await here.journal.commit([channel('b', 1)]);
      expect(await here.journal.listStale(2, 10)).toEqual(['a']);
      expect(await here.journal.listStale(3, 10)).toEqual(['a', 'b']);
      await here.journal.commit([channel('b', 3)]);
      await here.reopen();
      expect(await here.journal.listStale(10, 10)).toEqual(['a', 'c']);
      await here.journal.commit([envelope(5, 'b'), channel('a', 2)]);
      expect(await here.journal.listStale(10, 10)).toEqual(['c', 'b']);
    });

    test('a channel becomes stale again after each row that reflected it, and after it was dropped and made again', async () => {
      const { journal } = here;
      await journal.commit([channel('a', 0), envelope(1, 'a'), envelope(2, 'a')]);
      await journal.commit([channel('a', 2)]);
      expect(await journal.listStale(10, 10)).toEqual([]);
      await journal.commit([envelope(3, 'a')]);
      expect(await journal.listStale(10, 10)).toEqual(['a']);
      await journal.commit([{ op: 'dropChannel', uri: 'a' }, channel('a', 3)]);
      expect(await journal.listStale(10, 10)).toEqual([]);
      await journal.commit([envelope(4, 'a')]);
      expect(await journal.listStale(10, 10)).toEqual(['a']);
    });

    test('an envelope that its row reflected beforehand, and one of an unknown channel, make nothing stale', async () => {
      await here.journal.commit([channel('a', 5), envelope(5, 'a'), envelope(6, 'unknown')]);
      expect(await here.journal.listStale(10, 10)).toEqual([]);
      await here.journal.commit([channel('unknown', 5)]);
      expect(await here.journal.listStale(10, 10)).toEqual(['unknown']);
    });
  });

  describe('turns', () => {
    const all = Array.from({ length: 10 }, (_, index) => index);
    const ordinals = (turns: readonly { ordinal: number }[]): number[] => turns.map(({ ordinal }) => ordinal);

    beforeEach(async () => {
      await here.journal.commit([...all.map((n) => turn(n)), { ...turn(0), chat: 'ahp-chat:/other' }]);
    });

    test('[SUB-3] the newest turns come oldest first, before an ordinal and up to a count', async () => {
      expect(ordinals(await here.journal.readTurns(chat, {}))).toEqual(all);
      expect(ordinals(await here.journal.readTurns(chat, { limit: 3 }))).toEqual([7, 8, 9]);
      expect(ordinals(await here.journal.readTurns(chat, { before: 7, limit: 2 }))).toEqual([5, 6]);
      expect(ordinals(await here.journal.readTurns(chat, { before: 0 }))).toEqual([]);
      expect(ordinals(await here.journal.readTurns(chat, { limit: 0 }))).toEqual([]);
      expect(await here.journal.readTurns('ahp-chat:/unknown', {})).toEqual([]);
    });

    test('[SUB-3] turns stop at a number of bytes of JSON, but for the newest, which always comes', async () => {
      const bytes = Buffer.byteLength('{"turn":9}');
      expect(ordinals(await here.journal.readTurns(chat, { maxBytes: 3 * bytes }))).toEqual([7, 8, 9]);
      expect(ordinals(await here.journal.readTurns(chat, { maxBytes: 3 * bytes - 1 }))).toEqual([8, 9]);
      expect(ordinals(await here.journal.readTurns(chat, { maxBytes: 1 }))).toEqual([9]);
      await here.journal.commit([turn(9, '"é"')]);
      expect(ordinals(await here.journal.readTurns(chat, { maxBytes: 4 }))).toEqual([9]);
      expect(ordinals(await here.journal.readTurns(chat, { maxBytes: 4 + bytes - 1 }))).toEqual([9]);
    });

    test('[SUB-3] where none has to come, a newest turn that is too large does not', async () => {
      const bytes = Buffer.byteLength('{"turn":9}');
      expect(ordinals(await here.journal.readTurns(chat, { maxBytes: bytes, least: 0 }))).toEqual([9]);
      expect(await here.journal.readTurns(chat, { maxBytes: bytes - 1, least: 0 })).toEqual([]);
    });

    test('[CHAT-15] whether there are older turns is known without reading one', async () => {
      await here.journal.commit([{ op: 'dropTurns', chat, from: 0, to: 3 }]);
      expect(await here.journal.hasTurnBefore(chat, 4)).toBe(true);
      expect(await here.journal.hasTurnBefore(chat, 3)).toBe(false);
      expect(await here.journal.hasTurnBefore('ahp-chat:/unknown', 4)).toBe(false);
    });

    test('a turn written again replaces the one at its ordinal', async () => {
      await here.journal.commit([{ op: 'turn', chat, ordinal: 9, id: 'new', json: '{}' }]);
      expect(await here.journal.readTurns(chat, { limit: 1 })).toEqual([
        { ordinal: 9, id: 'new', json: '{}' },
      ]);
      expect(await here.journal.findTurn(chat, 'new')).toBe(9);
      expect(await here.journal.findTurn(chat, 't9')).toBeUndefined();
    });

    test('a turn is found by its id in its chat alone', async () => {
      expect(await here.journal.findTurn(chat, 't4')).toBe(4);
      expect(await here.journal.findTurn('ahp-chat:/other', 't4')).toBeUndefined();
    });

    test('[CHAT-6] turns are dropped from an ordinal on, or within a range', async () => {
      await here.journal.commit([{ op: 'dropTurns', chat, from: 8 }]);
      expect(ordinals(await here.journal.readTurns(chat, {}))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      await here.journal.commit([{ op: 'dropTurns', chat, from: 0, to: 3 }]);
      expect(ordinals(await here.journal.readTurns(chat, {}))).toEqual([3, 4, 5, 6, 7]);
      expect(ordinals(await here.journal.readTurns('ahp-chat:/other', {}))).toEqual([0]);
    });

    describe('contents of turns', () => {
      const content = (id: string, of: { chat: string; turnId: string } | undefined) =>
        ({ op: 'content', session, id, contentType: 'text/plain', data: Buffer.from('x'), ...of }) as const;
      const left = async (): Promise<string[]> => {
        const ids = ['of t1', 'also of t1', 'of t8', 'of the active', 'of the session', 'of another chat'];
        const found = await Promise.all(ids.map((id) => here.journal.readContent(id)));
        return found.flatMap((each) => each?.id ?? []);
      };

      beforeEach(async () => {
        await here.journal.commit([
          content('of t1', { chat, turnId: 't1' }),
          content('also of t1', { chat, turnId: 't1' }),
          content('of t8', { chat, turnId: 't8' }),
          content('of the active', { chat, turnId: 'active' }),
          content('of the session', undefined),
          content('of another chat', { chat: 'ahp-chat:/other', turnId: 't1' }),
        ]);
      });

      test('[CHAT-6] [RES-1] go with their turn, in the same commit', async () => {
        await here.journal.commit([{ op: 'dropTurns', chat, from: 0, to: 3 }]);
        expect(await left()).toEqual(['of t8', 'of the active', 'of the session', 'of another chat']);
        await here.journal.commit([{ op: 'dropTurns', chat, from: 8 }]);
        expect(await left()).toEqual(['of the active', 'of the session', 'of another chat']);
      });

      test('[CHAT-23] [RES-1] stay when their turn is resumed, and go by its name', async () => {
        await here.journal.commit([{ op: 'dropTurns', chat, from: 8, keepsContents: true }]);
        expect(ordinals(await here.journal.readTurns(chat, {}))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
        expect(await left()).toContain('of t8');
        await here.journal.commit([{ op: 'dropContents', chat, turnId: 't8' }]);
        expect(await left()).not.toContain('of t8');
      });

      test('[CHAT-6] [RES-1] go by the name of a turn that has no row', async () => {
        await here.journal.commit([{ op: 'dropContents', chat, turnId: 'active' }]);
        expect(await left()).toEqual(['of t1', 'also of t1', 'of t8', 'of the session', 'of another chat']);
      });

      test('[RES-1] are copied to another turn, and go with it alone', async () => {
        const copy = { op: 'copyContent', session, chat } as const;
        await here.journal.commit([
          { ...copy, from: 'of the active', id: 'copied', turnId: 't2' },
          { op: 'dropContents', chat, turnId: 'active' },
          { ...copy, from: 'of nobody', id: 'of nobody either', turnId: 't2' },
        ]);
        expect(await here.journal.readContent('of the active')).toBeUndefined();
        expect(await here.journal.readContent('of nobody either')).toBeUndefined();
        const copied = await here.journal.readContent('copied');
        expect(copied).toMatchObject({ id: 'copied', contentType: 'text/plain' });
        expect(Buffer.from(copied?.data ?? []).toString()).toBe('x');
        await here.journal.commit([{ op: 'dropTurns', chat, from: 0, to: 8 }]);
        expect(await here.journal.readContent('copied')).toBeUndefined();
      });

      test('[RES-1] go with their chat', async () => {
        await here.journal.commit([{ op: 'dropChannel', uri: chat }]);
        expect(await left()).toEqual(['of the session', 'of another chat']);
      });
    });
  });
}
