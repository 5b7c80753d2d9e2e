import { outputOf, type TerminalContentPart, type TerminalState, terminalReducer } from '@agenthost/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAt } from './cut.ts';
import { isPlainText } from './plain.ts';
import { TailPieces } from './tail.ts';

/** The content of a terminal with what it is told to its tail. */
class Told {
  state: TerminalState = { title: '', claim: { kind: 'client', clientId: 'c' }, content: [] };
  readonly tail = new TailPieces();

  write(data: string): void {
    this.state = terminalReducer(this.state, { type: 'terminal/data', data }, 0);
    this.tail.wrote(this.state.content, data);
  }

  execute(commandId: string): void {
    const action = { type: 'terminal/commandExecuted', commandId, commandLine: 'x', timestamp: 1 } as const;
    this.state = terminalReducer(this.state, action, 0);
  }

  finish(commandId: string): void {
    this.state = terminalReducer(this.state, { type: 'terminal/commandFinished', commandId }, 0);
  }

  clear(): void {
    this.state = terminalReducer(this.state, { type: 'terminal/cleared' }, 0);
  }

  get last(): TerminalContentPart {
    return this.state.content.at(-1) ?? { type: 'unclassified', value: '' };
  }
}

describe('TailPieces', () => {
  it('[TERM-4] cuts where the text itself would be cut, whatever came before, or says that it cannot tell', () => {
    const texts = [
      'line\r\n',
      '\n',
      'x',
      '漢字',
      '\x1b[32mgreen\x1b[m\r\n',
      '\x1b[2J',
      'long '.repeat(5_000),
      '\x1b]8;;a\n',
    ];
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...texts).map((text) => (told: Told) => told.write(text)) },
      fc.constant((told: Told) => told.execute('a')),
      fc.constant((told: Told) => told.finish('a')),
      fc.constant((told: Told) => told.clear()),
    );
    let cutCount = 0;
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (steps, where) => {
          const told = new Told();
          for (const run of steps) run(told);
          for (let round = 0; round < 3; round++) {
            const text = outputOf(told.last);
            const from = 1 + Math.floor(where * text.length);
            const cut = told.tail.cut(told.last, from);
            if (cut === undefined) return;
            cutCount += 1;
            const at = cutAt(text, from);
            expect(cut.dropped.join('')).toBe(text.slice(0, at));
            expect(cut.rest.join('')).toBe(text.slice(at));
            expect(isPlainText(text.slice(0, at))).toBe(true);
            told.tail.cutTo(cut.rest);
            told.state = { ...told.state, content: [{ type: 'unclassified', value: text.slice(at) }] };
            told.write('more\r\nand more');
          }
        },
      ),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 300) },
    );
    expect(cutCount).toBeGreaterThan(20);
  });

  it('[TERM-4] says nothing of a part that began before it was told', () => {
    const told = new Told();
    told.state = { ...told.state, content: [{ type: 'unclassified', value: 'before\r\nit\r\n' }] };
    told.write('later\r\nmore');
    expect(told.tail.cut(told.last, 4)).toBeUndefined();
    told.execute('a');
    told.write('output\r\nof a\r\n');
    expect(told.tail.cut(told.last, 4)?.dropped).toEqual(['output\r\n']);
  });
});
