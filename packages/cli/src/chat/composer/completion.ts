import {
  type CompletionItem,
  ErrorCodes,
  type MessageAttachment,
  type TextRange,
  type URI,
} from '@agenthost/protocol';
import { wireCodeOf } from '../../host-link/host-errors.ts';
import { oneLine } from '../../render/plain-text.ts';
import { type Environment, messageOf } from '../app/environment.ts';
import { type Line, line, span } from '../text/line.ts';
import { cutLine } from '../text/wrap.ts';
import { type Editor, replaceRange } from './editor.ts';

/** Proposals that show below the message. */
export interface Popup {
  readonly items: readonly CompletionItem[];
  readonly selected: number;
}

/** Something that stands in the message for an attachment. */
export interface Inserted {
  readonly words: string;
  readonly attachment: MessageAttachment;
}

/** An open quote after a trigger character. The host has the same rule [CHAT-16]. */
const OPEN_QUOTE = /(?<![\p{L}\p{N}\p{M}_.+\-/@#&])([@#])"(?:[^"\\\n]|\\.)*$/u;

/** Position of the trigger character before the cursor, at the beginning of a word. */
export function asksForCompletion({ text, cursor }: Editor, triggers: readonly string[]): boolean {
  const quoting = OPEN_QUOTE.exec(text.slice(0, cursor))?.[1];
  if (quoting !== undefined && triggers.includes(quoting)) return true;
  const word = /\S*$/.exec(text.slice(0, cursor))?.[0] ?? '';
  const [first = ''] = word;
  if (!triggers.includes(first)) return false;
  // A command stands at the beginning of the message; a path has slashes anywhere.
  return first !== '/' || (cursor === word.length && !word.slice(1).includes('/'));
}

/** The message with a proposal taken, and what it stands for. */
export function taken(editor: Editor, item: CompletionItem): { editor: Editor; inserted: Inserted } {
  const { rangeStart = editor.cursor, rangeEnd = editor.cursor, insertText, attachment } = item;
  const rest = editor.text.slice(rangeEnd);
  const inserted = { words: insertText.trim(), attachment };
  // Within the quotes of a folder, the path goes on.
  if (insertText.endsWith('/"')) {
    const { text, cursor } = replaceRange(editor, rangeStart, rangeEnd, insertText);
    return { editor: { text, cursor: cursor - 1 }, inserted };
  }
  // Folders go on; whatever else is complete has a space behind it.
  const gap = insertText.endsWith('/') || insertText.endsWith(' ') || rest.startsWith(' ') ? '' : ' ';
  return { editor: replaceRange(editor, rangeStart, rangeEnd, insertText + gap), inserted };
}

/** The attachments whose text is still in the message, with their current positions. */
export function attachmentsIn(text: string, inserted: readonly Inserted[]): MessageAttachment[] {
  const found: MessageAttachment[] = [];
  let from = 0;
  const inOrder = inserted
    .map((entry) => ({ ...entry, at: text.indexOf(entry.words) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => one.at - other.at);
  for (const { words, attachment } of inOrder) {
    const later = text.indexOf(words, from);
    const at = later < 0 ? text.indexOf(words) : later;
    from = at + words.length;
    found.push({ ...attachment, range: rangeOf(text, at, from) });
  }
  return found;
}

function rangeOf(text: string, start: number, end: number): TextRange {
  const position = (offset: number): { line: number; character: number } => {
    const before = text.slice(0, offset).split('\n');
    return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  };
  return { start: position(start), end: position(end) };
}

/** The popup as lines, the selected proposal in sight. */
export function popupLines({ items, selected }: Popup, width: number, height: number): Line[] {
  const first = Math.max(0, Math.min(selected - height + 1, items.length - height));
  const top = selected < first ? selected : first;
  return items.slice(top, top + height).map(({ insertText, attachment }, index): Line => {
    const isAt = top + index === selected;
    const words = oneLine(insertText, 300);
    const label = oneLine(attachment.label, 300);
    const more = label === words || words.endsWith(label) ? '' : `  ${label}`;
    return cutLine(
      [...line(`  ${words}`, isAt ? { inverse: true } : { color: 'cyan' }), span(more, { dim: true })],
      width,
    );
  });
}

const REQUEST_DELAY_MS = 60;

/** Trigger characters of a host that lists none. */
const DEFAULT_TRIGGERS: readonly string[] = ['@', '/', '#'];

/** Requests completions from the host while the user types. A host without completions is asked once. */
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
    const triggers = this.#env.client.host?.completionTriggerCharacters ?? DEFAULT_TRIGGERS;
    this.#cancel?.();
    this.#abort?.abort();
    if (!this.#isSupported || !asksForCompletion(editor, triggers)) {
      this.#popup = undefined;
      return;
    }
    this.#cancel = this.#env.later(REQUEST_DELAY_MS, () => void this.#ask(channel, editor));
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
