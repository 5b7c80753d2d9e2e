import { foldText, searchedText } from '@agenthost/client';
import type { ActiveTurn, ChatState, Turn } from '@agenthost/protocol';

/** A place where the text was found. */
export interface FoundPlace {
  readonly turnId: string;
  /** Index of the part; -1: the message. */
  readonly index: number;
  /** Which match of the part it is, from 0. */
  readonly nth: number;
  /** Position in the text of the part, in UTF-16 code units. */
  readonly offset: number;
}

type AnyTurn = Turn | ActiveTurn;

/** Matches of one part beyond this number are not listed. */
const MAX_MATCHES_PER_PART = 500;

/** Offsets of a text in another one, without regard to case and accents, in UTF-16 code units. */
export function offsetsOf(content: string, query: string): number[] {
  return rangesOf(content, query).map(([start]) => start);
}

/** Starts and ends of a text in another one, without regard to case and accents, in UTF-16 code units. */
export function rangesOf(content: string, query: string): (readonly [start: number, end: number])[] {
  const wanted = foldText(query).text;
  if (wanted === '') return [];
  const { text, sourceOf } = foldText(content);
  const found: (readonly [number, number])[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    found.push([sourceOf(at), sourceOf(at + wanted.length)]);
    if (found.length >= MAX_MATCHES_PER_PART) break;
  }
  return found;
}

/** Searches turns; the places found in an ended turn are kept for the next call with the same query. */
export class ChatSearch {
  readonly #query: string;
  readonly #ended = new WeakMap<Turn, readonly FoundPlace[]>();

  constructor(query: string) {
    this.#query = query;
  }

  /** All places in a chat's loaded turns, oldest first. */
  placesIn({ turns, activeTurn }: Pick<ChatState, 'turns' | 'activeTurn'>): FoundPlace[] {
    const places: FoundPlace[] = [];
    for (const turn of turns) {
      let found = this.#ended.get(turn);
      if (found === undefined) {
        found = this.#search(turn);
        this.#ended.set(turn, found);
      }
      for (const place of found) places.push(place);
    }
    if (activeTurn !== undefined) places.push(...this.#search(activeTurn));
    return places;
  }

  #search(turn: AnyTurn): FoundPlace[] {
    const placesIn = (content: string, index: number): FoundPlace[] =>
      offsetsOf(content, this.#query).map((offset, nth) => ({ turnId: turn.id, index, nth, offset }));
    return [
      ...placesIn(turn.message.text, -1),
      ...turn.responseParts.flatMap((part, index) => placesIn(searchedText(part), index)),
    ];
  }
}
