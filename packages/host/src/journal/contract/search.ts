import { beforeEach, describe, expect, test } from 'vitest';
import type { JournalWrite } from '../journal.ts';
import type { SearchHit } from '../search/results.ts';
import { channel, chat, type JournalUnderTest, session } from './rows.ts';

const other = 'ahp-session:/s2';
const otherChat = 'ahp-chat:/c2';

function turn(ordinal: number, message: string, answer = '', of = chat): JournalWrite {
  const responseParts = [
    { kind: 'reasoning', id: 'r', content: 'pondering' },
    { kind: 'toolCall', toolCall: { displayName: 'Terminal', toolInput: '{"command":"grep -rn needle"}' } },
    { kind: 'markdown', id: 'm', content: answer },
  ];
  const json = JSON.stringify({ id: `t${ordinal}`, message: { text: message }, responseParts });
  return { op: 'turn', chat: of, ordinal, id: `t${ordinal}`, json };
}

function listed(uri: string, title: string, day = '01'): JournalWrite {
  return {
    op: 'session',
    uri,
    modifiedAt: `2026-01-${day}T00:00:00.000Z`,
    summary: JSON.stringify({ title }),
  };
}

/** Search by words. */
export function searchContract(here: JournalUnderTest): void {
  describe('search', () => {
    const commit = (...writes: JournalWrite[]): Promise<void> => here.journal.commit(writes);
    const find = async (query: string): Promise<readonly SearchHit[]> =>
      (await here.journal.search(query, { limit: 100 })).hits;
    const where = async (query: string): Promise<string[]> =>
      (await find(query)).map((hit) => `${hit.session.uri} ${hit.turnId ?? hit.chat ?? ''} ${hit.field}`);
    const marked = async (query: string): Promise<string[]> =>
      (await find(query)).flatMap(({ snippet, matches }) =>
        matches.map(([start, end]) => snippet.slice(start, end)),
      );

    test('[CHAT-35] the command in the beginning of a referenced input is found', async () => {
      const toolInput = {
        uri: 'agenthost-content:/1',
        'x-beginning': '{"cwd":"/","command":"sieve \\"fine\\" rye',
      };
      const responseParts = [{ kind: 'toolCall', toolCall: { displayName: 'Terminal', toolInput } }];
      const json = JSON.stringify({ id: 't2', message: { text: '' }, responseParts });
      await commit({ op: 'turn', chat, ordinal: 2, id: 't2', json });
      expect(await where('sieve fine rye')).toEqual([`${session} t2 response`]);
    });

    beforeEach(async () => {
      await commit(
        listed(session, 'Baking bread'),
        listed(other, 'Second session', '20'),
        channel(chat, 0, { session, state: '{"title":"Baking bread"}' }),
        channel(otherChat, 0, { session: other, state: '{"title":"A side chat"}' }),
        turn(0, 'How much flour?', 'Five hundred grams of flour, and a *crème brûlée* afterwards.'),
        turn(1, 'And how long in the oven?', 'Forty minutes. See foo_bar() in oven.ts.'),
      );
    });

    test('titles, messages, answers and what tool calls say are found; reasoning is not', async () => {
      expect(await where('baking')).toEqual([`${session}  title`]);
      expect(await where('side')).toEqual([`${other} ${otherChat} title`]);
      expect(await where('much')).toEqual([`${session} t0 message`]);
      expect(await where('grams')).toEqual([`${session} t0 response`]);
      expect(await where('needle terminal')).toEqual([`${session} t1 response`, `${session} t0 response`]);
      expect(await where('pondering')).toEqual([]);
      expect(await find('grams')).toMatchObject([
        { session: { uri: session, summary: '{"title":"Baking bread"}' }, chat, turnId: 't0', ordinal: 0 },
      ]);
    });

    test('all words have to be there, a phrase as it stands, the last word as a beginning', async () => {
      expect(await where('flour crème')).toEqual([`${session} t0 message`]);
      expect(await where('flour oven')).toEqual([]);
      expect(await where('"five hundred"')).toHaveLength(1);
      expect(await where('"hundred five"')).toEqual([]);
      expect(await where('minu')).toHaveLength(1);
      expect(await where('minu forty')).toEqual([]);
      expect(await where('"minu"')).toEqual([]);
      expect(await marked('five hund')).toEqual(['Five', 'hundred']);
    });

    test('case, accents and punctuation do not count', async () => {
      expect(await marked('CREME brulee')).toEqual(['crème', 'brûlée']);
      expect(await marked('foo_bar')).toEqual(['foo_bar']);
      expect(await marked('oven.ts')).toEqual(['oven.ts']);
      await commit(turn(2, 'naïve ＡＢＣ cafe\u0301 ½'));
      expect(await marked('naive')).toEqual(['naïve']);
      expect(await marked('abc')).toEqual(['ＡＢＣ']);
      expect(await marked('café')).toEqual(['cafe\u0301']);
    });

    test('a part of a text in Chinese, Japanese or Korean is found', async () => {
      await commit(turn(2, '全文検索の機能を追加してください', 'サーバーとガラスと한국어, mixedテスト済み'));
      expect(await marked('検索')).toEqual(['検索']);
      expect(await marked('索検')).toEqual([]);
      expect(await marked('機能を追加')).toEqual(['機能を追加']);
      expect(await marked('ーバ')).toEqual(['ーバ']);
      expect(await marked('国')).toEqual([]);
      expect(await marked('국어')).toEqual(['국어']);
      // Its marks tell letters of Japanese apart.
      expect(await marked('カラス')).toEqual([]);
      expect(await marked('mixed テスト')).toEqual(['mixedテスト']);
    });

    test('a word that folding makes longer than 2 KB is found, whole and by its beginning', async () => {
      const word = `${'\uFDFA'.repeat(68)}abcdef`;
      await commit(turn(2, `${word} other`), listed(other, `${word} title`, '21'));
      expect(await where(`"${word}" other`)).toEqual([`${session} t2 message`]);
      expect(await where(`"${word} title"`)).toEqual([`${other}  title`]);
      expect(await where(`other ${word.slice(0, -3)}`)).toEqual([`${session} t2 message`]);
    });

    test('a long phrase is found as it stands, to its last word', async () => {
      const words = Array.from({ length: 60 }, (_, n) => `w${n % 7}`);
      await commit(turn(2, `before ${words.join(' ')} after`), turn(3, words.toReversed().join(' ')));
      expect(await where(`"${words.join(' ')}"`)).toEqual([`${session} t2 message`]);
      expect(await where(`"${words.join(' ')} w0"`)).toEqual([]);
      expect(await marked(`${'"w5 w6 w0" '.repeat(9)} "w0 after"`)).toEqual([]);
      expect(await where('"before w0" "w3 after"')).toEqual([`${session} t2 message`]);
      await commit(turn(2, `${'あ'.repeat(300)}い`), turn(3, 'あ'.repeat(300)));
      expect(await where(`"${'あ'.repeat(250)}い"`)).toEqual([`${session} t2 message`]);
    });

    test('a beginning that many words have is found in all of them, and with other words only where those are', async () => {
      const words = Array.from({ length: 150 }, (_, n) => `mango${n}`);
      await commit(turn(2, words.slice(0, 140).join(' ')), turn(3, `mandarin ${words.slice(140).join('-')}`));
      expect((await where('mango')).toSorted()).toEqual([`${session} t2 message`, `${session} t3 message`]);
      expect(await where('mandarin mang')).toEqual([`${session} t3 message`]);
      expect(await where('mango14')).toHaveLength(2);
      expect(await where('mango149')).toEqual([`${session} t3 message`]);
      expect(await where('mangoes')).toEqual([]);
      expect(await where('flour mangoes')).toEqual([]);
    });

    test('nothing in a query is more than words: neither quotes nor operators nor what is no text', async () => {
      const some = [
        '^flour',
        '(flour',
        "flour'",
        'flour*',
        '+flour',
        '"flour',
        '-flour""',
        'flo',
        'FLOUR "of flour"',
        'flour '.repeat(17_000),
      ];
      const none = [
        ...[
          '',
          ' ',
          '"',
          '""',
          '"""',
          '*',
          '-',
          'OR NOT',
          'NEAR(flour grams)',
          'message:flour',
          '{message}: flour',
        ],
        ...[
          'flour; DROP TABLE turns',
          'flour\0flour',
          '\0',
          '\ud800',
          '🥖',
          '\u0301',
          '%_',
          '\\',
          'ﷺ',
          '⑴',
          'zz AND',
        ],
        'x'.repeat(100_000),
      ];
      for (const query of [...some, ...none]) {
        const { hits, isComplete } = await here.journal.search(query, { limit: 5 });
        expect([query.slice(0, 50), isComplete, hits.length > 0]).toEqual([
          query.slice(0, 50),
          true,
          some.includes(query),
        ]);
        expect(hits.every(({ snippet, matches }) => snippet !== '' && matches.length > 0)).toBe(true);
      }
    });

    test('a snippet is some 120 characters of one line, with the places in it', async () => {
      const long = `${'lorem ipsum\n'.repeat(50)}here 🥖 is the needle in\tit ${'dolor sit '.repeat(50)}`;
      await commit(turn(2, long));
      const [hit] = (await find('the needle in')).filter(({ turnId }) => turnId === 't2');
      expect(hit?.snippet).toMatch(/^….{110,122}…$/u);
      expect(hit?.snippet).toContain('here 🥖 is the needle in it dolor');
      expect(hit?.matches.map(([start, end]) => hit.snippet.slice(start, end))).toEqual([
        'the',
        'needle',
        'in',
      ]);
    });

    test('a word that is longer than a snippet is shown from its beginning, marked as far as it is shown', async () => {
      const word = 'abcd'.repeat(40);
      await commit(turn(2, `${'lorem ipsum '.repeat(20)}${word}`));
      const [mark = ''] = await marked(word);
      expect(mark.length).toBeGreaterThanOrEqual(90);
      expect(word.startsWith(mark)).toBe(true);
    });

    test('what is in the index is what is there: turns written again, cut away, chats and sessions gone', async () => {
      await commit(turn(1, 'changed to rye'));
      expect([await where('rye'), await where('oven')]).toEqual([[`${session} t1 message`], []]);
      await commit({ op: 'dropTurns', chat, from: 1 });
      expect([await where('rye'), await where('flour')]).toEqual([[], [`${session} t0 message`]]);
      await commit(listed(session, 'Renamed'));
      expect([await where('renamed'), await where('baking')]).toEqual([
        [`${session}  title`],
        [`${session} ${chat} title`],
      ]);
      await here.reopen();
      await commit({ op: 'dropChannel', uri: chat }, { op: 'dropSession', uri: session });
      expect([await where('flour'), await where('renamed'), await where('baking')]).toEqual([[], [], []]);
      expect(await where('second')).toEqual([`${other}  title`]);
    });

    test('[SESS-12] a turn that chats share is found once, and as long as one of them shows it', async () => {
      await commit({ op: 'copyTurns', from: chat, to: otherChat, session: other, count: 1 });
      expect(await where('grams')).toEqual([`${session} t0 response`]);
      await commit({ op: 'dropChannel', uri: chat }, { op: 'dropSession', uri: session });
      expect(await where('grams')).toEqual([`${other} t0 response`]);
      expect(await find('grams')).toMatchObject([{ chat: otherChat, ordinal: 0 }]);
      await commit({ op: 'dropTurns', chat: otherChat, from: 0 });
      expect(await where('grams')).toEqual([]);
    });

    test('titles come before messages and those before answers, new before old, and of one session at most three', async () => {
      await commit(
        listed(other, 'Flour', '20'),
        turn(2, 'nothing', 'flour again'),
        turn(3, 'nothing', 'flour again'),
        turn(4, 'nothing', 'flour again'),
        turn(0, 'nothing', 'Five hundred grams of flour', otherChat),
      );
      expect(await where('flour')).toEqual([
        `${other}  title`,
        `${session} t0 message`,
        `${other} t0 response`,
        expect.stringContaining(`${session} t`),
        expect.stringContaining(`${session} t`),
      ]);
      expect(await where('grams')).toEqual([`${other} t0 response`, `${session} t0 response`]);
    });

    test('ends between two slices when nobody waits for it any more', async () => {
      const gone = new AbortController();
      const found = here.journal.search('walnut', { limit: 1, signal: gone.signal });
      gone.abort(new Error('the client has gone'));
      await expect(found).rejects.toThrow('the client has gone');
    });

    test('pages come one after the other, without a gap and without what was written since', async () => {
      for (let n = 0; n < 230; n += 1) {
        await commit(
          listed(`ahp-session:/p${n}`, 'Page'),
          channel(`ahp-chat:/p${n}`, 0, { session: `ahp-session:/p${n}` }),
          turn(0, `walnut ${n}`, '', `ahp-chat:/p${n}`),
        );
      }
      const seen: string[] = [];
      let page = await here.journal.search('walnut', { limit: 70 });
      await commit(turn(2, 'walnut later'));
      for (;;) {
        seen.push(...page.hits.map((hit) => hit.session.uri));
        if (page.next === undefined) break;
        expect(page.hits.length).toBe(70);
        page = await here.journal.search('walnut', { limit: 70, after: page.next });
      }
      expect(seen.toSorted()).toEqual(Array.from({ length: 230 }, (_, n) => `ahp-session:/p${n}`).toSorted());
    });
  });
}
