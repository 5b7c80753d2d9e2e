import { describe, expect, it } from 'vitest';
import { factsOf, PROBES, viewer } from '../../../test/recordings/facts.ts';
import { Emulator } from './emulator.ts';
import { fold } from './head.ts';
import { HEAD_MARK } from './trim.ts';

const SIZE = { cols: 20, rows: 6 };

const foldText = (text: string, maxLength = Number.POSITIVE_INFINITY) =>
  fold({ text, sizes: [{ at: 0, ...SIZE }], size: SIZE, scrollbackLines: 50, maxLength });

/** Output of programs, by its special feature. */
const CASES: Readonly<Record<string, string>> = {
  nothing: '',
  lines: 'one\r\ntwo\r\nthree',
  'more lines than the screen has': Array.from({ length: 40 }, (_, row) => `row ${row}\r\n`).join(''),
  'a line that wraps': `${'x'.repeat(45)}\r\nnext`,
  'a line that ends at the margin': 'x'.repeat(20),
  'wide characters': `漢字e\u0301😀\r\n${'漢'.repeat(11)}`,
  styles: '\x1b[1mbold\x1b[22;2mdim\x1b[m\r\n\x1b[3;4;5mabc\x1b[m\r\n\x1b[7;8;9;53mabc\x1b[m',
  colours: '\x1b[31mred\x1b[38;5;200mpink\x1b[48;2;1;2;3mblue\x1b[m\r\n\x1b[92;103mbright\x1b[m',
  'a style that is still set': 'plain \x1b[1;31mred',
  'erased cells': 'some text\x1b[4D\x1b[K\r\nother\x1b[3D\x1b[2P',
  'a cursor that was moved': 'one\r\ntwo\r\nthree\x1b[1;3H',
  'a scroll region': 'one\r\ntwo\x1b[2;4r\x1b[3;3H',
  'origin mode in a scroll region': 'one\r\ntwo\x1b[2;4r\x1b[?6h\x1b[2;5H',
  'modes of the keyboard': '\x1b[?1h\x1b=\x1b[?2004h',
  'modes of the mouse': '\x1b[?1002h\x1b[?1006h\x1b[?1004h',
  'insert mode without wraparound': 'text\x1b[4h\x1b[?7l\r',
  'a hidden cursor': 'text\x1b[?25l',
  'a charset': 'text\x1b(0',
  'a full screen program': 'shell\r\n$ \x1b[?1049h\x1b[2J\x1b[1;1Htitle\x1b[3;3H\x1b[31mred',
  'a full screen program behind a scroll region': 'a\r\nb\x1b[2;4r\x1b[3;2H\x1b[?1049h\x1b[r\x1b[Hfull',
};

describe('fold', () => {
  it('[TERM-4] keeps as many lines above the screen as fit, and the whole screen', async () => {
    const lines = Array.from({ length: 60 }, (_, row) => `\x1b[3${row % 8}mrow ${row}\x1b[m`);
    const whole = (await foldText(lines.join('\r\n'))).head;
    for (const maxLength of [whole.length, 400, 200]) {
      const { head } = await foldText(lines.join('\r\n'), maxLength);
      expect(head.length).toBeLessThanOrEqual(maxLength + HEAD_MARK.length + 20);
      const shown = await viewer(SIZE, [head]);
      const screen = await viewer(SIZE, [whole]);
      expect(await factsOf(shown, 0)).toEqual(await factsOf(screen, 0));
      for (const each of [shown, screen]) each.dispose();
    }
    const { head } = await foldText(lines.join('\r\n'), 0);
    expect(head).toContain('row 54');
    expect(head).not.toContain('row 53');
  });

  it.each(Object.entries(CASES))('[TERM-4] keeps %s, and later output is the same', async (_name, text) => {
    const { head } = await foldText(text);
    expect(head.startsWith(HEAD_MARK)).toBe(true);
    for (const probe of ['', ...PROBES]) {
      const early = await viewer(SIZE, [text, probe], 50);
      const late = await viewer(SIZE, [head, probe], 50);
      expect(await factsOf(late), JSON.stringify([text, probe, head])).toEqual(await factsOf(early));
      early.dispose();
      late.dispose();
    }
  });

  it('[TERM-4] keeps settings that the emulator does not know: colours, cursor shape, modes of other terminals', async () => {
    const settings = [
      '\x1b]4;1;#102030\x1b\\',
      '\x1b]11;#000000\x1b\\',
      '\x1b[5 q',
      '\x1b[?2027h',
      '\x1b[>4;2m',
    ];
    const { head } = await foldText(settings.join('text'));
    for (const setting of settings) expect(head).toContain(setting);
    expect((await foldText('\x1b]11;#000000\x1b\\\x1b]111\x1b\\')).head).not.toContain('\x1b]11;');
    expect((await foldText('\x1b[5 q\x1bc')).head).not.toContain(' q');
  });

  it('[TERM-4] separates modes from text only if the later text does nothing but scroll', async () => {
    expect((await foldText('text\r\n\x1b[?2004h')).plainModes).toBe('\x1b[?2004h');
    for (const text of ['\x1b[2;4r', '\x1b[?1049h', '\x1b[?7l', '\x1b[4h', '\x1b[31m', '\x1b(0'])
      expect((await foldText(`text\r\n${text}`)).plainModes).toBeUndefined();
  });
});

describe('Emulator', () => {
  it('erases the whole screen for `CSI 1 J` in the last cell', async () => {
    for (const sequence of ['\x1b[1J', '\x1b[?1J']) {
      const emulator = await viewer(SIZE, [`${'x'.repeat(120)}${sequence}`]);
      expect((await factsOf(emulator)).normal).toEqual(Array.from({ length: 6 }, () => '_'));
      emulator.dispose();
    }
  });

  it('rejects with an exception of the library, and with the same one from then on', async () => {
    const emulator = await Emulator.open(SIZE, 0);
    const failure = new Error('a handler failed');
    emulator.terminal.parser.registerEscHandler({ final: 'c' }, () => {
      throw failure;
    });
    await expect(emulator.feed('text\x1bc')).rejects.toBe(failure);
    await expect(emulator.feed('more')).rejects.toBe(failure);
    await expect(emulator.ask('\x1b[6n')).rejects.toBe(failure);
    emulator.dispose();
  });
});
