import { describe, expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { terminalLine } from '../commands/term/list.ts';
import { chooseTerminal } from '../input/ids.ts';
import { holderText, isNobody, nobodyOf, refusal } from './holding.ts';
import { keySequence, prefixKey } from './keys.ts';
import { NoticeCorner, sizeOf, variablesOf, windowOf } from './window.ts';

const terminal = (id: string) => ({
  resource: `ahp-terminal:/${id}`,
  title: id,
  claim: { kind: 'client', clientId: 'c' } as const,
  lifecycle: { status: 'running' } as const,
});

describe('the named terminal', () => {
  const all = [terminal('4f2a11'), terminal('4f2b22'), terminal('2c'), terminal('1')];

  test.each([
    ['4f2a', '4f2a11'],
    ['ahp-terminal:/2c', '2c'],
    ['2', '4f2b22'],
    ['3', '2c'],
    ['1', '1'],
    ['2c', '2c'],
  ])('%s', (given, id) => {
    expect(chooseTerminal(all, given).title).toBe(id);
  });

  test('an ambiguous and an unknown prefix', () => {
    expect(() => chooseTerminal(all, '4f')).toThrow('2 terminals begin with 4f: 4f2a11, 4f2b22');
    expect(() => chooseTerminal(all, '9\u001b[2J')).toThrow('no terminal is called 9;');
    expect(() => chooseTerminal(all, '')).toThrow('no terminal is called (nothing)');
  });
});

describe('keys by name', () => {
  test.each([
    ['ctrl-c', '\u0003'],
    ['C-c', '\u0003'],
    ['ctrl-]', '\u001d'],
    ['ctrl-space', '\u0000'],
    ['enter', '\r'],
    ['Up', '\u001b[A'],
    ['f3', '\u001bOR'],
    ['F12', '\u001b[24~'],
    ['alt-x', '\u001bx'],
    ['alt-ENTER', '\u001b\r'],
    ['X', 'X'],
    ['é', 'é'],
    ['-', '-'],
  ])('%s', (name, typed) => {
    expect(keySequence(name)).toBe(typed);
  });

  test('unknown ones are refused', () => {
    expect(() => keySequence('entr')).toThrow('no key is called entr');
    expect(() => keySequence('')).toThrow('no key is called (nothing)');
    expect(() => keySequence('ctrl-ß')).toThrow('no key is called');
  });

  test('the prefix key is a control key of its own', () => {
    expect(prefixKey('ctrl-]')).toEqual({ character: '\u001d', name: 'Ctrl-]' });
    expect(prefixKey('^A')).toEqual({ character: '\u0001', name: 'Ctrl-a' });
    for (const wrong of ['x', 'ctrl-m', 'ctrl-[', 'ctrl-i', 'ctrl-?', ''])
      expect(() => prefixKey(wrong)).toThrow('--detach-key: expected');
  });
});

describe('size and variables', () => {
  test('a size is columns and lines', () => {
    expect(sizeOf('120x40')).toEqual({ cols: 120, rows: 40 });
    for (const wrong of ['', '120', '0x4', '4x0', '99999x1', 'axb', '-1x4'])
      expect(() => sizeOf(wrong)).toThrow('--size: expected');
  });

  test('a window has a size only if it is a terminal', () => {
    const context = new FakeContext({ isTerminal: true });
    expect(windowOf(context)).toBeUndefined();
    Object.assign(context.stdout, { columns: 90, rows: 20 });
    expect(windowOf(context)).toEqual({ cols: 90, rows: 20 });
    context.stdout.isTTY = false;
    expect(windowOf(context)).toBeUndefined();
  });

  test('a variable is a name and a value', () => {
    expect(variablesOf(['A=1', 'B=x=y', 'C='])).toEqual({ A: '1', B: 'x=y', C: '' });
    for (const wrong of ['A', '=1', '', 'A B=1', '1A=1', 'Ä=1'])
      expect(() => variablesOf([wrong])).toThrow('--env: expected');
  });
});

describe('the holder of a terminal', () => {
  const uri = 'ahp-terminal:/t';

  test('is shown as text', () => {
    expect(holderText(uri, { kind: 'client', clientId: nobodyOf(uri) })).toBe('nobody');
    expect(isNobody('ahp-terminal:/u', { kind: 'client', clientId: nobodyOf(uri) })).toBe(false);
    expect(holderText(uri, { kind: 'client', clientId: 'me' }, 'me')).toBe('you');
    expect(holderText(uri, { kind: 'client', clientId: 'web\u001b[2J' })).toBe('client web');
    expect(holderText(uri, { kind: 'session', session: 'demo:/abcdefghij', chat: 'ahp-chat:/1' })).toBe(
      'session abcdefgh (background)',
    );
    expect(holderText(uri, { kind: 'session', session: 'demo:/a', chat: 'ahp-chat:/1', turnId: 't' })).toBe(
      'session a',
    );
  });

  test('a refusal has a reason; input that may have arrived is no refusal', () => {
    expect(refusal({ outcome: 'rejected', code: 'x', reason: 'no\u0007' })).toBe('no');
    expect(refusal({ outcome: 'rejected', code: 'outcomeExpired', reason: 'no' })).toBeUndefined();
    expect(refusal({ outcome: 'ignored' })).toBe('the terminal is gone');
  });
});

describe('lines for people', () => {
  test('a terminal on one line, with harmless titles', () => {
    const info = { ...terminal('4f2a11223344'), title: 'api\u001b]0;x\u0007\nserver' };
    expect(terminalLine(info, 3, { home: '/home/u' })).toBe(
      ' 3  4f2a1122  running     client c             api server',
    );
    const state = { ...info, content: [], cols: 90, rows: 20, cwd: 'file:///home/u/w' };
    expect(
      terminalLine({ ...info, lifecycle: { status: 'exited', exitCode: 130 } }, 12, {
        home: '/home/u',
        state,
      }),
    ).toBe('12  4f2a1122  exited 130  client c             api server  90x20  ~/w');
  });

  test('a notice keeps to the corner, and to the window', () => {
    expect(new NoticeCorner().show(['hi', 'there'], { cols: 20, rows: 5 })).toBe(
      '\u001b7\u001b[1;14H\u001b[0;7m hi    \u001b8\u001b7\u001b[2;14H\u001b[0;7m there \u001b8',
    );
    const narrow = new NoticeCorner().show(['some words that are long'], { cols: 12, rows: 2 });
    expect(narrow).toContain('some words');
    expect(narrow).toContain('that are');
    expect(narrow).not.toContain('long');
  });

  test('a notice covers all of the one before it, until the window is cleared', () => {
    const size = { cols: 20, rows: 5 };
    const corner = new NoticeCorner();
    corner.show(['read-only', 'c claims it'], size);
    const covering =
      '\u001b7\u001b[1;8H\u001b[0;7m yours       \u001b8\u001b7\u001b[2;8H\u001b[0;7m             \u001b8';
    expect(corner.show(['yours'], size)).toBe(covering);
    expect(corner.show(['yours'], { cols: 8, rows: 1 })).toBe('\u001b7\u001b[1;1H\u001b[0;7m yours  \u001b8');
    corner.forget();
    expect(corner.show(['yours'], size)).toBe('\u001b7\u001b[1;14H\u001b[0;7m yours \u001b8');
  });
});
