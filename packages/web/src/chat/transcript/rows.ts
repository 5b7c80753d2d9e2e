import {
  type ActiveTurn,
  type ChatState,
  errorPartOf,
  type ResponsePart,
  type Turn,
} from '@agenthost/protocol';
import { isExploration } from '../cards/card-kind.ts';
import { ChunkScanner, type TextChunk } from './text-chunks.ts';

/** One row of a transcript. It names its turn and part; components read the content from the chat's state. */
export type Row =
  /** The message that started the turn. */
  | { readonly kind: 'message'; readonly key: string; readonly turnId: string }
  /** A chunk of an answer. */
  | {
      readonly kind: 'text';
      readonly key: string;
      readonly turnId: string;
      readonly index: number;
      readonly chunk: TextChunk;
      readonly isLastChunk: boolean;
    }
  /** Any other part of the answer. */
  | { readonly kind: 'part'; readonly key: string; readonly turnId: string; readonly index: number }
  /** Finished reads and searches that follow each other, `index` to `lastIndex`. */
  | {
      readonly kind: 'explored';
      readonly key: string;
      readonly turnId: string;
      readonly index: number;
      readonly lastIndex: number;
    }
  /** The end of the turn: state, duration, usage, error; or that it runs. */
  | { readonly kind: 'end'; readonly key: string; readonly turnId: string };

type AnyTurn = Turn | ActiveTurn;

/** Whether two rows show the same thing, so that the one on the screen can stay. */
export function sameRow(a: Row, b: Row): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.key !== b.key) return false;
  if (a.kind === 'explored' && b.kind === 'explored') return a.lastIndex === b.lastIndex;
  if (a.kind !== 'text' || b.kind !== 'text') return true;
  return (
    a.isLastChunk === b.isLastChunk &&
    a.chunk.start === b.chunk.start &&
    a.chunk.end === b.chunk.end &&
    a.chunk.prefix === b.chunk.prefix
  );
}

/**
 * Projects a chat to rows. Rows of ended turns are computed once per turn. A change of the active turn costs the number of its parts, and gives
 * the same array while no row came or went.
 */
export class RowProjector {
  readonly #ended = new WeakMap<Turn, readonly Row[]>();
  /** One for each text of the active turn, by the part's key. */
  readonly #scanners = new Map<string, ChunkScanner>();
  #turns: readonly Turn[] | undefined;
  #endedRows: readonly Row[] = [];
  #activeId: string | undefined;
  #activeRows: readonly Row[] = [];
  #rows: readonly Row[] = [];

  /** The rows of a state, oldest first. */
  rowsOf({ turns, activeTurn }: Pick<ChatState, 'turns' | 'activeTurn'>): readonly Row[] {
    let hasChanged = false;
    if (turns !== this.#turns) {
      this.#turns = turns;
      this.#endedRows = turns.flatMap((turn) => this.#rowsOfEnded(turn));
      hasChanged = true;
    }
    if (activeTurn?.id !== this.#activeId) {
      this.#activeId = activeTurn?.id;
      this.#scanners.clear();
    }
    const active = activeTurn === undefined ? [] : this.#project(activeTurn, (key) => this.#scannerOf(key));
    const before = this.#activeRows;
    if (active.length !== before.length || active.some((row, index) => !isSame(row, before[index]))) {
      // Rows that are the same keep their identity.
      this.#activeRows = active.map((row, index) => {
        const old = before[index];
        return old !== undefined && sameRow(row, old) ? old : row;
      });
      hasChanged = true;
    }
    if (hasChanged) this.#rows = this.#endedRows.concat(this.#activeRows);
    return this.#rows;
  }

  #rowsOfEnded(turn: Turn): readonly Row[] {
    const known = this.#ended.get(turn);
    if (known !== undefined) return known;
    const rows = this.#project(turn, (key) => this.#scanners.get(key) ?? new ChunkScanner());
    this.#ended.set(turn, rows);
    return rows;
  }

  #scannerOf(key: string): ChunkScanner {
    const known = this.#scanners.get(key);
    if (known !== undefined) return known;
    const scanner = new ChunkScanner();
    this.#scanners.set(key, scanner);
    return scanner;
  }

  #project(turn: AnyTurn, scannerOf: (key: string) => ChunkScanner): Row[] {
    const { id: turnId, responseParts } = turn;
    const error = 'state' in turn ? errorPartOf(turn) : undefined;
    const rows: Row[] = [{ kind: 'message', key: `${turnId} message`, turnId }];
    for (let index = 0; index < responseParts.length; index++) {
      const part = responseParts[index];
      if (part === undefined || part === error || isEmpty(part)) continue;
      const key = `${turnId} ${index}`;
      if (part.kind === 'markdown') {
        const chunks = scannerOf(key).chunksOf(part.content);
        chunks.forEach((chunk, at) => {
          const chunkKey = at === 0 ? key : `${key}.${at}`;
          rows.push({
            kind: 'text',
            key: chunkKey,
            turnId,
            index,
            chunk,
            isLastChunk: at === chunks.length - 1,
          });
        });
        continue;
      }
      const lastIndex = lastOfExploration(responseParts, index);
      if (lastIndex > index) {
        rows.push({ kind: 'explored', key, turnId, index, lastIndex });
        index = lastIndex;
      } else rows.push({ kind: 'part', key, turnId, index });
    }
    rows.push({ kind: 'end', key: `${turnId} end`, turnId });
    return rows;
  }
}

const isSame = (row: Row, old: Row | undefined): boolean => old !== undefined && sameRow(row, old);

const isEmpty = (part: ResponsePart): boolean =>
  (part.kind === 'markdown' || part.kind === 'reasoning') && part.content.trim() === '';

/** Index of the last part of the reads and searches that begin at `index`; empty texts between them do not count. */
function lastOfExploration(parts: readonly ResponsePart[], index: number): number {
  let last = index;
  for (let at = index; at < parts.length; at++) {
    const part = parts[at];
    if (part === undefined || isEmpty(part)) continue;
    if (part.kind !== 'toolCall' || !isExploration(part.toolCall)) break;
    last = at;
  }
  return last;
}

const positions = new WeakMap<readonly Turn[], ReadonlyMap<string, Turn>>();

/** A turn of a chat, running or ended. */
export function turnOf(state: Pick<ChatState, 'turns' | 'activeTurn'>, turnId: string): AnyTurn | undefined {
  if (state.activeTurn?.id === turnId) return state.activeTurn;
  let byId = positions.get(state.turns);
  if (byId === undefined) {
    byId = new Map(state.turns.map((turn) => [turn.id, turn]));
    positions.set(state.turns, byId);
  }
  return byId.get(turnId);
}

/** A part of a turn. */
export const partOf = (
  state: Pick<ChatState, 'turns' | 'activeTurn'>,
  turnId: string,
  index: number,
): ResponsePart | undefined => turnOf(state, turnId)?.responseParts[index];
