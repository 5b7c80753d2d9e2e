import { beforeEach, describe, expect, test } from 'vitest';
import type { JournalWrite } from '../journal.ts';
import { channel, chat, type JournalUnderTest, session, turn } from './rows.ts';

const copy = 'ahp-chat:/copy';
const elsewhere = 'ahp-session:/s2';

function copyTurns(count: number, to = copy, from = chat) {
  return { op: 'copyTurns', from, to, session: elsewhere, count } satisfies JournalWrite;
}

function content(id: string, turnId: string, of = chat) {
  const owner = of === chat ? session : elsewhere;
  const data = Buffer.from('four');
  return {
    op: 'content',
    session: owner,
    chat: of,
    turnId,
    id,
    contentType: 'text/plain',
    data,
  } satisfies JournalWrite;
}

/** Copies of chats. */
export function copiesContract(here: JournalUnderTest): void {
  describe('copies', () => {
    const commit = (...writes: JournalWrite[]): Promise<void> => here.journal.commit(writes);
    const ids = async (of: string): Promise<string[]> =>
      (await here.journal.readTurns(of, {})).map(({ ordinal, id }) => `${ordinal}:${id}`);
    const held = async (...names: string[]): Promise<string[]> => {
      const found = await Promise.all(names.map((name) => here.journal.readContent(name)));
      return found.flatMap((each) => each?.id ?? []);
    };
    const disposal: JournalWrite[] = [
      { op: 'dropChannel', uri: chat },
      { op: 'dropSession', uri: session },
    ];

    beforeEach(async () => {
      await commit(
        channel(chat, 0, { session }),
        channel(copy, 0, { session: elsewhere }),
        ...[0, 1, 2, 3].map((n) => turn(n)),
        ...[0, 1, 2, 3].map((n) => content(`file ${n}`, `t${n}`)),
      );
    });

    test('[SESS-29] a moved chat keeps its turns and contents when the session that it left is dropped', async () => {
      await commit({ op: 'moveChat', chat, session: elsewhere }, { op: 'dropSession', uri: session });
      expect(await ids(chat)).toEqual(['0:t0', '1:t1', '2:t2', '3:t3']);
      expect(await held('file 0', 'file 3')).toEqual(['file 0', 'file 3']);
      expect((await here.journal.readChannel(chat))?.session).toBe(elsewhere);
      expect((await here.journal.listChannels(elsewhere)).map(({ uri }) => uri)).toContain(chat);
      expect(await here.journal.diskUse(session)).toBeUndefined();
      await here.reopen();
      await commit({ op: 'dropChannel', uri: chat }, { op: 'dropSession', uri: elsewhere });
      expect(await held('file 0', 'file 3')).toEqual([]);
    });

    test('[SESS-29] a moved chat and its copy each keep what they show', async () => {
      await commit(copyTurns(2), { op: 'moveChat', chat, session: 'ahp-session:/s3' });
      await commit({ op: 'dropChannel', uri: copy }, { op: 'dropSession', uri: elsewhere });
      expect(await held('file 0', 'file 3')).toEqual(['file 0', 'file 3']);
      await commit(copyTurns(2), { op: 'moveChat', chat: copy, session });
      await commit({ op: 'dropChannel', uri: chat }, { op: 'dropSession', uri: 'ahp-session:/s3' });
      expect(await ids(copy)).toEqual(['0:t0', '1:t1']);
      expect(await held('file 0', 'file 1', 'file 3')).toEqual(['file 0', 'file 1']);
    });

    test('[SESS-12] [CHAT-1] a copy has the first turns of its source, and each goes on alone', async () => {
      await commit(turn(4), copyTurns(3), { ...turn(3), chat: copy, id: 'mine' });
      await commit({ ...turn(5), id: 'later' });
      expect(await ids(copy)).toEqual(['0:t0', '1:t1', '2:t2', '3:mine']);
      expect(await ids(chat)).toEqual(['0:t0', '1:t1', '2:t2', '3:t3', '4:t4', '5:later']);
      expect(await here.journal.findTurn(copy, 't2')).toBe(2);
      expect(await here.journal.findTurn(copy, 't3')).toBeUndefined();
      expect(await here.journal.findTurn(copy, 'mine')).toBe(3);
      await here.reopen();
      expect((await here.journal.readTurns(copy, { before: 4, limit: 2 })).map(({ json }) => json)).toEqual([
        '{"turn":2}',
        '{"turn":3}',
      ]);
      const bytes = Buffer.byteLength('{"turn":0}');
      expect(await here.journal.readTurns(copy, { maxBytes: 2 * bytes })).toHaveLength(2);
    });

    test('a copy of more turns than there are does not get those that come later', async () => {
      await commit(copyTurns(100));
      await commit(turn(4));
      expect(await ids(copy)).toEqual(['0:t0', '1:t1', '2:t2', '3:t3']);
    });

    test('a copy of nothing is empty, and what the target held before goes', async () => {
      await commit({ ...turn(0), chat: copy }, content('old', 't0', copy), copyTurns(0));
      expect([await ids(copy), await held('old')]).toEqual([[], []]);
      await commit(copyTurns(2, copy, 'ahp-chat:/unknown'), copyTurns(9, chat, chat));
      expect([await ids(copy), (await ids(chat)).length]).toEqual([[], 4]);
      await commit({ ...turn(0), chat: copy });
      expect(await ids(copy)).toEqual(['0:t0']);
    });

    test('[CHAT-6] [RES-1] what the source cuts off stays with the copy, and goes with it', async () => {
      await commit(copyTurns(3));
      await commit({ op: 'dropTurns', chat, from: 1 });
      expect([await ids(chat), await ids(copy)]).toEqual([['0:t0'], ['0:t0', '1:t1', '2:t2']]);
      expect(await held('file 0', 'file 1', 'file 2', 'file 3')).toEqual(['file 0', 'file 1', 'file 2']);
      await commit({ ...turn(1), id: 'again' }, content('file again', 'again'));
      expect([await ids(chat), await ids(copy)]).toEqual([
        ['0:t0', '1:again'],
        ['0:t0', '1:t1', '2:t2'],
      ]);
      await commit({ op: 'dropTurns', chat: copy, from: 2 });
      expect(await held('file 0', 'file 1', 'file 2', 'file again')).toEqual([
        'file 0',
        'file 1',
        'file again',
      ]);
      await commit({ op: 'dropChannel', uri: copy });
      expect(await held('file 0', 'file 1', 'file again')).toEqual(['file 0', 'file again']);
      expect(await ids(chat)).toEqual(['0:t0', '1:again']);
    });

    test('the size of the whole journal has each content once', async () => {
      const before = await here.journal.wholeDiskUse();
      await commit(copyTurns(2), content('extra', 'extra'));
      const after = await here.journal.wholeDiskUse();
      // The data of `content` has four bytes.
      expect(after.contentBytes - before.contentBytes).toBe(4);
      expect(after.databaseBytes).toBeGreaterThanOrEqual(before.databaseBytes);
    });

    test('[RES-1] a source that is disposed of leaves its copies whole, and the last of them takes the rest', async () => {
      for (const batch of [disposal, disposal.toReversed()]) {
        await commit(copyTurns(2), ...batch);
        expect(await ids(copy)).toEqual(['0:t0', '1:t1']);
        expect(await held('file 0', 'file 1', 'file 2')).toEqual(['file 0', 'file 1']);
        expect(await here.journal.diskUse(session)).toBeUndefined();
        // Its name is free again.
        await commit(channel(chat, 0, { session }), { ...turn(0), id: 'new' }, content('file new', 'new'));
        expect([await ids(chat), await ids(copy)]).toEqual([['0:new'], ['0:t0', '1:t1']]);
        await commit({ op: 'dropChannel', uri: copy }, { op: 'dropSession', uri: elsewhere });
        expect(await held('file 0', 'file 1', 'file new')).toEqual(['file new']);
        expect([await ids(chat), await ids(copy)]).toEqual([['0:new'], []]);
        await commit(...disposal);
        expect(await held('file new')).toEqual([]);
        await commit(
          channel(chat, 0, { session }),
          channel(copy, 0, { session: elsewhere }),
          ...[0, 1, 2].flatMap((n) => [turn(n), content(`file ${n}`, `t${n}`)]),
        );
      }
    });

    test('a copy of a copy outlives both', async () => {
      const second = 'ahp-chat:/second';
      await commit(copyTurns(3), { ...turn(3), chat: copy, id: 'mine' }, content('file mine', 'mine', copy));
      await commit(copyTurns(4, second, copy), channel(second, 0, { session: elsewhere }));
      await commit({ op: 'dropChannel', uri: copy }, ...disposal);
      expect(await ids(second)).toEqual(['0:t0', '1:t1', '2:t2', '3:mine']);
      expect(await held('file 2', 'file mine')).toEqual(['file 2', 'file mine']);
      await commit({ op: 'dropTurns', chat: second, from: 0, to: 3 });
      expect([await ids(second), await held('file 2', 'file mine')]).toEqual([['3:mine'], ['file mine']]);
    });

    test('[CHAT-6] contents of the active turn are not copied, and are found after a cut', async () => {
      await commit(content('of the active', 'active'), copyTurns(2));
      await commit({ op: 'dropTurns', chat, from: 1 }, { op: 'dropContents', chat, turnId: 'active' });
      expect(await held('of the active')).toEqual([]);
      await commit(content('of the next', 'next'));
      await commit({ ...turn(1), id: 'next' });
      await commit({ op: 'dropTurns', chat: copy, from: 0 });
      expect(await held('of the next', 'file 1')).toEqual(['of the next']);
      await commit({ op: 'dropTurns', chat, from: 1 });
      expect(await held('of the next')).toEqual([]);
    });

    test('what chats share counts for each of them on disk', async () => {
      const bytes = Buffer.byteLength('{"turn":0}');
      await commit(copyTurns(3), content('of the active', 'active', copy));
      expect(await here.journal.diskUse(session)).toMatchObject({ turnsBytes: 4 * bytes, contentBytes: 16 });
      expect(await here.journal.diskUse(elsewhere)).toMatchObject({
        turnsBytes: 3 * bytes,
        contentBytes: 16,
      });
      await commit({ op: 'dropTurns', chat, from: 1 });
      expect(await here.journal.diskUse(session)).toMatchObject({ turnsBytes: bytes, contentBytes: 4 });
      expect(await here.journal.diskUse(elsewhere)).toMatchObject({
        turnsBytes: 3 * bytes,
        contentBytes: 16,
      });
    });
  });
}
