import type { ActiveTurn, ChatState, ResponsePart, Turn } from '@agenthost/protocol';
import { callTitle, inputTextOf } from '../cards/call-text.ts';
import { contentOf } from '../cards/card-kind.ts';

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

/** The text of a part that a search looks at. */
export function searchedText(part: ResponsePart): string {
  switch (part.kind) {
    case 'markdown':
    case 'reasoning':
      return part.content;
    case 'toolCall': {
      const outputs = contentOf(part.toolCall).map((block) => (block.type === 'text' ? block.text : ''));
      return [callTitle(part.toolCall), inputTextOf(part.toolCall) ?? '', ...outputs].join('\n');
    }
    case 'systemNotification':
      return typeof part.content === 'string' ? part.content : part.content.markdown;
    case 'inputRequest':
      return [
        part.request.message ?? '',
        ...(part.request.questions ?? []).map(({ message }) => message),
      ].join('\n');
    case 'error':
      return part.error.message;
    case 'contentRef':
      return part.uri;
    default:
      return part satisfies never;
  }
}

/** Offsets of a text in another one, without regard to case. */
export function offsetsOf(content: string, query: string): number[] {
  const wanted = query.toLocaleLowerCase();
  if (wanted === '') return [];
  const lower = content.toLocaleLowerCase();
  const found: number[] = [];
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + wanted.length)) {
    found.push(at);
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
