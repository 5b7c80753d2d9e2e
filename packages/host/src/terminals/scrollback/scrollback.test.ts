import { type TerminalContentPart, type TerminalState, terminalReducer } from '@agenthost/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factsOf, PROBES, viewer } from '../../../test/recordings/facts.ts';
import { RECORDINGS, recorded, SIZE } from '../../../test/recordings/recorded.ts';
import { cutAt } from './cut.ts';
import { CLEAR, Scrollback, type ScrollbackOptions } from './scrollback.ts';
import { headOf, textOfAll, trimContent } from './trim.ts';

const LINES = 60;
const SMALL: ScrollbackOptions = {
  limit: 2048,
  lineCount: LINES,
  foldAbove: 1024,
  foldedLength: Number.POSITIVE_INFINITY,
};

/** A terminal's content as the host keeps it: reduced, trimmed, folded, and now and then read back from disk. */
class Kept {
  content: TerminalContentPart[] = [];
  size = { cols: SIZE.cols as number, rows: SIZE.rows as number };
  scrollback: Scrollback;
  readonly options: ScrollbackOptions;

  constructor(options = SMALL) {
    this.options = options;
    this.scrollback = new Scrollback(this.size, options);
  }

  write(data: string): void {
    const state: TerminalState = {
      title: '',
      lifecycle: { status: 'running' },
      claim: { kind: 'client', clientId: 'c' },
      content: this.content,
    };
    this.content = terminalReducer(state, { type: 'terminal/data', data }).content;
    this.content = this.scrollback.trim(this.content);
  }

  async fold(): Promise<void> {
    const folding = this.scrollback.fold(this.content);
    if (folding !== undefined) this.content = this.scrollback.apply(this.content, await folding);
  }

  reload(): void {
    this.content = JSON.parse(JSON.stringify(this.content));
    this.scrollback = new Scrollback(this.size, this.options);
  }
}

/** Cuts where a parser of output may cut: never inside a character or a sequence. */
function chunksOf(text: string, length: number): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = at + length;
    while (end < text.length && cutAt(text.slice(at), end - at) !== end - at && text[end - 1] !== '\n') end++;
    chunks.push(text.slice(at, end));
    at = end;
  }
  return chunks;
}

async function expectSameView(early: string, late: string, why: string, lines = LINES): Promise<void> {
  const one = await viewer(SIZE, [early]);
  const other = await viewer(SIZE, [late]);
  expect(await factsOf(other, lines), why).toEqual(await factsOf(one, lines));
  one.dispose();
  other.dispose();
}

/** The same cases in each run. `FUZZ_RUNS` adds this many random ones. */
const FUZZ_RUNS = process.env['FUZZ_RUNS'];

describe('Scrollback', () => {
  it.each(RECORDINGS)(
    '[TERM-4] a late viewer of %s sees the same as an early one, wherever the output was trimmed',
    async (name) => {
      const text = recorded(name);
      for (const length of [113, 997, 4099]) {
        const kept = new Kept();
        let written = 0;
        let looks = 0;
        for (const [index, chunk] of chunksOf(
          text,
          Math.max(length, Math.ceil(text.length / 400)),
        ).entries()) {
          kept.write(chunk);
          written += chunk.length;
          if (index % 3 === 0) await kept.fold();
          if (index % 50 === 49) kept.reload();
          if (written < text.length && (written * 12) / text.length < looks) continue;
          looks++;
          await expectSameView(text.slice(0, written), textOfAll(kept.content), `${name} to ${written}`);
        }
        expect(written).toBe(text.length);
        const output = textOfAll(kept.content.slice(headOf(kept.content) === undefined ? 0 : 1));
        expect(output.length).toBeLessThanOrEqual(2048 * 1.5);
      }
    },
    120_000,
  );

  it('[TERM-4] any mixture of output leads late viewers to the same screen, and later output has the same effect', async () => {
    const pieces = [
      'line\r\n',
      'a longer line of text\r\n',
      '\x1b[32mgreen\x1b[m\r\n',
      '\x1b[44mblue\x1b[m',
      '\x1b[m',
      '漢字\r\n',
      '\x1b[?2004h',
      '\x1b[?1049h\x1b[5;5Halternate\n\x1b[?1049l',
      '\x1b[H',
      '\x1b[2J',
      '\x1b7\x1b[Hcorner\x1b8',
      '\rover',
      'n\r\n'.repeat(80),
      '\x1b[10;20Hplaced',
      '\x1b[K',
      '\t|',
      '\x1b[7m',
    ]; // prettier-ignore
    // `SerializeAddon` leaves a hyphen where a scroll region cut a wrapped line.
    const wrapping = ['x'.repeat(200), `${'wide log line '.repeat(12)}\r\n`];
    const regions = ['\x1b[5;10r', '\x1b[r'];
    const mixture = fc
      .constantFrom(wrapping, regions)
      .chain((more) => fc.array(fc.constantFrom(...pieces, ...more), { minLength: 20, maxLength: 150 }));
    await fc.assert(
      fc.asyncProperty(
        mixture,
        fc.integer({ min: 1, max: 9 }),
        // This emulator restores a cursor to a line of the scrollback until that is full, so viewers differ anyway.
        fc.constantFrom('', ...PROBES.filter((probe) => !/\x1b8|1049l/.test(probe))),
        async (parts, every, probe) => {
          const kept = new Kept({ ...SMALL, limit: 256, foldAbove: 300 });
          for (const [index, part] of parts.entries()) {
            kept.write(part);
            if (index % every === 0) await kept.fold();
            if (index % 40 === 39) kept.reload();
          }
          await expectSameView(
            parts.join('') + probe,
            textOfAll(kept.content) + probe,
            JSON.stringify(parts),
          );
        },
      ),
      FUZZ_RUNS === undefined ? { numRuns: 60, seed: 1 } : { numRuns: Number(FUZZ_RUNS) },
    );
  }, 120_000);

  it('[TERM-4] output during a fold stays after it', async () => {
    const kept = new Kept();
    const text = '\x1b[?1h\x1b[3;20r\x1b[20;1H'.concat(
      ...Array.from({ length: 600 }, (_, i) => `row ${i}\r\n`),
    );
    for (const chunk of chunksOf(text.slice(0, 4000), 100)) kept.write(chunk);
    const folding = kept.scrollback.fold(kept.content);
    for (const chunk of chunksOf(text.slice(4000), 100)) kept.write(chunk);
    expect(kept.scrollback.fold(kept.content)).toBeUndefined();
    const before = headOf(kept.content)?.length ?? 0;
    kept.content = kept.scrollback.apply(kept.content, (await folding) ?? expect.fail('no fold ran'));
    expect(headOf(kept.content)?.length).toBeLessThan(before);
    await expectSameView(text, textOfAll(kept.content), 'grown');
  });

  it('[TERM-4] lines of another width are folded for the current width', async () => {
    const kept = new Kept();
    const line = `${'word '.repeat(14)}\r\n`.repeat(100);
    kept.write(line);
    const size = { cols: 40, rows: 12 };
    kept.size = size;
    kept.scrollback.resized(kept.content, size);
    const rest = `\x1b[2Jsmall\r\n${'n\r\n'.repeat(1200)}`;
    kept.write(rest);
    await kept.fold();
    const early = await viewer(SIZE, [line]);
    early.terminal.resize(size.cols, size.rows);
    const late = await viewer(size, [textOfAll(kept.content)]);
    await early.feed(rest);
    expect(await factsOf(late, LINES)).toEqual(await factsOf(early, LINES));
  });

  it('[TERM-4] a flood of plain lines keeps the head short, and needs no emulator', async () => {
    const kept = new Kept({ limit: 64 * 1024, lineCount: LINES });
    let text = '';
    for (let index = 0; index < 40_000; index += 100) {
      let chunk = '';
      for (let n = 0; n < 100; n++)
        chunk += `\x1b[3${(index + n) % 8}mline ${index + n}\x1b[m of a flood\r\n`;
      kept.write(chunk);
      text += chunk;
      expect(kept.scrollback.fold(kept.content)).toBeUndefined();
    }
    expect(headOf(kept.content)?.length).toBeLessThan(256 * 1024);
    await expectSameView(text, textOfAll(kept.content), 'flood');
  });

  it.each([
    ['plain', (line: number) => `line ${line} of a flood\r\n`],
    ['other', (line: number) => `\x1b7\x1b[H${line}\x1b8line ${line}\r\n`],
  ])('[TERM-4] a head of %s lines has fewer of them when they are too long together', async (_, lineAt) => {
    const kept = new Kept({ limit: 4_096, lineCount: LINES, foldAbove: 2_000, foldedLength: 700 });
    let text = '';
    for (let line = 0; line < 2_000; line += 10) {
      const chunk = Array.from({ length: 10 }, (_, index) => lineAt(line + index)).join('');
      kept.write(chunk);
      text += chunk;
      await kept.fold();
      const length = headOf(kept.content)?.length ?? 0;
      // The screen of 24 lines, and the output of one trim.
      expect(length).toBeLessThan(5_000);
    }
    await expectSameView(text, textOfAll(kept.content), 'short');
  });

  it('[TERM-4] a style without a reset does not grow', () => {
    const kept = new Kept({ limit: 64 * 1024, lineCount: LINES });
    for (let index = 0; index < 2_000; index++)
      kept.write(`\x1b[3${index % 8}m${'text '.repeat(60)}\r\n`.repeat(4));
    expect(headOf(kept.content)?.slice(0, 20)).toMatch(/^\x1b\[0;0m(\x1b\[3\dm){1,2}text/);
  });

  it('[TERM-4] an unended line is bounded too', async () => {
    const kept = new Kept({ limit: 16 * 1024, lineCount: LINES });
    let text = '';
    for (let index = 0; index < 400; index++) {
      const chunk = `\x1b[3${index % 8}m${index} endless `.repeat(100);
      kept.write(chunk);
      text += chunk;
      expect(kept.scrollback.fold(kept.content)).toBeUndefined();
    }
    expect(headOf(kept.content)?.length).toBeLessThan(256 * 1024);
    await expectSameView(text, textOfAll(kept.content), 'endless');
  });

  it('[TERM-4] modes outlive a clear for viewers that come later', async () => {
    const kept = new Kept();
    kept.write('text\r\n\x1b[?2004h\x1b[31m\x1b[2;9r\x1b[5;5H');
    const front = await kept.scrollback.cleared(kept.content);
    kept.content = kept.scrollback.prepend([{ type: 'unclassified', value: 'after' }], front);
    await expectSameView(
      `text\r\n\x1b[?2004h\x1b[31m\x1b[2;9r\x1b[5;5H${CLEAR}after`,
      textOfAll(kept.content),
      'cleared',
    );
    const plain = new Kept();
    plain.write('text\r\n');
    expect(await plain.scrollback.cleared(plain.content)).toBe('');
  });
});

describe('trimContent', () => {
  const command = (commandId: string, output: string): TerminalContentPart => ({
    type: 'command',
    commandId,
    commandLine: 'x',
    output,
    timestamp: 1,
    isComplete: false,
  });

  it('[TERM-4] hands back the same array within the bound', () => {
    const content: TerminalContentPart[] = [{ type: 'unclassified', value: 'x'.repeat(1200) }];
    expect(trimContent(content, 1000)).toBe(content);
  });

  it('[TERM-4] drops whole parts oldest first and keeps the tail part, cut at a line start', () => {
    const content = [command('a', 'first\r\n'.repeat(50)), command('b', 'second\r\n'.repeat(200))];
    const trimmed = trimContent(content, 1000);
    expect(trimmed).toHaveLength(2);
    expect(trimmed[1]).toMatchObject({ commandId: 'b', commandLine: 'x', isComplete: false });
    expect(textOfAll(trimmed.slice(1))).toMatch(/^(second\r\n)+$/);
    expect(textOfAll(trimmed.slice(1)).length).toBeLessThanOrEqual(1000);
    expect(textOfAll(trimmed)).toBe(`\x1b[0;0m${textOfAll(content)}`);
  });

  it('[TERM-4] cuts a line longer than the bound at a character, never inside a pair, a sequence or a cluster', () => {
    for (const unit of ['😀', '\x1b[38;5;123mx', 'e\u0301', '\x1b]8;;http://a\x07b', '\x1bPq#0\n#1\x1b\\z']) {
      for (const extra of ['', 'a', 'ab', 'abc']) {
        const text = extra + unit.repeat(400);
        const rest = textOfAll(trimContent([{ type: 'unclassified', value: text }], 500).slice(1));
        expect(rest.length).toBeLessThanOrEqual(500);
        expect(text.endsWith(rest)).toBe(true);
        expect(unit.repeat(400).slice(-rest.length)).toBe(rest);
        const split = unit.startsWith('\x1b') ? unit.length - 1 : unit.length;
        expect([0, split]).toContain(
          rest.length % unit.length === 0 ? 0 : unit.length - (rest.length % unit.length),
        );
      }
    }
  });
});
