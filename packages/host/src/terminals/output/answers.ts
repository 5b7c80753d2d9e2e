import type { TerminalState } from '@agenthost/protocol';
import { type AnsweringScreen, answerTo, DEFAULT_LOOK, type ModeState } from '../../pty/parser/answers.ts';
import type { TerminalQuery } from '../../pty/parser/events.ts';
import type { Pty } from '../../pty/pty.ts';
import type { TerminalParts } from '../parts.ts';
import type { Emulator } from '../scrollback/emulator.ts';
import { LiveScreen } from '../scrollback/screen.ts';
import { textOfAll } from '../scrollback/trim.ts';

/** The part of an answer that only an emulator knows. */
type Reading = Pick<AnsweringScreen, 'cursor' | 'mode'>;

/** Limit of queries that wait for an answer. Further queries get none. */
const MAX_WAITING = 64;

/** In the order of the numbers of DECRPM. */
const MODE_STATES: readonly ModeState[] = ['unknown', 'set', 'reset', 'alwaysSet', 'alwaysReset'];

/** For queries that need no screen. */
const NO_READING: Reading = { cursor: { row: 1, column: 1 }, mode: () => 'unknown' };

/** Answers the queries of a terminal's program, in order [TERM-3]. */
export class Answers {
  readonly #parts: Pick<TerminalParts, 'settings' | 'log'>;
  readonly #pty: Pty;
  readonly #screen: LiveScreen;
  #last: Promise<void> = Promise.resolve();
  #waitingCount = 0;

  constructor(parts: Pick<TerminalParts, 'settings' | 'log' | 'timers'>, pty: Pty) {
    this.#parts = parts;
    this.#pty = pty;
    this.#screen = new LiveScreen(parts.timers);
  }

  /** The program wrote this text. Call it in order with `answer`. */
  wrote(text: string): void {
    this.#screen.wrote(text);
  }

  /** Writes the answer to the pty. `state`: the state of the terminal right behind the query. */
  answer(query: TerminalQuery, state: TerminalState): void {
    const needsScreen = query.kind === 'cursorPosition' || query.kind === 'mode';
    if (!needsScreen && this.#waitingCount === 0) return this.#type(query, state, NO_READING);
    if (this.#waitingCount >= MAX_WAITING) return;
    this.#waitingCount += 1;
    const reading = needsScreen ? this.#read(query, state) : Promise.resolve(NO_READING);
    this.#last = Promise.all([reading, this.#last])
      .then(([read]) => this.#type(query, state, read))
      .catch((error: unknown) => this.#parts.log.warn({ error }, 'could not answer a query of a program'))
      .finally(() => {
        this.#waitingCount -= 1;
      });
  }

  /** Whether a query waits for its answer. */
  get isAnswering(): boolean {
    return this.#waitingCount > 0;
  }

  /** Disposes of the emulator, because the terminal was cleared or has ended. */
  forget(): void {
    this.#screen.close();
  }

  #read(query: TerminalQuery, state: TerminalState): Promise<Reading> {
    return this.#screen.read(
      sizeOf(state),
      () => textOfAll(state.content),
      (emulator) => readingOf(emulator, query),
    );
  }

  #type(query: TerminalQuery, state: TerminalState, reading: Reading): void {
    const { version } = this.#parts.settings;
    this.#pty.write(answerTo(query, { ...reading, size: sizeOf(state), look: DEFAULT_LOOK, version }));
  }
}

const sizeOf = ({ cols = 80, rows = 24 }: TerminalState): { cols: number; rows: number } => ({ cols, rows });

/** The emulator answers the same query itself. */
async function readingOf(emulator: Emulator, query: TerminalQuery): Promise<Reading> {
  if (query.kind === 'mode') {
    const said = await emulator.ask(`\x1b[${query.isPrivate ? '?' : ''}${query.mode}$p`);
    const known = MODE_STATES[Number(/;(\d)\$y$/.exec(said)?.[1])] ?? 'unknown';
    return { ...NO_READING, mode: () => known };
  }
  const [, row, column] = /^\x1b\[(\d+);(\d+)R$/.exec(await emulator.ask('\x1b[6n')) ?? [];
  return { ...NO_READING, cursor: { row: Number(row ?? 1), column: Number(column ?? 1) } };
}
