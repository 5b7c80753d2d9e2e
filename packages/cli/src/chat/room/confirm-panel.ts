import type { OverlayLines, OverlayPanel } from '../app/panel.ts';
import type { KeyContext } from '../keys/bindings.ts';
import { line } from '../text/line.ts';

/** Asks before something is done that cannot be undone. */
export class ConfirmPanel implements OverlayPanel {
  readonly context: KeyContext = 'confirm';
  readonly title = 'Are you sure?';
  readonly #question: string;
  readonly #yes: () => void;
  readonly #close: () => void;

  constructor(question: string, yes: () => void, close: () => void) {
    this.#question = question;
    this.#yes = yes;
    this.#close = close;
  }

  conditions(): readonly string[] {
    return [];
  }

  lines(): OverlayLines {
    return { lines: [line(this.#question)], focus: 0 };
  }

  run(command: string): void {
    this.#close();
    if (command === 'yes') this.#yes();
  }
}
