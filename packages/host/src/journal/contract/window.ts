import { beforeEach, describe, expect, test } from 'vitest';
import { channel, chat, envelope, type JournalUnderTest, seqs, session, turn } from './rows.ts';

/** The replay window and the size of the journal. */
export function windowContract(here: JournalUnderTest): void {
  describe('the replay window', () => {
    beforeEach(async () => {
      await here.journal.commit([
        envelope(1, 'a'),
        envelope(3, 'b'),
        envelope(4, 'a'),
        envelope(8, 'c'),
        envelope(9, 'a'),
      ]);
    });

    test('[CONN-5] envelopes of the named channels come oldest first, above one number and up to another', async () => {
      expect(seqs(await here.journal.readEnvelopes(['b', 'a'], 1, 8, 1_000))).toEqual([3, 4]);
      expect(seqs(await here.journal.readEnvelopes(['a', 'c', 'a', 'unknown'], 0, 9, 1_000))).toEqual([
        1, 4, 8, 9,
      ]);
      expect(await here.journal.readEnvelopes([], 0, 9, 1_000)).toEqual([]);
      expect(await here.journal.readEnvelopes(['b'], 2, 3, 1_000)).toEqual([
        { seq: 3, channel: 'b', time: 1_003, json: '{"n":3}' },
      ]);
    });

    test('[CONN-5] more bytes than asked for are undefined, and not a part of them', async () => {
      expect(seqs(await here.journal.readEnvelopes(['a'], 0, 9, 21))).toEqual([1, 4, 9]);
      expect(await here.journal.readEnvelopes(['a'], 0, 9, 20)).toBeUndefined();
    });

    test('its size and bounds follow what is added and trimmed', async () => {
      expect(await here.journal.windowStats()).toEqual({ bytes: 35, trimmedSeq: 0, oldestTime: 1_001 });
      expect(await here.journal.trim(4, 2)).toBe(2);
      expect(await here.journal.windowStats()).toEqual({ bytes: 21, trimmedSeq: 3, oldestTime: 1_004 });
      expect(await here.journal.trim(4, 2)).toBe(1);
      expect(await here.journal.trim(4, 2)).toBe(0);
      await here.reopen();
      expect(await here.journal.windowStats()).toEqual({ bytes: 14, trimmedSeq: 4, oldestTime: 1_008 });
      await here.journal.commit([envelope(20)]);
      expect(await here.journal.windowStats()).toMatchObject({ bytes: 22 });
      expect(await here.journal.trim(100, 100)).toBe(3);
      expect(await here.journal.windowStats()).toEqual({ bytes: 0, trimmedSeq: 20, oldestTime: undefined });
    });

    test('the trim point leaves at most so many bytes, and nothing older than a time', async () => {
      const forEver = { maxBytes: 1_000, minTime: 0 };
      expect(await here.journal.findTrimPoint(forEver)).toBeUndefined();
      expect(await here.journal.findTrimPoint({ ...forEver, maxBytes: 35 })).toBeUndefined();
      expect(await here.journal.findTrimPoint({ ...forEver, maxBytes: 34 })).toBe(1);
      expect(await here.journal.findTrimPoint({ ...forEver, maxBytes: 14 })).toBe(4);
      expect(await here.journal.findTrimPoint({ ...forEver, maxBytes: 0 })).toBe(9);
      const pointByTime = async (minTime: number) => {
        const point = await here.journal.findTrimPoint({ ...forEver, minTime });
        return seqs(await here.journal.readEnvelopes(['a', 'b', 'c'], point ?? 0, 100, 1_000));
      };
      expect(await pointByTime(1_001)).toEqual([1, 3, 4, 8, 9]);
      expect(await pointByTime(1_002)).toEqual([3, 4, 8, 9]);
      expect(await pointByTime(1_005)).toEqual([8, 9]);
      expect(await pointByTime(2_000)).toEqual([]);
      expect(await here.journal.findTrimPoint({ maxBytes: 14, minTime: 1_002 })).toBe(4);
    });

    test('an empty window has no trim point', async () => {
      await here.journal.trim(9, 100);
      expect(await here.journal.findTrimPoint({ maxBytes: 0, minTime: 5_000 })).toBeUndefined();
    });

    test('trimming stops before what a snapshot row does not reflect yet', async () => {
      await here.journal.commit([channel('b', 2)]);
      expect(await here.journal.trim(9, 100)).toBe(1);
      expect(await here.journal.readEnvelopesAfter('b', 2, 1e6)).toHaveLength(1);
      await here.journal.commit([channel('b', 3)]);
      expect(await here.journal.trim(9, 100)).toBe(4);
    });

    test('[ACT-5] the envelope that answered a dispatch is found until it is trimmed', async () => {
      const origin = { clientId: 'c1', epoch: 'e1', clientSeq: 5 };
      await here.journal.commit([{ ...envelope(30), origin }]);
      expect(await here.journal.findOutcome('c1', 'e1', 5)).toEqual({
        seq: 30,
        channel: chat,
        time: 1_030,
        json: '{"n":30}',
      });
      expect(await here.journal.findOutcome('c1', 'e2', 5)).toBeUndefined();
      expect(await here.journal.findOutcome('c2', 'e1', 5)).toBeUndefined();
      expect(await here.journal.findOutcome('c1', 'e1', 6)).toBeUndefined();
      await here.journal.trim(30, 100);
      expect(await here.journal.findOutcome('c1', 'e1', 5)).toBeUndefined();
    });
  });

  describe('disk use', () => {
    test('the bytes of a session count its own channel, its chats and its contents, and no others', async () => {
      expect(await here.journal.diskUse(session)).toBeUndefined();
      await here.journal.commit([
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
      expect(await here.journal.diskUse(session)).toEqual({
        turnsBytes: 5,
        stateBytes: 8,
        windowBytes: 9,
        contentBytes: 4,
      });
    });

    test('a session with a catalogue row alone uses nothing, and a dropped one is unknown', async () => {
      await here.journal.commit([
        { op: 'session', uri: session, modifiedAt: '2026-01-01T00:00:00.000Z', summary: '{}' },
      ]);
      expect(await here.journal.diskUse(session)).toEqual({
        turnsBytes: 0,
        stateBytes: 0,
        windowBytes: 0,
        contentBytes: 0,
      });
      await here.journal.commit([{ op: 'dropSession', uri: session }]);
      expect(await here.journal.diskUse(session)).toBeUndefined();
    });

    test('compaction comes to an end, and changes nothing that is kept', async () => {
      await here.journal.commit([turn(0), turn(1, JSON.stringify('x'.repeat(500_000)))]);
      await here.journal.commit([{ op: 'dropTurns', chat, from: 1 }]);
      let slices = 1;
      while (await here.journal.compact(50)) slices++;
      expect(slices).toBeLessThan(100);
      expect(await here.journal.readTurns(chat, {})).toEqual([{ ordinal: 0, id: 't0', json: '{"turn":0}' }]);
    });
  });
}
