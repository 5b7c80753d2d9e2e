import { describe, expect, test } from 'vitest';
import type { JournalWrite } from '../journal.ts';
import { channel, chat, envelope, type JournalUnderTest, seqs, session, turn } from './rows.ts';

/** The rules of `open`, `close`, `reserveSeq` and `commit`. */
export function openingContract(here: JournalUnderTest): void {
  describe('opening', () => {
    test('a journal that holds nothing starts at number 0 with nothing lost', async () => {
      expect(await here.reopen()).toEqual({
        lastSeq: 0,
        lastTime: 0,
        reservedSeq: 0,
        mayHaveLostTail: false,
        lost: [],
      });
    });

    test('a second journal on the same storage is refused until the first is closed', async () => {
      const second = here.createAnother();
      await expect(second.open()).rejects.toMatchObject({ name: 'JournalError', code: 'locked' });
      await here.journal.close();
      await second.open();
      await second.close();
    });

    test('what is not open refuses to read and to write, and closing twice is fine', async () => {
      await here.journal.close();
      await here.journal.close();
      await expect(here.journal.readMeta('k')).rejects.toMatchObject({
        name: 'JournalError',
        code: 'closed',
      });
      await expect(here.journal.commit([])).rejects.toMatchObject({ name: 'JournalError', code: 'closed' });
    });

    test('[CONN-4] reserved numbers and the last journaled one are known to the next start', async () => {
      await here.journal.reserveSeq(100);
      await here.journal.commit([envelope(7)]);
      expect(await here.reopen()).toMatchObject({
        lastSeq: 7,
        lastTime: 1_007,
        reservedSeq: 100,
        mayHaveLostTail: false,
      });
    });

    test('[CONN-4] a reservation never goes down, and stands at least at the last journaled number', async () => {
      await here.journal.reserveSeq(100);
      await here.journal.reserveSeq(50);
      expect(await here.reopen()).toMatchObject({ reservedSeq: 100 });
      await here.journal.commit([envelope(120)]);
      expect(await here.reopen()).toMatchObject({ lastSeq: 120, reservedSeq: 120 });
    });

    test('[CONN-4] [ACT-6] the last journaled number and its time are known when all envelopes are trimmed', async () => {
      await here.journal.commit([envelope(7), envelope(9)]);
      await here.journal.trim(9, 10);
      expect(await here.reopen()).toMatchObject({ lastSeq: 9, lastTime: 1_009 });
    });

    test('everything committed is there after close and reopen', async () => {
      await here.journal.commit([
        channel(chat, 1, { session, state: '{"a":1}', local: '{"b":2}' }),
        envelope(2),
        turn(0),
        { op: 'markOpen', uri: chat },
        { op: 'session', uri: session, modifiedAt: '2026-01-01T00:00:00.000Z', summary: '{}' },
        { op: 'meta', key: 'k', value: 'v' },
      ]);
      await here.reopen();
      expect(await here.journal.readChannel(chat)).toMatchObject({
        seq: 1,
        session,
      });
      expect(seqs(await here.journal.readEnvelopesAfter(chat, 1, 1e6))).toEqual([2]);
      expect(await here.journal.readTurns(chat, {})).toEqual([{ ordinal: 0, id: 't0', json: '{"turn":0}' }]);
      expect(await here.journal.listOpen()).toEqual([chat]);
      expect(await here.journal.listSessions({})).toMatchObject([{ uri: session }]);
      expect(await here.journal.readMeta('k')).toBe('v');
    });
  });

  describe('committing', () => {
    test('a batch whose last write fails leaves nothing behind', async () => {
      await here.journal.commit([envelope(5), channel(chat, 5)]);
      const failing: JournalWrite[] = [
        envelope(6),
        channel(chat, 6, { state: '{"new":true}' }),
        turn(0),
        { op: 'meta', key: 'k', value: 'v' },
        { op: 'markOpen', uri: chat },
        envelope(6),
      ];
      await expect(here.journal.commit(failing)).rejects.toMatchObject({ name: 'JournalError', code: 'io' });
      expect(await here.journal.readChannel(chat)).toMatchObject({ seq: 5, state: '{}' });
      expect(await here.journal.readEnvelopesAfter(chat, 5, 1e6)).toEqual([]);
      expect(await here.journal.readTurns(chat, {})).toEqual([]);
      expect(await here.journal.readMeta('k')).toBeUndefined();
      expect(await here.journal.listOpen()).toEqual([]);
      expect(await here.journal.windowStats()).toMatchObject({ bytes: 7 });
    });

    test('after a failed batch the next one is applied as if the failed one had never been', async () => {
      await here.journal.commit([channel(chat, 0), envelope(5)]);
      await expect(here.journal.commit([envelope(6), envelope(4)])).rejects.toThrow('4 is not above 6');
      await here.journal.commit([envelope(6)]);
      expect(seqs(await here.journal.readEnvelopesAfter(chat, 0, 1e6))).toEqual([5, 6]);
      expect(await here.journal.windowStats()).toMatchObject({ bytes: 14 });
      expect(await here.journal.listStale(6, 10)).toEqual([chat]);
    });

    test('[CONN-4] a number that was given once is refused, also when its envelope is trimmed', async () => {
      await here.journal.commit([envelope(5)]);
      await expect(here.journal.commit([envelope(5)])).rejects.toMatchObject({ code: 'io' });
      await here.journal.trim(5, 10);
      await expect(here.journal.commit([envelope(5)])).rejects.toMatchObject({ code: 'io' });
      await here.reopen();
      await expect(here.journal.commit([envelope(5)])).rejects.toMatchObject({ code: 'io' });
    });

    test('writes of one batch are applied in their order', async () => {
      await here.journal.commit([
        { op: 'meta', key: 'k', value: 'first' },
        { op: 'meta', key: 'k', value: 'second' },
        turn(0),
        { op: 'dropTurns', chat, from: 0 },
        turn(0, '{"again":true}'),
        { op: 'markOpen', uri: chat },
        { op: 'markClosed', uri: chat },
      ]);
      expect(await here.journal.readMeta('k')).toBe('second');
      expect(await here.journal.readTurns(chat, {})).toEqual([
        { ordinal: 0, id: 't0', json: '{"again":true}' },
      ]);
      expect(await here.journal.listOpen()).toEqual([]);
    });

    test('a read called before a commit has resolved does not see it, and one called after it does', async () => {
      const committed = here.journal.commit([{ op: 'meta', key: 'k', value: 'v' }]);
      const before = here.journal.readMeta('k');
      const after = committed.then(async () => here.journal.readMeta('k'));
      expect([await before, await after]).toEqual([undefined, 'v']);
    });

    test('an empty batch is fine', async () => {
      await here.journal.commit([]);
      expect(await here.journal.windowStats()).toEqual({ bytes: 0, trimmedSeq: 0, oldestTime: undefined });
    });

    test('text of every kind comes back as it was', async () => {
      const odd = '{"text":"é 🙂 \\u0000 \\n \' \\" ","lone":"\\ud800"}';
      await here.journal.commit([
        channel(chat, 1, { state: odd, local: odd }),
        envelope(2, chat, { json: odd }),
      ]);
      expect(await here.journal.readChannel(chat)).toMatchObject({
        state: odd,
        local: odd,
      });
      expect(await here.journal.readEnvelopesAfter(chat, 1, 1e6)).toMatchObject([{ json: odd }]);
      expect(await here.journal.windowStats()).toMatchObject({ bytes: Buffer.byteLength(odd) });
    });
  });
}
