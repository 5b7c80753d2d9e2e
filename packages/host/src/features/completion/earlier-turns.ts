import type { Turn } from '@agenthost/protocol';
import type { StoredTurn } from '../../journal/rows.ts';
import { beginningOf } from '../../lib/beginning-of.ts';
import type { NextSlice } from '../../lib/slice-scheduler.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { firstOrdinal, readTurn } from '../../sync/window.ts';

/** Number of latest turns that can be found. */
const MAX_TURNS = 300;
/** Number of turns read at once, to keep other work from waiting. */
const PAGE_TURNS = 50;
const PAGE_BYTES = 512 * 1024;
/** Searched characters of each message. */
const MAX_TEXT = 500;
/** Maximum characters of a message or answer that the agent gets. */
const MAX_MESSAGE = 2_000;
const MAX_ANSWER = 6_000;
/** JSON length above which the text for the agent is cached, because reading the turn is slow. */
const LARGE_TURN_LENGTH = 64 * 1024;

/** A completed turn that a user started. */
export interface EarlierTurn {
  readonly id: string;
  /** 1 for the chat's first turn. */
  readonly number: number;
  /** Start of its message. */
  readonly text: string;
  /** The text for the agent, for a large turn outside of the window. */
  readonly content?: string;
}

/** Turns outside of the chat's window, newest first: ordinals from `from` up to, but not including, `to`. */
interface Known {
  readonly historyVersion: number;
  readonly from: number;
  readonly to: number;
  readonly turns: readonly EarlierTurn[];
}

/** Finds earlier turns of a chat by their messages. */
export class EarlierTurns {
  readonly #sync: Sync;
  /** Cached while the chat is in memory. */
  readonly #known = new WeakMap<Channel<'chat'>, Known>();
  /** The last read of each chat, shared by concurrent requests. */
  readonly #readings = new WeakMap<Channel<'chat'>, Promise<void>>();

  constructor(sync: Sync) {
    this.#sync = sync;
  }

  /**
   * Turns whose message contains the query in any case, or whose number starts with it, newest first. Waits
   * for `next` before each page.
   */
  async find(
    chat: Channel<'chat'>,
    { query, limit }: { readonly query: string; readonly limit: number },
    next: NextSlice,
  ): Promise<readonly EarlierTurn[]> {
    const wanted = fold(query);
    const isMatch = ({ text, number }: EarlierTurn): boolean =>
      fold(text).includes(wanted) || String(number).startsWith(wanted);
    return (await this.#latest(chat, next)).filter(isMatch).slice(0, limit);
  }

  /** The text of a turn for the agent; `undefined` if the turn no longer exists. */
  async contentOf(chat: Channel<'chat'>, turn: EarlierTurn): Promise<string | undefined> {
    const { id, number, content } = turn;
    if (content !== undefined) return content;
    const present = chat.state.turns.find((each) => each.id === id);
    if (present !== undefined) return contentOf(present, number);
    const [row] = await this.#sync.journal.readTurns(chat.uri, { before: number, limit: 1 });
    return row?.ordinal === number - 1 ? contentOf(readTurn(row), number) : undefined;
  }

  async #latest(chat: Channel<'chat'>, next: NextSlice): Promise<readonly EarlierTurn[]> {
    // Commit first, so that turns that leave the window are on disk.
    return this.#sync.path.boundary(
      () => {
        const first = firstOrdinal(chat);
        const { historyVersion } = chat;
        return { first, historyVersion, window: chat.state.turns };
      },
      async ({ first, historyVersion, window }) => {
        const shown = window.flatMap((turn, index) => listed(turn, first + index)).toReversed();
        const oldest = Math.max(0, first + window.length - MAX_TURNS);
        const older = await this.#afterOthers(chat, () =>
          this.#older(chat, { historyVersion, oldest, first }, next),
        );
        // The history was cut meanwhile, so the turns that were read may no longer exist.
        return chat.historyVersion === historyVersion ? [...shown, ...older] : shown;
      },
    );
  }

  async #afterOthers<T>(chat: Channel<'chat'>, read: () => Promise<T>): Promise<T> {
    const reading = (this.#readings.get(chat) ?? Promise.resolve()).then(read);
    this.#readings.set(
      chat,
      reading.then(
        () => undefined,
        () => undefined,
      ),
    );
    return reading;
  }

  /** The turns with `oldest <= ordinal < first`. Each turn is read once. */
  async #older(
    chat: Channel<'chat'>,
    { historyVersion, oldest, first }: { historyVersion: number; oldest: number; first: number },
    next: NextSlice,
  ): Promise<readonly EarlierTurn[]> {
    const before = this.#known.get(chat);
    const known = before?.historyVersion === historyVersion && before.to <= first ? before : undefined;
    const turns: EarlierTurn[] = [];
    const end = known?.to ?? oldest;
    for (let at = first; at > end; ) {
      await next();
      const rows = await this.#sync.journal.readTurns(chat.uri, {
        before: at,
        limit: Math.min(PAGE_TURNS, at - end),
        maxBytes: PAGE_BYTES,
      });
      turns.push(...rows.flatMap(listedRow).toReversed());
      // The retention policy may have removed older turns.
      at = rows[0]?.ordinal ?? end;
    }
    const isWanted = ({ number }: EarlierTurn): boolean => number > oldest;
    turns.push(...(known?.turns ?? []).filter(isWanted));
    if (chat.historyVersion === historyVersion) {
      this.#known.set(chat, { historyVersion, from: oldest, to: first, turns });
    }
    return turns;
  }
}

/** Lower case, in composed form. */
const fold = (text: string): string => text.normalize('NFC').toLowerCase();

function listed({ id, message }: Turn, ordinal: number): EarlierTurn[] {
  if (message.origin.kind !== 'user' || message.text.trim() === '') return [];
  return [{ id, number: ordinal + 1, text: beginningOf(message.text, MAX_TEXT) }];
}

function listedRow(row: StoredTurn): EarlierTurn[] {
  const turn = readTurn(row);
  const found = listed(turn, row.ordinal);
  if (row.json.length <= LARGE_TURN_LENGTH) return found;
  return found.map((each) => ({ ...each, content: contentOf(turn, each.number) }));
}

function contentOf({ message, responseParts }: Turn, number: number): string {
  const texts: string[] = [];
  let length = 0;
  for (const part of responseParts) {
    if (part.kind !== 'markdown') continue;
    texts.push(part.content);
    length += part.content.length;
    if (length > MAX_ANSWER) break;
  }
  const answer = texts.join('\n\n');
  return [
    `Turn ${number} of this conversation, as it was:`,
    `User: ${shortened(message.text, MAX_MESSAGE)}`,
    `Agent: ${shortened(answer, MAX_ANSWER)}`,
  ].join('\n\n');
}

function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : `${beginningOf(text, limit)}\n[… the rest is left out]`;
}
