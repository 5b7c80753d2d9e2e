import type { ChatHandle } from '@agenthost/client';
import type { LineReader } from '../process/line-reader.ts';
import { askInputRequest, type InputResponse } from '../question/input-request.ts';
import type { Screen } from '../render/screen.ts';

/** The questions that are being answered here, one form at a time. */
export class FormFilling {
  readonly #screen: Screen;
  readonly #reader: Pick<LineReader, 'hold'>;
  #open: { readonly requestId: string; readonly leave: AbortController } | undefined;

  constructor(screen: Screen, reader: Pick<LineReader, 'hold'>) {
    this.#screen = screen;
    this.#reader = reader;
  }

  /** Asks the questions of a request; lines go to it until then. `undefined` when it was left, or closed elsewhere. */
  async fill(chat: ChatHandle, requestId: string): Promise<InputResponse | undefined> {
    const leave = new AbortController();
    const lines = this.#reader.hold();
    this.#open = { requestId, leave };
    try {
      return await askInputRequest(this.#screen, lines, chat.inputRequest(requestId), leave.signal);
    } finally {
      this.#open = undefined;
      lines.release();
    }
  }

  /** A request was closed, by whomever; without an id all are. */
  closed(requestId?: string): void {
    if (this.#open === undefined) return;
    if (requestId !== undefined && requestId !== this.#open.requestId) return;
    if (requestId !== undefined) this.#screen.note('    answered by another client');
    this.#open.leave.abort();
  }
}
