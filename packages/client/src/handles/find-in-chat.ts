import type { ChatState, FetchTurnsResult, ResponsePart, Turn, URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { foldText, searchedText } from './searched-text.ts';

/** A text of a chat that contains the searched text. */
export interface ChatMatch {
  readonly turnId: string;
  /** Number of turns after this one when the search began; 0: the newest. */
  readonly turnsAfter: number;
  /** Id of the part of the answer, or of its tool call. Absent: the match is in the message of the turn. */
  readonly partId?: string;
  /** Number of matches in this text. */
  readonly count: number;
  /** One line around the first match. */
  readonly snippet: string;
  /** Start and end of the first match in `snippet`, in UTF-16 code units. */
  readonly match: readonly [start: number, end: number];
}

/** Options of `ChatHandle.find`. */
export interface FindOptions {
  /** Ends the search without an error. */
  signal?: AbortSignal;
}

/** What a search needs of its chat. */
export interface FindPort {
  readonly uri: URI;
  readonly state: ChatState;
  /** Reads the turns before one, oldest first, without changing the mirror. */
  readTurnsBefore(turnId: string, limit: number, signal: AbortSignal | undefined): Promise<FetchTurnsResult>;
}

/** Turns per request. */
const PAGE_TURNS = 100;

/** Characters of a snippet before and after the match. */
const BEFORE = 30;
const AFTER = 90;

/** See `ChatHandle.find`. */
export async function* findInChat(
  chat: FindPort,
  text: string,
  { signal }: FindOptions,
): AsyncGenerator<ChatMatch, void, undefined> {
  const wanted = foldText(text).text;
  if (wanted === '') return;
  const { turns, activeTurn, turnsNextCursor } = chat.state;
  let page: readonly SearchedTurn[] = activeTurn === undefined ? turns : [...turns, activeTurn];
  let hasMore = turnsNextCursor !== undefined;
  let turnsAfter = 0;
  for (;;) {
    for (const turn of page.toReversed()) {
      for (const found of matchesIn(turn, wanted)) {
        if (signal?.aborted === true) return;
        yield { turnId: turn.id, turnsAfter, ...found };
      }
      turnsAfter += 1;
    }
    const [oldest] = page;
    if (!hasMore || oldest === undefined) return;
    try {
      const older = await chat.readTurnsBefore(oldest.id, PAGE_TURNS, signal);
      page = older.turns ?? [];
      hasMore = older.hasMore ?? false;
    } catch (error) {
      if (signal?.aborted === true) return;
      throw error;
    }
  }
}

type SearchedTurn = Pick<Turn, 'id' | 'message' | 'responseParts'>;
type Found = Omit<ChatMatch, 'turnId' | 'turnsAfter'>;

function* matchesIn({ message, responseParts }: SearchedTurn, wanted: string): Generator<Found> {
  const inMessage = matchIn(message.text, wanted);
  if (inMessage !== undefined) yield inMessage;
  for (const part of responseParts) {
    const found = matchIn(searchedText(part), wanted);
    if (found !== undefined) yield { ...found, ...defined({ partId: idOf(part) }) };
  }
}

function matchIn(text: string, wanted: string): Omit<Found, 'partId'> | undefined {
  const folded = foldText(text);
  const first = folded.text.indexOf(wanted);
  if (first < 0) return undefined;
  let count = 0;
  for (let at = first; at >= 0; at = folded.text.indexOf(wanted, at + wanted.length)) count += 1;
  const start = folded.sourceOf(first);
  const end = folded.sourceOf(first + wanted.length);
  const from = Math.max(0, start - BEFORE);
  const to = Math.min(text.length, end + AFTER);
  const lead = from > 0 ? '…' : '';
  const snippet = `${lead}${text.slice(from, to).replace(/\s/g, ' ')}${to < text.length ? '…' : ''}`;
  const shift = lead.length - from;
  return { count, snippet, match: [start + shift, end + shift] };
}

function idOf(part: ResponsePart): string | undefined {
  if (part.kind === 'toolCall') return part.toolCall.toolCallId;
  return 'id' in part ? part.id : undefined;
}
