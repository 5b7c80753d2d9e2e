import type { ResponsePart, Turn } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { RowProjector } from '../transcript/rows.ts';
import { ChatSearch, offsetsOf, rangesOf } from './find-model.ts';
import { numberOfPlace, rowOfPlace } from './find-row.ts';

const turn = (id: string, text: string, ...responseParts: ResponsePart[]): Turn => ({
  id,
  message: { text, origin: { kind: 'user' } },
  responseParts,
  state: 'complete',
});

describe('finding text in a chat', () => {
  it('finds places without regard to case and accents', () => {
    expect(offsetsOf('Foo foo FOO', 'foo')).toEqual([0, 4, 8]);
    expect(rangesOf('Ein Café', 'cafe')).toEqual([[4, 8]]);
    expect(offsetsOf('anything', '')).toEqual([]);
  });

  it('lists the places of messages and parts, oldest first', () => {
    const turns = [
      turn('a', 'find me', { kind: 'markdown', id: 'm', content: 'me and me' }),
      turn('b', 'nothing', { kind: 'reasoning', id: 'r', content: 'about me' }),
    ];
    const places = new ChatSearch('me').placesIn({ turns });
    expect(places.map(({ turnId, index, nth }) => [turnId, index, nth])).toEqual([
      ['a', -1, 0],
      ['a', 0, 0],
      ['a', 0, 1],
      ['b', 0, 0],
    ]);
  });

  it('names the row of a place, also in a long answer', () => {
    const content = `${'Paragraph of words. '.repeat(20)}\n\n`.repeat(20).concat('needle');
    const turns = [turn('a', 'hay', { kind: 'markdown', id: 'm', content })];
    const rows = new RowProjector().rowsOf({ turns });
    const [place] = new ChatSearch('needle').placesIn({ turns });
    expect(place && rowOfPlace(rows, place)).toMatchObject({ kind: 'text', isLastChunk: true });
    const all = new ChatSearch('words').placesIn({ turns });
    const last = all.at(-1);
    const row = last && rowOfPlace(rows, last);
    const inRow = all.filter((each) => rowOfPlace(rows, each) === row);
    expect(row && numberOfPlace(all, last, { row, query: 'words' })).toBe(inRow.length - 1);
    expect(inRow.length).toBeLessThan(all.length);
  });

  it('counts the head of a table that shows again in the row of a place', () => {
    const content = `| Bread |\n|---|\n${'| bread of rye |\n'.repeat(500)}| needle |\n`;
    const turns = [turn('a', 'hay', { kind: 'markdown', id: 'm', content })];
    const row = new RowProjector().rowsOf({ turns }).findLast(({ kind }) => kind === 'text');
    const all = new ChatSearch('bread').placesIn({ turns });
    const shown = all.filter((each) => rowOfPlace(row === undefined ? [] : [row], each) !== undefined);
    const [first] = shown;
    expect(first && row && numberOfPlace(all, first, { row, query: 'bread' })).toBe(1);
  });

  it('leads to the last row of a turn for the error that ended it', () => {
    const error: ResponsePart = {
      kind: 'error',
      error: { errorType: 'hostRestarted', message: 'The host was restarted' },
    };
    const complete = turn('failed', 'question', { kind: 'markdown', id: 'p1', content: 'words' }, error);
    const turns: Turn[] = [{ ...complete, state: 'error' }];
    const rows = new RowProjector().rowsOf({ turns });
    const [place] = new ChatSearch('restarted').placesIn({ turns });
    expect(place && rowOfPlace(rows, place)).toMatchObject({ kind: 'end', turnId: 'failed' });
  });
});
