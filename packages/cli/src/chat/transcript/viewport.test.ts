import { describe, expect, test } from 'vitest';
import { line } from '../text/line.ts';
import { look, type Position, revealed, scrolled, type TurnSource } from './viewport.ts';

/** Turns t0, t1 … with these numbers of lines. `laidOut` has the turns that were laid out. */
function turns(...heights: number[]): TurnSource & { readonly laidOut: Set<number> } {
  const laidOut = new Set<number>();
  return {
    laidOut,
    count: heights.length,
    idOf: (index) => `t${index}`,
    indexOf: (id) => heights.findIndex((_, index) => id === `t${index}`),
    linesOf: (index) => {
      laidOut.add(index);
      return Array.from({ length: heights[index] ?? 0 }, (_, row) => line(`t${index}.${row}`));
    },
  };
}

const shown = (source: TurnSource, position: Position, height: number): string[] =>
  look(source, position, height).lines.map(({ line: [part] }) => part?.text ?? '');

describe('look', () => {
  test('shows the end', () => {
    expect(shown(turns(2, 2, 2), 'end', 3)).toEqual(['t1.1', 't2.0', 't2.1']);
  });

  test('shows all turns if they fit', () => {
    const view = look(turns(1, 1), 'end', 5);
    expect([view.lines.length, view.isAtTop, view.position]).toEqual([2, true, 'end']);
  });

  test('lays out only the visible ones of 50,000 turns', () => {
    const source = turns(...Array.from({ length: 50_000 }, () => 2));
    look(source, 'end', 20);
    expect(source.laidOut.size).toBeLessThan(15);
  });

  test('keeps its position while turns are added before and after', () => {
    const position = { turnId: 't1', offset: 1 };
    expect(shown(turns(2, 2, 9), position, 2)).toEqual(['t1.1', 't2.0']);
    expect(shown(turns(2, 2, 30), position, 2)).toEqual(['t1.1', 't2.0']);
  });

  test('goes to the end when its turn was removed', () => {
    expect(shown(turns(3), { turnId: 'gone', offset: 1 }, 2)).toEqual(['t0.1', 't0.2']);
  });
});

describe('scrolled', () => {
  test('scrolls up over turns and stops at the top', () => {
    const source = turns(2, 2, 2);
    expect(scrolled(source, 'end', -2, 2)).toEqual({ turnId: 't1', offset: 0 });
    expect(scrolled(source, 'end', -99, 2)).toEqual({ turnId: 't0', offset: 0 });
  });

  test('scrolls down, and follows the end when it is there', () => {
    const source = turns(2, 2, 2);
    expect(scrolled(source, { turnId: 't0', offset: 0 }, 3, 2)).toEqual({ turnId: 't1', offset: 1 });
    expect(scrolled(source, { turnId: 't0', offset: 0 }, 99, 2)).toBe('end');
  });
});

test('revealed moves only if the turn is not visible', () => {
  const source = turns(2, 2, 2, 2);
  expect(revealed(source, 'end', 't3', 4)).toBe('end');
  expect(revealed(source, 'end', 't0', 4)).toEqual({ turnId: 't0', offset: 0 });
});
