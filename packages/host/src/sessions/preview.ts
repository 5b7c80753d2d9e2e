import {
  type ActiveTurn,
  type ChatState,
  findChat,
  type ToolCallState,
  type Turn,
  textOf,
} from '@agenthost/protocol';
import type { Cancel, Timers } from '../lib/clock.ts';
import { lastLine } from '../lib/plain-lines.ts';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';

/** Longest preview, in UTF-16 code units. */
const MAX_PREVIEW = 160;

/** Least time between two previews of the running turns of a session. */
const RUNNING_MS = 3_000;

/** Actions that change the last answer of a chat. */
const CHANGES_ANSWER: ReadonlySet<string> = new Set([
  'chat/turnComplete',
  'chat/turnCancelled',
  'chat/error',
  'chat/truncated',
]);

/** Actions that add a line to the running turn of a chat. */
const ADDS_LINE: ReadonlySet<string> = new Set([
  'chat/delta',
  'chat/responsePart',
  'chat/toolCallStart',
  'chat/toolCallReady',
]);

/** Previews of sessions whose last answer has changed since the last tick, or whose running turn has gone on. */
export class Previews {
  readonly #changed = new Map<Channel<'session'>, string>();
  /** Timers of sessions with a running turn, by URI of the session. */
  readonly #due = new Map<string, Cancel>();
  readonly #sync: Sync;
  readonly #timers: Timers;
  readonly #onChange: (session: Channel<'session'>) => void;

  /** `onChange` is called in a transaction, with sessions whose preview changes. Workers are left out: their answers are for the agent. */
  constructor(sync: Sync, timers: Timers, onChange: (session: Channel<'session'>) => void) {
    this.#sync = sync;
    this.#timers = timers;
    this.#onChange = onChange;
    sync.observe('chat', (tx, { channel, action, before, after }) => {
      if (ADDS_LINE.has(action.type)) return this.#showLater(channel);
      if (!CHANGES_ANSWER.has(action.type) || before === after) return;
      const session = this.#sessionOf(channel);
      if (session === undefined) return;
      this.#changed.set(session, answerPreview(after));
      tx.undo(() => this.#changed.delete(session));
      onChange(session);
    });
  }

  /** The new preview of a session, once. `undefined`: it has not changed. */
  take(session: Channel<'session'>): string | undefined {
    const preview = this.#changed.get(session);
    this.#changed.delete(session);
    return preview;
  }

  stop(): void {
    for (const cancel of this.#due.values()) cancel();
    this.#due.clear();
  }

  /** Called for each delta: most calls find the timer and return. */
  #showLater(chat: Channel<'chat'>): void {
    const uri = chat.session;
    if (uri === undefined || this.#due.has(uri) || this.#sessionOf(chat) === undefined) return;
    const show = (): void => {
      this.#due.delete(uri);
      this.#sync.transact('host', (tx) => this.#show(tx, chat));
    };
    this.#due.set(uri, this.#timers.after(RUNNING_MS, show));
  }

  #show(tx: Tx, chat: Channel<'chat'>): void {
    const session = this.#sessionOf(chat);
    if (session === undefined || !chat.isAlive || chat.state.activeTurn === undefined) return;
    const preview = runningPreview(chat.state.activeTurn);
    if (preview === '') return;
    this.#changed.set(session, preview);
    tx.undo(() => this.#changed.delete(session));
    this.#onChange(session);
  }

  /** The session of a chat; `undefined` for the chat of a worker. */
  #sessionOf({ session: uri = '', uri: chat }: Channel<'chat'>): Channel<'session'> | undefined {
    const session = this.#sync.registry.getOf('session', uri);
    if (session === undefined) return undefined;
    return findChat(session.state.chats, chat)?.origin?.kind === 'tool' ? undefined : session;
  }
}

/** The last line of the last text in the newest turn. */
const answerPreview = ({ turns }: ChatState): string => lineOf(lastText(turns.at(-1)));

/** The last line of the text of a running turn, or what its last tool call does. '' as long as there is neither. */
function runningPreview({ responseParts }: ActiveTurn): string {
  const last = responseParts.findLast(
    (part) => part.kind === 'toolCall' || (part.kind === 'markdown' && part.content.trim() !== ''),
  );
  if (last?.kind === 'toolCall') return lineOf(callText(last.toolCall));
  return last?.kind === 'markdown' ? lineOf(last.content.slice(-MAX_LOOKED_AT)) : '';
}

const callText = (call: ToolCallState): string =>
  call.invocationMessage === undefined ? call.displayName : textOf(call.invocationMessage);

/** A line that only opens or closes a block of code is none. */
const lineOf = (text: string): string => lastLine(text.replace(/^\s*(```|~~~).*$/gm, ''), MAX_PREVIEW);

/** Only the end of a long answer is needed. */
const MAX_LOOKED_AT = 10_000;

function lastText(turn: Turn | undefined): string {
  const part = turn?.responseParts.findLast(({ kind }) => kind === 'markdown');
  return part?.kind === 'markdown' ? part.content.slice(-MAX_LOOKED_AT) : '';
}
