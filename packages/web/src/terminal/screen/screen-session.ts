import type { TerminalHandle } from '@agenthost/client';
import { fontSizeSetting, screenReaderSetting } from '../terminal-settings.ts';
import { CommandMarks } from './command-marks.ts';
import { Emulator } from './emulator.ts';
import { OutputFeed } from './output-feed.ts';
import { needsConfirmation, pastedKeys } from './paste-text.ts';
import { screenCommand } from './screen-keys.ts';
import { sizeOf } from './size.ts';
import { scrollByTouch } from './touch-scroll.ts';
import { VisibleMarks } from './visible-marks.ts';

/** Events of a screen. */
export interface ScreenEvents {
  /** Name for screen readers. */
  readonly label: string;
  onKeys(keys: string): void;
  /** Several lines were pasted into a program that may run each of them. */
  onPasteQuestion(pasted: string): void;
  onLink(url: string): void;
  onBell(): void;
  onLeave(): void;
  onCopy(selection: string): void;
}

/** One terminal shown in one element: emulator, output, command marks, keys and touch. */
export class ScreenSession {
  readonly emulator: Emulator;
  readonly marks: CommandMarks;
  readonly visible: VisibleMarks;
  readonly #events: ScreenEvents;
  readonly #undo: (() => void)[] = [];

  constructor(terminal: TerminalHandle, parent: HTMLElement, events: ScreenEvents) {
    this.#events = events;
    this.emulator = new Emulator(
      {
        ...sizeOf(terminal.state),
        fontSize: fontSizeSetting.value,
        hasScreenReader: screenReaderSetting.value,
        label: events.label,
      },
      {
        onKeys: (keys) => events.onKeys(keys),
        onLink: (url) => events.onLink(url),
        // Bells of earlier output ring no more.
        onBell: () => this.marks.isCaughtUp && events.onBell(),
      },
    );
    this.emulator.open(parent);
    this.marks = new CommandMarks(this.emulator.terminal);
    this.visible = new VisibleMarks(this.emulator, this.marks);
    const feed = new OutputFeed(terminal, this.emulator.terminal, this.marks);
    this.#takeKeys();
    this.#takePaste(parent);
    this.#undo.push(
      () => feed.stop(),
      scrollByTouch(parent, this.emulator.terminal, () => this.emulator.cell.height),
    );
  }

  /** Pastes text, as one paste where the program knows that. */
  paste(pasted: string): void {
    const { terminal } = this.emulator;
    terminal.input(pastedKeys(pasted, terminal.modes.bracketedPasteMode), true);
  }

  dispose(): void {
    for (const undo of this.#undo.splice(0)) undo();
    this.visible.dispose();
    this.emulator.dispose();
  }

  #takeKeys(): void {
    const { terminal } = this.emulator;
    terminal.attachCustomKeyEventHandler((event) => {
      const command = screenCommand(event);
      if (command === undefined) return true;
      // The browser pastes by itself; other views take the rest.
      if (command === 'paste' || command === 'none') return false;
      event.preventDefault();
      if (event.type !== 'keydown') return false;
      if (command === 'copy') this.#events.onCopy(terminal.getSelection());
      else if (command === 'leave') this.#events.onLeave();
      else this.marks.jump(command);
      return false;
    });
  }

  #takePaste(parent: HTMLElement): void {
    const take = (event: ClipboardEvent): void => {
      event.preventDefault();
      event.stopPropagation();
      const pasted = event.clipboardData?.getData('text/plain') ?? '';
      if (pasted === '') return;
      if (needsConfirmation(pasted, this.emulator.terminal.modes.bracketedPasteMode))
        this.#events.onPasteQuestion(pasted);
      else this.paste(pasted);
    };
    parent.addEventListener('paste', take, { capture: true });
    this.#undo.push(() => parent.removeEventListener('paste', take, { capture: true }));
  }
}
