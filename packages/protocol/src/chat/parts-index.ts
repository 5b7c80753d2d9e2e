import type { ChatInputRequest } from './input-request.ts';
import type { InputRequestResponsePart, ResponsePart } from './state.ts';
import type { ToolCallResponsePart } from './tool-call.ts';

/** Shorter lists are searched, because an index would cost more than it saves. */
const INDEXED_LENGTH = 64;

/** Stored instead of a position when several parts have this id; then only a search is correct. */
const AMBIGUOUS = -1;

/** Index of the parts of a long turn, so that actions need not look at each part. */
interface PartsIndex {
  /** Tool calls and input requests that wait for a person. */
  readonly pendingCount: number;
  /**
   * Positions by tool call id. Shared by all lists derived from one list: it may have more entries than a
   * list, never fewer.
   */
  readonly calls: Map<string, number>;
  /** Positions by id of an input request, shared in the same way. */
  readonly requests: Map<string, number>;
}

// Depends on the list only, so reducers stay pure whether a list is indexed or not.
const indexes = new WeakMap<readonly ResponsePart[], PartsIndex>();

/** Position of the last tool call with this id, or -1. */
export function toolCallPosition(parts: readonly ResponsePart[], toolCallId: string): number {
  const index = indexOf(parts);
  if (index === undefined) return searchToolCall(parts, toolCallId);
  const position = index.calls.get(toolCallId);
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

/** Position of the last open input request with this id, or -1 [CHAT-28]. */
export function openRequestPosition(parts: readonly ResponsePart[], requestId: string): number {
  const index = indexOf(parts);
  if (index === undefined) return searchOpenRequest(parts, requestId);
  const position = index.requests.get(requestId);
  if (position === undefined) return -1;
  return isOpenRequest(parts[position], requestId) ? position : searchOpenRequest(parts, requestId);
}

/** An open input request of the active turn. `undefined`: there is no open request with this id [CHAT-27]. */
export function findOpenRequest(
  { activeTurn }: { readonly activeTurn?: { readonly responseParts: readonly ResponsePart[] } },
  requestId: string,
): ChatInputRequest | undefined {
  if (activeTurn === undefined) return undefined;
  const { responseParts } = activeTurn;
  const part = responseParts[openRequestPosition(responseParts, requestId)];
  return part?.kind === 'inputRequest' ? part.request : undefined;
}

/** The open input requests of the active turn, in order [CHAT-27]. */
export const openRequests = ({
  activeTurn,
}: {
  readonly activeTurn?: { readonly responseParts: readonly ResponsePart[] };
}): ChatInputRequest[] =>
  (activeTurn?.responseParts ?? []).flatMap((part) => (isOpen(part) ? [part.request] : []));

/** Whether a tool call or an input request waits for a person. */
export function awaitsPerson(parts: readonly ResponsePart[]): boolean {
  const index = indexOf(parts);
  return index === undefined ? parts.some(isPending) : index.pendingCount > 0;
}

/** A copy of the list with one more part. */
export function withPartAdded(parts: readonly ResponsePart[], part: ResponsePart): ResponsePart[] {
  const copy = parts.concat([part]);
  const index = indexes.get(parts);
  if (index !== undefined) {
    note(index, part, parts.length);
    indexes.set(copy, { ...index, pendingCount: index.pendingCount + pendingCountOf(part) });
  }
  return copy;
}

/** A copy of the list with another part at a position. A tool call or an input request keeps its id. */
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
  const maps = { calls: new Map<string, number>(), requests: new Map<string, number>() };
  let pendingCount = 0;
  for (const [position, part] of parts.entries()) {
    note(maps, part, position);
    pendingCount += pendingCountOf(part);
  }
  const index = { pendingCount, ...maps };
  indexes.set(parts, index);
  return index;
}

function note(
  { calls, requests }: Omit<PartsIndex, 'pendingCount'>,
  part: ResponsePart,
  position: number,
): void {
  if (part.kind === 'toolCall') noteId(calls, part.toolCall.toolCallId, position);
  else if (part.kind === 'inputRequest') noteId(requests, part.request.id, position);
}

const noteId = (positions: Map<string, number>, id: string, position: number): void => {
  positions.set(id, positions.has(id) ? AMBIGUOUS : position);
};

function searchToolCall(parts: readonly ResponsePart[], toolCallId: string): number {
  return parts.findLastIndex((part) => isCall(part, toolCallId));
}

const isCall = (part: ResponsePart | undefined, toolCallId: string): boolean =>
  part?.kind === 'toolCall' && part.toolCall.toolCallId === toolCallId;

const searchOpenRequest = (parts: readonly ResponsePart[], requestId: string): number =>
  parts.findLastIndex((part) => isOpenRequest(part, requestId));

const isOpen = (part: ResponsePart | undefined): part is InputRequestResponsePart =>
  part?.kind === 'inputRequest' && part.response === undefined;

const isOpenRequest = (part: ResponsePart | undefined, requestId: string): boolean =>
  isOpen(part) && part.request.id === requestId;

const WAITING: ReadonlySet<string> = new Set([
  'pending-confirmation',
  'auth-required',
  'pending-result-confirmation',
]);

const isPending = (part: ResponsePart | undefined): boolean =>
  isOpen(part) || (part?.kind === 'toolCall' && WAITING.has(part.toolCall.status));

const pendingCountOf = (part: ResponsePart | undefined): number => (isPending(part) ? 1 : 0);
