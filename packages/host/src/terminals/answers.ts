import type { TerminalState } from '@agenthost/protocol';
import { type AnsweringScreen, answerTo, DEFAULT_LOOK, type ModeState } from '../pty/output/answers.ts';
import type { TerminalQuery } from '../pty/output/events.ts';
import type { Pty } from '../pty/pty.ts';
import type { TerminalParts } from './parts.ts';
import { feed, openEmulator, type Size } from './scrollback/emulator.ts';
import { emulatorCore } from './scrollback/internals.ts';
import { textOfAll } from './scrollback/trim.ts';

/** What of a screen only an emulator knows. */
type Reading = Pick<AnsweringScreen, 'cursor' | 'mode'>;

/** Queries that wait for their answers at most; of a program that asks without reading, the rest get none. */
const MAX_WAITING = 64;

/** As DECRPM numbers them. */
const MODE_STATES: readonly ModeState[] = ['unknown', 'set', 'reset', 'alwaysSet', 'alwaysReset'];

/** Most answers need no screen. */
const NO_READING: Reading = { cursor: { row: 1, column: 1 }, mode: () => 'unknown' };

/** Answers the queries of one terminal's program, in the order of asking [TERM-3]. */
export class Answers {
  readonly #parts: Pick<TerminalParts, 'settings' | 'log'>;
  readonly #pty: Pty;
  #last: Promise<void> = Promise.resolve();
  #waitingCount = 0;

  constructor(parts: Pick<TerminalParts, 'settings' | 'log'>, pty: Pty) {
    this.#parts = parts;
    this.#pty = pty;
  }

  /** Types the answer; `state` is the terminal's right behind the query. */
  answer(query: TerminalQuery, state: TerminalState): void {
    const needsScreen = query.kind === 'cursorPosition' || query.kind === 'mode';
    if (!needsScreen && this.#waitingCount === 0) return this.#type(query, state, NO_READING);
    if (this.#waitingCount >= MAX_WAITING) return;
    this.#waitingCount += 1;
    this.#last = this.#last
      .then(async () => {
        const reading = needsScreen ? await readScreen(state, query) : NO_READING;
        this.#type(query, state, reading);
      })
      .catch((error: unknown) => this.#parts.log.warn({ error }, 'a query of a program was not answered'))
      .finally(() => {
        this.#waitingCount -= 1;
      });
  }

  #type(query: TerminalQuery, state: TerminalState, reading: Reading): void {
    const { version } = this.#parts.settings;
    this.#pty.write(answerTo(query, { ...reading, size: sizeOf(state), look: DEFAULT_LOOK, version }));
  }
}

const sizeOf = ({ cols = 80, rows = 24 }: TerminalState): Size => ({ cols, rows });

/** Has an emulator read the output; it knows where the cursor is and which modes are set by saying so itself. */
async function readScreen(state: TerminalState, query: TerminalQuery): Promise<Reading> {
  const terminal = await openEmulator(sizeOf(state), 0);
  try {
    await feed(terminal, textOfAll(state.content));
    let said = '';
    terminal.onData((data) => {
      said += data;
    });
    const core = emulatorCore(terminal);
    if (query.kind === 'mode') {
      core.writeSync(`\x1b[${query.isPrivate ? '?' : ''}${query.mode}$p`);
      const code = /;(\d)\$y$/.exec(said)?.[1];
      const known = MODE_STATES[Number(code)] ?? 'unknown';
      return { ...NO_READING, mode: () => known };
    }
    core.writeSync('\x1b[6n');
    const [, row, column] = /^\x1b\[(\d+);(\d+)R$/.exec(said) ?? [];
    return { ...NO_READING, cursor: { row: Number(row ?? 1), column: Number(column ?? 1) } };
  } finally {
    terminal.dispose();
  }
}
