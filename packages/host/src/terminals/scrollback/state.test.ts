import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factsOf, PROBES, viewer } from '../../../test/recordings/facts.ts';
import { fold } from './head.ts';

const size = { cols: 20, rows: 6 };

async function expectSame(text: string, probes: readonly string[] = PROBES): Promise<void> {
  const { screen, state } = await fold({ text, sizes: [{ at: 0, ...size }], size, scrollbackLines: 50 });
  for (const probe of ['', ...probes]) {
    const early = await viewer(size, [text, probe], 50);
    const late = await viewer(size, [screen + state, probe], 50);
    expect(factsOf(late), JSON.stringify([text, probe, screen, state])).toEqual(factsOf(early));
    early.dispose();
    late.dispose();
  }
}

const SEQUENCES = [
  '\r\n',
  '\n',
  '\r',
  '\b',
  '\t',
  'word',
  ' ',
  'x'.repeat(20),
  'y'.repeat(45),
  '漢字',
  '漢'.repeat(11),
  'e\u0301',
  '😀',
  '\x1b[m',
  '\x1b[1m',
  '\x1b[2m',
  '\x1b[22m',
  '\x1b[31m',
  '\x1b[44m',
  '\x1b[38;5;200m',
  '\x1b[48;2;1;2;3m',
  '\x1b[7m',
  '\x1b[4:3m',
  '\x1b[58:5:9m',
  '\x1b[9m',
  '\x1b[53m',
  '\x1b[3m',
  '\x1b[5m',
  '\x1b[8m',
  '\x1b[49m',
  '\x1b[H',
  '\x1b[3;7H',
  '\x1b[6;20H',
  '\x1b[A',
  '\x1b[2B',
  '\x1b[3C',
  '\x1b[4D',
  '\x1b[G',
  '\x1b[K',
  '\x1b[1K',
  '\x1b[2K',
  '\x1b[J',
  '\x1b[1J',
  '\x1b[2J',
  '\x1b[3J',
  '\x1b[3X',
  '\x1b[2P',
  '\x1b[2@',
  '\x1b[2L',
  '\x1b[M',
  '\x1b[S',
  '\x1b[2T',
  '\x1bM',
  '\x1bD',
  '\x1bE',
  '\x1b[2;4r',
  '\x1b[r',
  '\x1b[1;3r',
  '\x1b[?6h',
  '\x1b[?6l',
  '\x1b[?7l',
  '\x1b[?7h',
  '\x1b[4h',
  '\x1b[4l',
  '\x1b7',
  '\x1b8',
  '\x1b[s',
  '\x1b[u',
  '\x1b(0',
  '\x1b(B',
  '\x1b)0',
  '\x0e',
  '\x0f',
  '\x1b[3g',
  '\x1bH',
  '\x1b[g',
  '\x1b[?1h',
  '\x1b=',
  '\x1b>',
  '\x1b[?2004h',
  '\x1b[?1004h',
  '\x1b[?1002h',
  '\x1b[?1006h',
  '\x1b[?25l',
  '\x1b[5 q',
  '\x1b[?1049h',
  '\x1b[?1049l',
  '\x1b[?1047h',
  '\x1b[?1047l',
  '\x1bc',
  '\x1b[!p',
]; // prettier-ignore

/** Without what the emulator does in ways of its own: halves of wide characters (at the margin, or pushed apart), half saved underlines. */
function isFaithful(parts: readonly string[]): boolean {
  const has = (...some: string[]): boolean => parts.some((part) => some.some((one) => part.startsWith(one)));
  if (has('\x1b[?7l') && has('漢')) return false;
  if (has('\x1b[2@') && has('漢', '😀')) return false;
  return !(has('\x1b[4:3', '\x1b[58') && has('\x1b7', '\x1b8', '\x1b[s', '\x1b[u', '\x1b[?1049'));
}

/** Always the same cases, and with `FUZZ_RUNS` so many new ones. */
const fuzzRuns = process.env['FUZZ_RUNS'];
const RUNS = fuzzRuns === undefined ? { numRuns: 300, seed: 1 } : { numRuns: Number(fuzzRuns) };

describe('serialize', () => {
  it('[TERM-4] a terminal written down and read again has the same cells, cursor and modes, and takes later output alike', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...SEQUENCES), { maxLength: 40 }),
        fc.constantFrom(...PROBES),
        async (parts, probe) => {
          fc.pre(isFaithful(parts));
          await expectSame(parts.join(''), [probe]);
        },
      ),
      RUNS,
    );
  }, 120_000);
});
