import xterm from '@xterm/headless';
import { describe, expect, test } from 'vitest';
import { type AnsweringScreen, answerTo, DEFAULT_LOOK } from './answers.ts';
import { OutputParser } from './parser.ts';

const screen: AnsweringScreen = {
  cursor: { row: 3, column: 17 },
  size: { cols: 100, rows: 30 },
  mode: (mode, isPrivate) => {
    if (isPrivate) return mode === 2004 ? 'set' : mode === 25 ? 'reset' : 'unknown';
    return mode === 4 ? 'reset' : mode === 2 ? 'alwaysReset' : mode === 12 ? 'alwaysSet' : 'unknown';
  },
  look: DEFAULT_LOOK,
  version: '1.2.3',
};

/** The answers to a program that wrote this output. */
const answers = (output: string): string[] =>
  new OutputParser({ nonce: 'n' })
    .push(Buffer.from(output))
    .flatMap((event) => (event.type === 'query' ? [answerTo(event.query, screen)] : []));

const CASES: readonly (readonly [name: string, query: string, ...answers: string[]])[] = [
  ['DA1', '\x1b[c', '\x1b[?62;22c'],
  ['DA1 with 0', '\x1b[0c', '\x1b[?62;22c'],
  ['DA1 by a C1 control', '\x9bc', '\x1b[?62;22c'],
  ['DA2', '\x1b[>c', '\x1b[>0;276;0c'],
  ['DA2 with 0', '\x1b[>0c', '\x1b[>0;276;0c'],
  ['DA3', '\x1b[=c', '\x1bP!|00000000\x1b\\'],
  ['XTVERSION', '\x1b[>q', '\x1bP>|agenthost(1.2.3)\x1b\\'],
  ['XTVERSION with 0', '\x1b[>0q', '\x1bP>|agenthost(1.2.3)\x1b\\'],
  ['the operating status', '\x1b[5n', '\x1b[0n'],
  ['CPR', '\x1b[6n', '\x1b[3;17R'],
  ['DECXCPR', '\x1b[?6n', '\x1b[?3;17R'],
  ['DECRQM of a mode that is set', '\x1b[?2004$p', '\x1b[?2004;1$y'],
  ['DECRQM of a mode that is reset', '\x1b[?25$p', '\x1b[?25;2$y'],
  ['DECRQM of an unknown mode', '\x1b[?9999$p', '\x1b[?9999;0$y'],
  ['DECRQM of an ANSI mode', '\x1b[4$p', '\x1b[4;2$y'],
  ['DECRQM of a mode that is always reset', '\x1b[2$p', '\x1b[2;4$y'],
  ['DECRQM of a mode that is always set', '\x1b[12$p', '\x1b[12;3$y'],
  ['the size in pixels', '\x1b[14t', '\x1b[4;540;900t'],
  ['the size of a cell', '\x1b[16t', '\x1b[6;18;9t'],
  ['the size in characters', '\x1b[18t', '\x1b[8;30;100t'],
  ['the foreground, ending as asked', '\x1b]10;?\x07', '\x1b]10;rgb:d4d4/d4d4/d4d4\x07'],
  ['the background, ending as asked', '\x1b]11;?\x1b\\', '\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\'],
  ['the background by C1 controls', '\x9d11;?\x9c', '\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\'],
  ['the cursor colour', '\x1b]12;?\x07', '\x1b]12;rgb:d4d4/d4d4/d4d4\x07'],
  [
    'several colours at once',
    '\x1b]10;?;?\x07',
    '\x1b]10;rgb:d4d4/d4d4/d4d4\x07',
    '\x1b]11;rgb:1e1e/1e1e/1e1e\x07',
  ],
  ['one colour behind one that is set', '\x1b]10;red;?\x07', '\x1b]11;rgb:1e1e/1e1e/1e1e\x07'],
  ['XTGETTCAP', '\x1bP+q544e;524742\x1b\\', '\x1bP0+r544e;524742\x1b\\'],
  ['DECRQSS', '\x1bP$q q\x1b\\', '\x1bP0$r\x1b\\'],
];

describe('answers to programs', () => {
  test.each(CASES)('[TERM-3] %s is answered as xterm would', (_name, query, ...expected) => {
    expect(answers(`before${query}after`)).toEqual(expected);
  });

  test.each([
    '\x1b[>c',
    '\x1b[5n',
    '\x1b[6n',
    '\x1b[?6n',
    '\x1b[?2004$p',
    '\x1b[?25$p',
    '\x1b[?9999$p',
    '\x1b[4$p',
  ])('[TERM-3] %j is answered as xterm.js does', async (query) => {
    const terminal = new xterm.Terminal({ cols: 100, rows: 30, allowProposedApi: true });
    const said: string[] = [];
    terminal.onData((data) => said.push(data));
    const before = '\x1b[?2004h\x1b[?25l\x1b[3;17H';
    await new Promise<void>((resolve) => terminal.write(before + query, resolve));
    terminal.dispose();
    expect(answers(before + query)).toEqual(said);
  });

  test.each([
    ['a cursor style', '\x1b[2 q'],
    ['moving to a column', '\x1b[6G'],
    ['an unknown status', '\x1b[7n'],
    ['what kitty asks about its keyboard', '\x1b[?u'],
    ['setting a colour', '\x1b]11;#ffffff\x07'],
    ['setting a mode', '\x1b[?2004h'],
    ['resizing', '\x1b[8;24;80t'],
    ['a query broken off', '\x1b[6\x18n'],
    ['a device string that only BEL ends', '\x1bP+q544e\x07'],
    ['a soft reset', '\x1b[!p'],
    ['a title', '\x1b]0;?\x07'],
    ['a hyperlink', '\x1b]8;;?\x07'],
  ])('%s is no query', (_name, output) => {
    expect(answers(output)).toEqual([]);
  });

  test('an answer that comes back as output is not answered again', () => {
    for (const [, query] of CASES) {
      const typed = answers(query).join('');
      expect(typed).not.toBe('');
      expect(answers(typed)).toEqual([]);
      // In a paste, in a line that a shell shows, and twice.
      expect(answers(`\x1b[200~${typed}\x1b[201~`)).toEqual([]);
      expect(answers(`$ ${typed}${typed}\r\n`)).toEqual([]);
    }
  });

  test('no answer contains text that a program chose', () => {
    expect(answers('\x1bP+qrm -rf ~\r\x1b\\')).toEqual(['\x1bP0+r\x1b\\']);
    expect(answers('\x1bP$q\rid\r\x1b\\')).toEqual(['\x1bP0$r\x1b\\']);
    expect(answers(`\x1bP+q${'a'.repeat(1000)}\x1b\\`)).toEqual(['\x1bP0+r\x1b\\']);
  });
});
