import type { TerminalHandle } from '@agenthost/client';
import type { Emulator } from '../../packages/host/src/terminals/scrollback/emulator.ts';
import { type Facts, factsOf, viewer } from '../../packages/host/test/recordings/facts.ts';

type Cell = ReturnType<Emulator['terminal']['buffer']['active']['getNullCell']>;

/** The screen of a terminal as a person sees it, drawn by an emulator from the data that the client received. */
export class DrawnScreen {
  readonly #emulator: Emulator;
  readonly #stops: (() => void)[] = [];
  #work: Promise<void> = Promise.resolve();
  #givenLength = 0;

  /** Attaches to a terminal. */
  static async of(terminal: TerminalHandle): Promise<DrawnScreen> {
    return new DrawnScreen(terminal, await viewer(sizeOf(terminal), []));
  }

  private constructor(terminal: TerminalHandle, emulator: Emulator) {
    this.#emulator = emulator;
    this.#stops.push(
      terminal.attach({
        onReset: (content) => {
          const { cols, rows } = sizeOf(terminal);
          this.#givenLength = 0;
          this.#then(() => {
            emulator.terminal.reset();
            emulator.terminal.resize(cols, rows);
          });
          this.#draw(content);
        },
        onOutput: (text) => this.#draw(text),
      }),
      terminal.mirror.onAction(({ action }) => {
        if (action.type === 'terminal/resized')
          this.#then(() => emulator.terminal.resize(action.cols, action.rows));
      }),
    );
  }

  /** Received output in UTF-16 units. Two screens with the same length are at the same position of the output. */
  get givenLength(): number {
    return this.#givenLength;
  }

  /** Lines of the screen without trailing blanks. Resolves when all received output is drawn. */
  async lines(): Promise<readonly string[]> {
    await this.#work;
    return this.#rows().map((row) => row.trimEnd());
  }

  /**
   * Size, cursor, and the character and style of each cell. The foreground colour of blank cells is left out. Resolves when all received
   * output is drawn.
   */
  async seen(): Promise<object> {
    await this.#work;
    const { cols, rows, buffer } = this.#emulator.terminal;
    const { active } = buffer;
    const lines = Array.from({ length: rows }, (_, y) => {
      const line = active.getLine(active.baseY + y);
      return Array.from({ length: cols }, (_column, x) => look(line?.getCell(x))).join(' ');
    });
    return { cols, rows, cursor: [active.cursorX, active.cursorY], lines };
  }

  /**
   * The complete state, with everything that later output depends on: modes, margins, both screens. Resolves when all received output is
   * drawn.
   */
  async facts(): Promise<Facts> {
    await this.#work;
    return factsOf(this.#emulator, 0);
  }

  /** The screen as text in a frame. Resolves when all received output is drawn. */
  async framed(title: string): Promise<readonly string[]> {
    await this.#work;
    const { cols, rows } = this.#emulator.terminal;
    const heading = `─ ${title} (${cols}×${rows}) `;
    return [
      `┌${heading.padEnd(cols, '─')}┐`,
      ...this.#rows().map((row) => `│${row}│`),
      `└${'─'.repeat(cols)}┘`,
    ];
  }

  /** Detaches. */
  close(): void {
    for (const stop of this.#stops) stop();
    this.#emulator.dispose();
  }

  #draw(text: string): void {
    this.#givenLength += text.length;
    this.#then(() => this.#emulator.feed(text));
  }

  #then(work: () => void | Promise<void>): void {
    this.#work = this.#work.then(work);
    // The methods that read the screen report the error.
    this.#work.catch(() => undefined);
  }

  /** Rows with all cells, trailing blanks included. */
  #rows(): string[] {
    const { active } = this.#emulator.terminal.buffer;
    return Array.from(
      { length: this.#emulator.terminal.rows },
      // In the alternate screen lines stay longer than a screen that was narrowed.
      (_, y) =>
        active.getLine(active.baseY + y)?.translateToString(false, 0, this.#emulator.terminal.cols) ?? '',
    );
  }
}

function look(cell: Cell | undefined): string {
  if (cell === undefined) return '_';
  const chars = cell.getChars();
  const background = [cell.getBgColorMode(), cell.getBgColor(), cell.isInverse(), cell.isUnderline()];
  if (chars.trim() === '' && cell.getWidth() === 1) return `_${background.join()}`;
  const own = [cell.getFgColorMode(), cell.getFgColor(), cell.isBold(), cell.isItalic(), cell.isDim()];
  return [chars, cell.getWidth(), ...background, ...own].join();
}

function sizeOf({ mirror }: TerminalHandle): { readonly cols: number; readonly rows: number } {
  const { cols, rows } = mirror.confirmed;
  if (cols === undefined || rows === undefined) throw new Error('the terminal has no size');
  return { cols, rows };
}
