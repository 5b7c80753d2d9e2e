import { describe, expect, test } from 'vitest';
import { compareRules, parseRules, ruleIdsOf } from './rules.ts';

const outcome = (title: string, status = 'passed') => ({
  file: 'x.test.ts',
  title,
  titles: ['a chat', title],
  status,
});
const list = parseRules(
  [
    '| rule | what it asks | status |',
    '|---|---|---|',
    '| A-1 | One. | implemented |',
    '| A-2 | Two. | planned |',
  ].join('\n'),
);

describe('ids in titles', () => {
  test('all brackets at the head count, those further in are prose', () => {
    expect(ruleIdsOf('[ACT-5] [REC-1] a resent action, see [CHAT-7]')).toEqual(['ACT-5', 'REC-1']);
    expect(ruleIdsOf('an action, see [CHAT-7]')).toEqual([]);
  });
});

describe('the list', () => {
  test('is read from the table', () => {
    expect(list).toEqual([
      { id: 'A-1', sentence: 'One.', status: 'implemented' },
      { id: 'A-2', sentence: 'Two.', status: 'planned' },
    ]);
  });

  test('names the waiting parts of an implemented rule', () => {
    const rows = ['| A-1 | One. | implemented |', '| A-2 | Two. | planned |', '', '## Parts that wait', ''];
    const read = (line: string) => parseRules([...rows, line].join('\n'));
    const [first] = read('- A-1: its telephone.');
    expect(first).toEqual({ id: 'A-1', sentence: 'One.', status: 'implemented', waiting: 'its telephone.' });
    const { lines, summary } = compareRules(read('- A-1: its telephone.'), undefined, [
      outcome('[A-1] works'),
    ]);
    expect(lines[1]).toContain('waits: its telephone.');
    expect(summary).toContain('1 implemented (1 but for parts that wait), 0 partly, 1 planned');
    expect(() => read('- A-2: all of it.')).toThrow('A-2');
    expect(() => read('- A-3: what is that?')).toThrow('A-3');
  });

  test('a misspelt status is an error, not an unchecked rule', () => {
    expect(() => parseRules('| A-1 | One. | implemnted |')).toThrow('A-1');
  });
});

describe('the comparison', () => {
  test('only a passing test holds an implemented rule', () => {
    expect(compareRules(list, ['A-1', 'A-2'], [outcome('[A-1] works')]).problems).toEqual([]);
    for (const tests of [
      [],
      [outcome('[A-1] works', 'failed')],
      [outcome('[A-1] works', 'skipped')],
      [outcome('see [A-1]')],
    ]) {
      expect(compareRules(list, ['A-1', 'A-2'], tests).problems).toEqual([
        'A-1 is marked implemented, but no passing test names it',
      ]);
    }
  });

  test('a planned rule with a passing test is partly held', () => {
    const { problems, summary } = compareRules(list, undefined, [
      outcome('[A-1] works'),
      outcome('[A-2] too'),
    ]);
    expect(problems).toEqual([]);
    expect(summary).toContain('1 implemented, 1 partly, 0 planned');
  });

  test('an id that only one side knows is a problem, and so is an unknown id', () => {
    const { problems } = compareRules(list, ['A-1', 'A-3'], [outcome('[A-1] works'), outcome('[B-9] works')]);
    expect(problems).toEqual([
      'A-3 is in the protocol page, not in docs/rules.md',
      'A-2 is in docs/rules.md, not in the protocol page',
      'x.test.ts names B-9, which docs/rules.md does not list: [B-9] works',
    ]);
  });
});
