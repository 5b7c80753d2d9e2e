import { type ChatState, findChat, type Turn } from '@agenthost/protocol';
import { lastLine } from '../lib/plain-lines.ts';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';

/** Longest preview, in UTF-16 code units. */
const MAX_PREVIEW = 160;

/** Actions that change the last answer of a chat. */
const CHANGES_ANSWER: ReadonlySet<string> = new Set([
  'chat/turnComplete',
  'chat/turnCancelled',
  'chat/error',
  'chat/truncated',
]);

/** Previews of sessions whose last answer has changed since the last tick. */
export class Previews {
  readonly #changed = new Map<Channel<'session'>, string>();

  /** Calls back with sessions whose preview changes. Workers are left out: their answers are for the agent. */
  observe(sync: Sync, onChange: (session: Channel<'session'>) => void): void {
    sync.observe('chat', (tx, { channel, action, before, after }) => {
      if (!CHANGES_ANSWER.has(action.type) || before === after) return;
      const session = sync.registry.getOf('session', channel.session ?? '');
      if (session === undefined || isWorker(session, channel.uri)) return;
      this.#changed.set(session, previewOf(after));
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
}

const isWorker = (session: Channel<'session'>, chat: string): boolean =>
  findChat(session.state.chats, chat)?.origin?.kind === 'tool';

/** The last line of the last text in the newest turn. A line that only opens or closes a block of code is none. */
function previewOf({ turns }: ChatState): string {
  const text = lastText(turns.at(-1));
  return lastLine(text.replace(/^\s*(```|~~~).*$/gm, ''), MAX_PREVIEW);
}

function lastText(turn: Turn | undefined): string {
  const part = turn?.responseParts.findLast(({ kind }) => kind === 'markdown');
  // Only the end of a long answer is needed.
  return part?.kind === 'markdown' ? part.content.slice(-10_000) : '';
}
