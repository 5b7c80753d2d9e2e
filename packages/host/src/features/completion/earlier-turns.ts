import type { Turn } from '@agenthost/protocol';
import type { StoredTurn } from '../../journal/rows.ts';
import { beginningOf } from '../../lib/beginning-of.ts';
import type { NextSlice } from '../../lib/slice-scheduler.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { firstOrdinal, readTurn } from '../../sync/window.ts';

/** Turns that can be found: the latest ones. */
const MAX_TURNS = 300;
/** Of them, what is read at a time, so that nothing else waits long. */
const PAGE_TURNS = 50;
const PAGE_BYTES = 512 * 1024;
/** Of each message, what is searched. */
const MAX_TEXT = 500;
/** Of message and answer, what the agent is given. */
const MAX_MESSAGE = 2_000;
const MAX_ANSWER = 6_000;
/** Turns with more JSON take long to read: the text that the agent gets of them is kept. */
const LARGE_TURN_LENGTH = 64 * 1024;

/** A completed turn that a person began. */
export interface EarlierTurn {
  readonly id: string;
  /** From 1 for the chat's first turn. */
  readonly number: number;
  /** The beginning of its message. */
  readonly text: string;
  /** Of a large turn that is out of the window: what the agent is given. */
  readonly content?: string;
}

/** Turns that are out of the chat's window, the newest first: those from `from` up to, and without, `to`, by ordinal. */
interface Known {
  readonly historyVersion: number;
  readonly from: number;
  readonly to: number;
  readonly turns: readonly EarlierTurn[];
}

/** Finds earlier turns of a chat by their messages. */
export class EarlierTurns {
  readonly #sync: Sync;
  /** As long as the chat is in memory. */
  readonly #known = new WeakMap<Channel<'chat'>, Known>();
  /** The last reading of each chat: those that ask at the same time read it once. */
  readonly #readings = new WeakMap<Channel<'chat'>, Promise<void>>();

  constructor(sync: Sync) {
    this.#sync = sync;
  }

  /**
   * Turns whose message has the query in it, in whatever case, or whose number begins with it; the newest first. Waits for `next` before each
   * page that it reads.
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

  /** What was said in a turn, for the agent; `undefined` when it is gone. */
  async contentOf(chat: Channel<'chat'>, turn: EarlierTurn): Promise<string | undefined> {
    const { id, number, content } = turn;
    if (content !== undefined) return content;
    const present = chat.state.turns.find((each) => each.id === id);
    if (present !== undefined) return contentOf(present, number);
    const [row] = await this.#sync.journal.readTurns(chat.uri, { before: number, limit: 1 });
    return row?.ordinal === number - 1 ? contentOf(readTurn(row), number) : undefined;
  }

  async #latest(chat: Channel<'chat'>, next: NextSlice): Promise<readonly EarlierTurn[]> {
    // Commits first, so that what leaves the window is on disk.
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
        // Cut meanwhile: what was read may be no more.
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

  /** The turns with `oldest <= ordinal < first`; what was read before is not read again. */
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
      // Older ones may have been dropped by the retention policy.
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

/** Lower case, composed. */
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
