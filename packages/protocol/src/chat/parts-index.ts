import type { ResponsePart } from './state.ts';
import type { ToolCallResponsePart } from './tool-call.ts';

/** Shorter lists are searched, because an index would cost more than it saves. */
const INDEXED_LENGTH = 64;

/** Stored instead of a position when several calls have this id; then only a search is correct. */
const AMBIGUOUS = -1;

/** Index of the parts of a long turn, so that actions need not look at each part. */
interface PartsIndex {
  /** Tool calls that wait for approval. */
  readonly pendingCount: number;
  /**
   * Positions by tool call id. Shared by all lists derived from one list: it may have more entries than a
   * list, never fewer.
   */
  readonly positions: Map<string, number>;
}

// Depends on the list only, so reducers stay pure whether a list is indexed or not.
const indexes = new WeakMap<readonly ResponsePart[], PartsIndex>();

/** Position of the last tool call with this id, or -1. */
export function toolCallPosition(parts: readonly ResponsePart[], toolCallId: string): number {
  const index = indexOf(parts);
  if (index === undefined) return searchToolCall(parts, toolCallId);
  const position = index.positions.get(toolCallId);
  if (position === undefined) return -1;
  return isCall(parts[position], toolCallId) ? position : searchToolCall(parts, toolCallId);
}

/** The last tool call part with this id. */
export function findToolCallPart(
  parts: readonly ResponsePart[],
  toolCallId: string,
): ToolCallResponsePart | undefined {
  const part = parts[toolCallPosition(parts, toolCallId)];
  return part?.kind === 'toolCall' ? part : undefined;
}

/** Whether a tool call waits for approval. */
export function awaitsConfirmation(parts: readonly ResponsePart[]): boolean {
  const index = indexOf(parts);
  return index === undefined ? parts.some(isPending) : index.pendingCount > 0;
}

/** A copy of the list with one more part. */
export function withPartAdded(parts: readonly ResponsePart[], part: ResponsePart): ResponsePart[] {
  const copy = parts.concat([part]);
  const index = indexes.get(parts);
  if (index !== undefined) {
    note(index.positions, part, parts.length);
    indexes.set(copy, { ...index, pendingCount: index.pendingCount + pendingCountOf(part) });
  }
  return copy;
}

/** A copy of the list with another part at a position. A tool call keeps its id. */
export function withPartAt(
  parts: readonly ResponsePart[],
  position: number,
  part: ResponsePart,
): ResponsePart[] {
  const copy = parts.slice();
  copy[position] = part;
  const index = indexes.get(parts);
  if (index !== undefined) {
    const pendingCount = index.pendingCount - pendingCountOf(parts[position]) + pendingCountOf(part);
    indexes.set(copy, { ...index, pendingCount });
  }
  return copy;
}

function indexOf(parts: readonly ResponsePart[]): PartsIndex | undefined {
  if (parts.length < INDEXED_LENGTH) return undefined;
  const known = indexes.get(parts);
  if (known !== undefined) return known;
  const positions = new Map<string, number>();
  let pendingCount = 0;
  for (const [position, part] of parts.entries()) {
    note(positions, part, position);
    pendingCount += pendingCountOf(part);
  }
  const index = { pendingCount, positions };
  indexes.set(parts, index);
  return index;
}

function note(positions: Map<string, number>, part: ResponsePart, position: number): void {
  if (part.kind !== 'toolCall') return;
  const { toolCallId } = part.toolCall;
  positions.set(toolCallId, positions.has(toolCallId) ? AMBIGUOUS : position);
}

function searchToolCall(parts: readonly ResponsePart[], toolCallId: string): number {
  return parts.findLastIndex((part) => isCall(part, toolCallId));
}

const isCall = (part: ResponsePart | undefined, toolCallId: string): boolean =>
  part?.kind === 'toolCall' && part.toolCall.toolCallId === toolCallId;

const isPending = (part: ResponsePart | undefined): boolean =>
  part?.kind === 'toolCall' &&
  (part.toolCall.status === 'pending-confirmation' || part.toolCall.status === 'pending-result-confirmation');

const pendingCountOf = (part: ResponsePart | undefined): number => (isPending(part) ? 1 : 0);
