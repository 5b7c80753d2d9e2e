import type { AnnotationAnchor, TextRange } from '@agenthost/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FileLines } from './file-lines.ts';
import { findAnchor, makeAnchor } from './line-anchor.ts';

const lines = (first: number, last = first): TextRange => ({
  start: { line: first, character: 0 },
  end: { line: last + 1, character: 0 },
});

const FILE = [
  'import { join } from "node:path";',
  '',
  'export function one(): number {',
  '  const value = compute();',
  '  return value;',
  '}',
  '',
  'export function two(): number {',
  '  const value = compute();',
  '  return value;',
  '}',
  '',
  'export const three = 3;',
];

function anchorOf(text: readonly string[], range: TextRange): AnnotationAnchor {
  const anchor = makeAnchor(new FileLines(text), range);
  if (anchor === undefined) throw new Error('no anchor');
  return anchor;
}

/** The first and last line that an annotation of `range` in FILE has in another text. */
function found(text: readonly string[], range: TextRange): [number, number] | undefined {
  const at = findAnchor(new FileLines(text), anchorOf(FILE, range), range);
  return (
    at && [
      at.start.line,
      at.end.character === 0 && at.end.line > at.start.line ? at.end.line - 1 : at.end.line,
    ]
  );
}

const inserted = (at: number, ...more: string[]): string[] => FILE.toSpliced(at, 0, ...more);

describe('an anchor', () => {
  test('has the whole lines of its range, and three on each side', () => {
    expect(
      anchorOf(FILE, { start: { line: 7, character: 7 }, end: { line: 8, character: 4 } }),
    ).toStrictEqual({
      quote: 'export function two(): number {\n  const value = compute();',
      linesBefore: ['  return value;', '}', ''],
      linesAfter: ['  return value;', '}', ''],
    });
    expect(anchorOf(FILE, lines(4)).copies).toBe(2);
    expect(anchorOf(FILE, lines(0)).linesBefore).toStrictEqual([]);
    expect(anchorOf(FILE, lines(12, 40)).quote).toBe('export const three = 3;');
  });

  test.each([
    ['lines behind the end', lines(13)],
    ['a negative line', lines(-1)],
    ['a fraction', { start: { line: 0.5, character: 0 }, end: { line: 1, character: 0 } }],
    ['an end before the start', { start: { line: 5, character: 0 }, end: { line: 2, character: 0 } }],
  ])('of %s does not exist', (_, range) => {
    expect(makeAnchor(new FileLines(FILE), range)).toBeUndefined();
  });

  test('of a very long text does not exist, and long lines around it are cut', () => {
    const long = 'x'.repeat(20_000);
    expect(makeAnchor(new FileLines([long]), lines(0))).toBeUndefined();
    expect(anchorOf([long, 'short', long], lines(1)).linesBefore[0]).toHaveLength(200);
    const range = lines(1);
    expect(
      findAnchor(new FileLines(['new', long, 'short', long]), anchorOf([long, 'short', long], range), range),
    ).toEqual(lines(2));
  });

  test('lines end at CRLF too', () => {
    expect(FileLines.of('one\r\ntwo\nthree').lines).toStrictEqual(['one', 'two', 'three']);
  });
});

describe('anchored lines', () => {
  test('stay where they are in an unchanged file', () => {
    for (let line = 0; line < FILE.length; line += 1) expect(found(FILE, lines(line))).toEqual([line, line]);
  });

  test('move with lines that are added or removed in front, with the characters of the range', () => {
    expect(found(inserted(0, '// one', '// two'), lines(3, 4))).toEqual([5, 6]);
    expect(found(FILE.slice(2), lines(7, 9))).toEqual([5, 7]);
    const range = { start: { line: 12, character: 13 }, end: { line: 12, character: 18 } };
    const at = findAnchor(new FileLines(inserted(0, 'new')), anchorOf(FILE, range), range);
    expect(at).toEqual({ start: { line: 13, character: 13 }, end: { line: 13, character: 18 } });
  });

  test('are found by their surroundings if they occur several times', () => {
    const swapped = [...FILE.slice(0, 2), ...FILE.slice(7, 11), '', ...FILE.slice(2, 6), '', FILE[12] ?? ''];
    expect(found(swapped, lines(3))).toEqual([8, 8]);
    expect(found(swapped, lines(8))).toEqual([3, 3]);
  });

  test('are gone when only a copy of them is left elsewhere', () => {
    expect(found(FILE.toSpliced(2, 5), lines(4))).toBeUndefined();
    expect(found(FILE.toSpliced(2, 5), lines(5))).toBeUndefined();
  });

  test('are found with another indentation', () => {
    const nested = FILE.map((line) => (line === '' ? '' : `    ${line.replace('(): ', '():  ')}`));
    expect(found(nested, lines(7, 9))).toEqual([7, 9]);
  });

  test('are found when they have changed a little between the same lines, and keep the height that they have now', () => {
    const changed = FILE.with(12, 'export const three = 4;');
    expect(found(changed, lines(12))).toEqual([12, 12]);
    const longer = FILE.toSpliced(
      7,
      2,
      'export function two(): number {',
      '  // slow',
      '  const value = compute();',
    );
    expect(found(longer, lines(7, 8))).toEqual([7, 9]);
  });

  test('are gone when something else stands in their place', () => {
    expect(found(FILE.with(12, 'console.log("done");'), lines(12))).toBeUndefined();
    expect(found(FILE.slice(0, 12), lines(12))).toBeUndefined();
    expect(found([''], lines(2, 5))).toBeUndefined();
  });

  test('in a file of a million empty lines are found in little time', () => {
    const text = Array.from({ length: 1_000_000 }, () => '');
    text[600_000] = 'one line of text in the middle';
    const range = lines(600_000);
    const anchor = makeAnchor(new FileLines(text), range);
    const file = new FileLines(text.toSpliced(0, 1_000));
    expect(anchor && findAnchor(file, anchor, range)).toEqual(lines(599_000));
    const empty = lines(700_000);
    const copy = makeAnchor(file, empty);
    const start = performance.now();
    for (let count = 0; count < 30; count += 1) expect(copy && findAnchor(file, copy, empty)).toEqual(empty);
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  test('a text that says a lot is found far away, without its surroundings', () => {
    expect(found(['// another file', 'export function two(): number {', 'other'], lines(7))).toEqual([1, 1]);
    expect(found(['// another file', '  return value;', 'other'], lines(4))).toBeUndefined();
  });
});

/** A line of a file with its identity, which survives changes of its text. */
interface Tracked {
  readonly id: number;
  readonly text: string;
}

const word = fc.stringMatching(/^[a-z]{4,8}$/);
/** Five words that no other seed has. */
function sentenceOf(seed: number): string {
  const digits = Array.from(
    { length: 5 },
    (_, index) => Math.imul(seed + 1, 2_654_435_761 + 2 * index) >>> 0,
  );
  return digits
    .map((digit) => digit.toString(26).replace(/\d/g, (each) => 'qrstuvwxyz'[Number(each)] ?? ''))
    .join(' ');
}
const sentence = fc.nat({ max: 1_000_000 }).map(sentenceOf);
const edit = fc.oneof(
  fc.record({
    kind: fc.constant('insert' as const),
    at: fc.nat(),
    texts: fc.array(
      sentence.map((text) => `New ${text}`),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('change' as const), at: fc.nat(), text: word }),
  fc.record({ kind: fc.constant('indent' as const), at: fc.nat() }),
  fc.record({
    kind: fc.constant('move' as const),
    at: fc.nat(),
    to: fc.nat(),
    count: fc.integer({ min: 1, max: 4 }),
  }),
);
type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;

let nextId = 0;
function apply(file: readonly Tracked[], change: Edit): Tracked[] {
  const at = change.at % (file.length + 1);
  const line = file[at];
  switch (change.kind) {
    case 'insert':
      return file.toSpliced(at, 0, ...change.texts.map((text) => ({ id: (nextId += 1), text })));
    case 'remove':
      return file.toSpliced(at, change.count);
    case 'change':
      return line === undefined ? [...file] : file.with(at, { ...line, text: `${line.text} ${change.text}` });
    case 'indent':
      return line === undefined ? [...file] : file.with(at, { ...line, text: `  ${line.text}` });
    case 'move': {
      const moved = file.slice(at, at + change.count);
      const rest = file.toSpliced(at, change.count);
      return rest.toSpliced(change.to % (rest.length + 1), 0, ...moved);
    }
    default:
      return change satisfies never;
  }
}

const scene = fc.record({
  texts: fc.uniqueArray(sentence, { minLength: 5, maxLength: 25 }),
  at: fc.nat(),
  height: fc.integer({ min: 1, max: 5 }),
  edits: fc.array(edit, { maxLength: 6 }),
});

describe('random changes', () => {
  test('an anchor follows its lines or says that they are gone, and never has other lines alone', () => {
    let foundCount = 0;
    let changedCount = 0;
    fc.assert(
      fc.property(scene, ({ texts, at, height, edits }) => {
        let file: Tracked[] = texts.map((text) => ({ id: (nextId += 1), text }));
        const first = at % texts.length;
        const range = lines(first, Math.min(first + height, texts.length) - 1);
        const own = new Set(file.slice(first, first + height).map(({ id }) => id));
        const anchor = anchorOf(texts, range);
        for (const change of edits) file = apply(file, change);
        const present = findAnchor(new FileLines(file.map(({ text }) => text)), anchor, range);
        const isWhole = file.findIndex(({ id }) => own.has(id));
        const untouched =
          file
            .slice(isWhole, isWhole + own.size)
            .map(({ text }) => text)
            .join('\n') === anchor.quote;
        if (present === undefined) {
          expect(isWhole >= 0 && untouched, 'lines that are all there are found').toBe(false);
          return;
        }
        foundCount += 1;
        const last =
          present.end.character === 0 && present.end.line > present.start.line
            ? present.end.line - 1
            : present.end.line;
        const hit = file.slice(present.start.line, last + 1);
        const kept = hit.filter(({ id }) => own.has(id)).length;
        if (hit.map(({ text }) => text).join('\n') !== anchor.quote) changedCount += 1;
        expect(kept * 2).toBeGreaterThanOrEqual(own.size);
        expect(kept * 2).toBeGreaterThanOrEqual(hit.length);
      }),
      { numRuns: 3_000 },
    );
    // The property must not hold only because nothing is found.
    expect(foundCount).toBeGreaterThan(1_500);
    expect(changedCount).toBeGreaterThan(50);
  });

  test('in a file of few distinct lines, an anchor has the same text or says that it is gone', () => {
    const few = fc.array(fc.constantFrom('}', '', '  return value;', 'end'), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(few, few, fc.nat(), fc.integer({ min: 1, max: 3 }), (before, after, at, height) => {
        const first = at % before.length;
        const range = lines(first, Math.min(first + height, before.length) - 1);
        const anchor = anchorOf(before, range);
        const present = findAnchor(new FileLines(after), anchor, range);
        if (present === undefined) return;
        const told = (text: string): Set<string> =>
          new Set(text.split('\n').filter((line) => /\w\w/.test(line)));
        const own = told(anchor.quote);
        const shared = [...told(anchorOf(after, present).quote)].filter((line) => own.has(line));
        expect(shared.length * 2).toBeGreaterThanOrEqual(own.size);
      }),
      { numRuns: 3_000 },
    );
  });
});
