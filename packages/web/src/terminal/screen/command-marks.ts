import type { IMarker, Terminal } from '@xterm/xterm';
import { Emitter } from '../../live/emitter.ts';
import type { CommandEnd, CommandListener, CommandNote } from './output-feed.ts';

/** A command and its place in the scrollback. */
export interface CommandMark extends CommandNote {
  /** At the line of the prompt. */
  readonly start: IMarker;
  /** At the line after the output. Absent: it runs. */
  readonly end?: IMarker | undefined;
  readonly isComplete: boolean;
  readonly exitCode?: number | undefined;
  readonly durationMs?: number | undefined;
}

/** Marks beyond this number are forgotten, the oldest first. */
const MAX_MARKS = 2_000;

/** The commands in the scrollback of an emulator. */
export class CommandMarks implements CommandListener {
  readonly #terminal: Terminal;
  readonly #changed = new Emitter();
  #marks: readonly CommandMark[] = [];
  #isCaughtUp = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Commands that are still in the scrollback, the oldest first. */
  get marks(): readonly CommandMark[] {
    return this.#marks;
  }

  /** Calls `listener` after a command began, ended or left the scrollback. Returns a function that removes it. */
  onChange = (listener: () => void): (() => void) => this.#changed.add(listener);

  /** Whether what the emulator reads is new, and not output that came before this screen. */
  get isCaughtUp(): boolean {
    return this.#isCaughtUp;
  }

  reset(): void {
    this.#isCaughtUp = false;
    this.#set([]);
  }

  caughtUp(): void {
    this.#isCaughtUp = true;
  }

  started(command: CommandNote): void {
    const start = this.#mark(this.#isAtLineStart() ? -this.#promptHeight() : 0);
    if (start === undefined) return;
    start.onDispose(() => this.#set(this.#marks.filter((mark) => mark.start !== start)));
    this.#set([...this.#marks.slice(1 - MAX_MARKS), { ...command, start, isComplete: false }]);
  }

  finished({ commandId, exitCode, durationMs }: CommandEnd): void {
    if (!this.#marks.some((mark) => mark.commandId === commandId)) return;
    const end = this.#mark(this.#isAtLineStart() ? 0 : 1);
    this.#set(
      this.#marks.map((mark) =>
        mark.commandId === commandId ? { ...mark, end, isComplete: true, exitCode, durationMs } : mark,
      ),
    );
  }

  /** Scrolls to the command before or after the top of the visible part. */
  jump(direction: 'previous' | 'next'): void {
    const { viewportY } = this.#terminal.buffer.active;
    const lines = this.#marks.map(({ start }) => start.line);
    const target =
      direction === 'previous'
        ? lines.findLast((line) => line < viewportY)
        : lines.find((line) => line > viewportY);
    if (target !== undefined) this.#terminal.scrollToLine(target);
    else if (direction === 'next') this.#terminal.scrollToBottom();
  }

  /** Selects the output of a command. */
  selectOutput({ start, end }: CommandMark): void {
    const last = (end?.line ?? this.#lastLine() + 1) - 1;
    if (last > start.line) this.#terminal.selectLines(start.line + 1, last);
  }

  /** The output of a command as it stands in the scrollback. */
  bufferOutput({ start, end }: CommandMark): string {
    const buffer = this.#terminal.buffer.normal;
    let text = '';
    for (let at = start.line + 1; at < (end?.line ?? this.#lastLine() + 1); at++) {
      const line = buffer.getLine(at);
      if (line === undefined) break;
      const isContinued = buffer.getLine(at + 1)?.isWrapped === true;
      text += line.translateToString(!isContinued) + (isContinued ? '' : '\n');
    }
    return text.trimEnd();
  }

  /** Lines that the command line before the cursor takes, as far as it was wrapped. */
  #promptHeight(): number {
    const { active } = this.#terminal.buffer;
    const cursor = active.baseY + active.cursorY;
    let height = 1;
    while (active.getLine(cursor - height)?.isWrapped === true) height += 1;
    return height;
  }

  #lastLine(): number {
    const { baseY, cursorY } = this.#terminal.buffer.normal;
    return baseY + cursorY;
  }

  #isAtLineStart(): boolean {
    return this.#terminal.buffer.active.cursorX === 0;
  }

  /** A marker at the line of the cursor plus `offset`; `undefined` while a full-screen program has the screen. */
  #mark(offset: number): IMarker | undefined {
    const { type, baseY, cursorY } = this.#terminal.buffer.active;
    if (type === 'alternate') return undefined;
    return this.#terminal.registerMarker(baseY + cursorY + offset < 0 ? 0 : offset);
  }

  #set(marks: readonly CommandMark[]): void {
    this.#marks = marks;
    this.#changed.emit();
  }
}
