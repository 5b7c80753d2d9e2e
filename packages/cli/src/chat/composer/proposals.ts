import { type CompletionItem, ErrorCodes, type URI } from '@agenthost/protocol';
import { wireCodeOf } from '../../host-link/rpc-answer.ts';
import { type Environment, messageOf } from '../app/environment.ts';
import { asksForCompletion, type Popup } from './completion.ts';
import type { Editor } from './editor.ts';

const delayMs = 60;

/** What there is where the host names none. */
const usualTriggers: readonly string[] = ['@', '/', '#'];

/** Asks the host for proposals while somebody types. A host that has none is asked once. */
export class Proposals {
  readonly #env: Environment;
  #popup: Popup | undefined;
  #cancel: (() => void) | undefined;
  #abort: AbortController | undefined;
  #isSupported = true;

  constructor(env: Environment) {
    this.#env = env;
  }

  get popup(): Popup | undefined {
    return this.#popup;
  }

  get selected(): CompletionItem | undefined {
    return this.#popup?.items[this.#popup.selected];
  }

  close(): void {
    this.#cancel?.();
    this.#abort?.abort();
    this.#popup = undefined;
  }

  move(by: -1 | 1): void {
    if (this.#popup === undefined) return;
    const { items, selected } = this.#popup;
    this.#popup = { items, selected: (selected + by + items.length) % items.length };
  }

  /** The message has changed. */
  typed(channel: URI, editor: Editor): void {
    const triggers = this.#env.client.host?.completionTriggerCharacters ?? usualTriggers;
    this.#cancel?.();
    this.#abort?.abort();
    if (!this.#isSupported || !asksForCompletion(editor, triggers)) {
      this.#popup = undefined;
      return;
    }
    this.#cancel = this.#env.later(delayMs, () => void this.#ask(channel, editor));
  }

  async #ask(channel: URI, { text, cursor }: Editor): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const { items } = await this.#env.client.request(
        'completions',
        { channel, kind: 'userMessage', text, offset: cursor },
        { signal: abort.signal },
      );
      if (abort.signal.aborted) return;
      this.#popup = items.length === 0 ? undefined : { items, selected: 0 };
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#popup = undefined;
      if (wireCodeOf(error) === ErrorCodes.MethodNotFound) this.#isSupported = false;
      else this.#env.notice(`no proposals: ${messageOf(error)}`, 'problem');
    }
    this.#env.changed();
  }
}
