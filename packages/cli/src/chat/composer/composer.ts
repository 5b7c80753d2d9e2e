import type { ChatHandle } from '@agenthost/client';
import type { Message } from '@agenthost/protocol';
import { oneLine } from '../../render/plain-text.ts';
import type { Environment } from '../app/environment.ts';
import type { KeyEvent } from '../keys/key-event.ts';
import { attachmentsIn, type Inserted, Proposals, taken } from './completion.ts';
import { DraftSync, rewritten } from './draft.ts';
import {
  type Editor,
  EMPTY_EDITOR,
  edited,
  editorOf,
  type History,
  historyOf,
  insert,
  movedByLine,
  stepped,
} from './editor.ts';

/** Purpose of the message in the composer. */
export type ComposerPurpose =
  | { readonly kind: 'new' }
  /** Takes the place of one that waits. */
  | { readonly kind: 'pending'; readonly id: string; readonly message: Message }
  /** Takes the place of an earlier one, and of all that came of it. */
  | { readonly kind: 'resend'; readonly turnId: string; readonly message: Message };

/** The message that somebody is writing. */
export class Composer {
  readonly proposals: Proposals;
  readonly #chat: ChatHandle;
  readonly #draft: DraftSync;
  #editor: Editor;
  #inserted: readonly Inserted[] = [];
  #history: History | undefined;
  #purpose: ComposerPurpose = { kind: 'new' };
  /** Attachments of the draft while another message is edited. */
  #putAside: readonly Inserted[] = [];

  constructor(env: Environment, chat: ChatHandle) {
    this.#chat = chat;
    this.#draft = new DraftSync(env, chat);
    this.proposals = new Proposals(env);
    this.#editor = editorOf(this.#draft.whole?.text ?? '');
  }

  get editor(): Editor {
    return this.#editor;
  }

  get purpose(): ComposerPurpose {
    return this.#purpose;
  }

  /** The edited message: its other parts are kept. */
  get carried(): Message | undefined {
    const purpose = this.#purpose;
    if (purpose.kind === 'new') return this.#draft.whole;
    if (purpose.kind === 'resend') return purpose.message;
    // Somebody else may have changed it meanwhile.
    const { messages, steering } = this.#chat.queue;
    return (
      [...messages, ...(steering === undefined ? [] : [steering])].find(({ id }) => id === purpose.id)
        ?.message ?? purpose.message
    );
  }

  /** The message has no text and no attachments. */
  get isEmpty(): boolean {
    return this.#editor.text === '' && (this.carried?.attachments ?? []).length === 0;
  }

  /** The chat has changed: perhaps its draft. */
  update(): void {
    const text = this.#draft.foreign();
    if (text === undefined || this.#purpose.kind !== 'new' || text === this.#editor.text) return;
    const { cursor, text: before } = this.#editor;
    this.#editor = { text, cursor: cursor === before.length ? text.length : Math.min(cursor, text.length) };
    this.proposals.close();
  }

  /** Takes text and editing keys. */
  type(event: KeyEvent): void {
    const next = 'text' in event ? insert(this.#editor, event.text) : edited(this.#editor, event.key);
    if (next !== undefined) this.#set(next);
  }

  paste(text: string): void {
    this.#set(insert(this.#editor, text.replace(/\r\n?/g, '\n')));
  }

  /** A line up or down; at the edge of the text a message of the past. */
  step(by: -1 | 1): void {
    const moved = movedByLine(this.#editor, by);
    if (moved !== undefined) {
      this.#editor = moved;
      return;
    }
    if (this.#purpose.kind !== 'new') return;
    const step = stepped(this.#history ?? this.#sent(), by, this.#editor.text);
    if (step === undefined) return;
    this.#setText(step.text);
    this.#history = step.history;
  }

  /** Takes the selected proposal. */
  take(): void {
    const item = this.proposals.selected;
    if (item === undefined) return;
    const { editor, inserted } = taken(this.#editor, item);
    this.#inserted = [...this.#inserted, inserted];
    this.proposals.close();
    this.#set(editor);
  }

  /** Edits another message. The current draft comes back afterwards. */
  takeUp(purpose: Exclude<ComposerPurpose, { kind: 'new' }>): void {
    if (this.#purpose.kind === 'new') {
      this.#draft.flush(this.#editor.text);
      this.#putAside = this.#inserted;
    }
    this.#purpose = purpose;
    this.#inserted = [];
    this.#editor = editorOf(purpose.message.text);
  }

  /** Takes a message back that was not sent after all, unless another one has been begun. */
  takeBack(message: Message): void {
    if (!this.isEmpty || this.#purpose.kind !== 'new') return;
    this.#editor = editorOf(message.text);
    this.#draft.set(message);
  }

  /** Ends the edit of another message, or clears this one. */
  clear(): void {
    this.proposals.close();
    this.#inserted = this.#putAside;
    this.#putAside = [];
    if (this.#purpose.kind === 'new') {
      this.#editor = EMPTY_EDITOR;
      this.#history = undefined;
      return this.#draft.clear();
    }
    this.#purpose = { kind: 'new' };
    this.#editor = editorOf(this.#draft.whole?.text ?? '');
  }

  /** Whether the message is a command of this program; the message is then gone. */
  takeCommand(command: string): boolean {
    if (this.#purpose.kind !== 'new' || this.#editor.text.trim() !== command) return false;
    this.clear();
    return true;
  }

  /** The words behind a command of this program, '' for none; `undefined` when the message is another one. The message is then gone. */
  takeWords(command: string): string | undefined {
    const text = this.#editor.text.trim();
    if (this.#purpose.kind !== 'new' || (text !== command && !text.startsWith(`${command} `)))
      return undefined;
    this.clear();
    return text.slice(command.length).trim();
  }

  /** The message, which is then gone from here; `undefined` when there is nothing in it. */
  send(): { readonly message: Message; readonly purpose: ComposerPurpose } | undefined {
    const { text } = this.#editor;
    if (text.trim() === '') return undefined;
    const message = rewritten(this.carried, text, attachmentsIn(text, this.#inserted));
    const purpose = this.#purpose;
    this.proposals.close();
    this.#inserted = [];
    this.#history = undefined;
    if (purpose.kind === 'new') {
      this.#editor = EMPTY_EDITOR;
      this.#draft.clear();
    } else this.clear();
    return { message, purpose };
  }

  /** Closes the composer. The text stays as the chat's draft. */
  dispose(): void {
    this.proposals.close();
    if (this.#purpose.kind === 'new') this.#draft.flush(this.#editor.text);
  }

  #sent(): History {
    const { turns, activeTurn } = this.#chat.mirror.state;
    const messages = [...turns, ...(activeTurn === undefined ? [] : [activeTurn])].map(
      ({ message }) => message,
    );
    return historyOf(messages.filter(({ origin }) => origin.kind === 'user').map(({ text }) => text));
  }

  #set(editor: Editor): void {
    const isSame = editor.text === this.#editor.text;
    this.#editor = editor;
    if (!isSame) this.#changed();
  }

  #setText(text: string): void {
    this.#editor = editorOf(text);
    this.#changed();
  }

  #changed(): void {
    this.#history = undefined;
    this.proposals.typed(this.#chat.mirror.uri, this.#editor);
    if (this.#purpose.kind === 'new') this.#draft.typed(() => this.#editor.text);
  }
}

/** Label above the message. */
export function purposeText(purpose: ComposerPurpose, message: string): string {
  switch (purpose.kind) {
    case 'new':
      return '';
    case 'pending':
      return 'edits a queued message; Ctrl-C discards the edit';
    case 'resend':
      return `replaces “${oneLine(message, 40)}” and all later turns; Ctrl-C discards the edit`;
    default:
      return purpose satisfies never;
  }
}
