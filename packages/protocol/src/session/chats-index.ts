import type { ChatSummary } from '../chat/state.ts';
import { sameJson } from '../values/same-json.ts';
import { isError, isInProgress, isInputNeeded } from './reducer-status.ts';

/** Totals over a catalogue of chats. */
export interface ChatTotals {
  /** Chats that need input. */
  readonly askingCount: number;
  /** Chats in error, without worker chats [SESS-5]. */
  readonly failedCount: number;
  /** Chats with a running turn. */
  readonly workingCount: number;
  /** Approximate number of JSON characters of all entries. */
  readonly length: number;
}

interface ChatsIndex {
  readonly totals: ChatTotals;
  /**
   * Positions by URI. Shared by all lists derived from one list: it may have more entries than a list, never
   * fewer.
   */
  readonly positions: Map<string, number>;
  /** Absent: not computed yet. */
  newest?: string;
}

// Depends on the list only, so that a change of one chat among thousands need not look at each.
const indexes = new WeakMap<readonly ChatSummary[], ChatsIndex>();

/** Position of a chat in a session's catalogue, or -1. */
export function chatPosition(chats: readonly ChatSummary[], resource: string): number {
  const position = indexOf(chats).positions.get(resource);
  if (position === undefined) return -1;
  return chats[position]?.resource === resource
    ? position
    : chats.findIndex((chat) => chat.resource === resource);
}

/** A chat's entry in a session's catalogue, without a search. */
export const findChat = (chats: readonly ChatSummary[], resource: string): ChatSummary | undefined =>
  chats[chatPosition(chats, resource)];

/** Totals over the catalogue, computed once per list. */
export const chatTotals = (chats: readonly ChatSummary[]): ChatTotals => indexOf(chats).totals;

/** The newest `modifiedAt` of a catalogue, as text; '' for none. */
export function newestChange(chats: readonly ChatSummary[]): string {
  const index = indexOf(chats);
  index.newest ??= chats.reduce((newest, { modifiedAt }) => (modifiedAt > newest ? modifiedAt : newest), '');
  return index.newest;
}

/**
 * A copy of the catalogue with an entry at a position, or appended when it is negative. The same list when
 * the entry is already there.
 */
export function withChat(chats: ChatSummary[], position: number, summary: ChatSummary): ChatSummary[] {
  const before = chats[position];
  if (before !== undefined && sameJson(before, summary)) return chats;
  const { totals, positions, newest } = indexOf(chats);
  const copy = chats.slice();
  if (position < 0) {
    positions.set(summary.resource, copy.length);
    copy.push(summary);
  } else copy[position] = summary;
  const index: ChatsIndex = { positions, totals: changed(totals, before, summary) };
  if (newest !== undefined && summary.modifiedAt >= newest) index.newest = summary.modifiedAt;
  else if (newest !== undefined && before?.modifiedAt !== newest) index.newest = newest;
  indexes.set(copy, index);
  return copy;
}

/** A copy of the catalogue without the entry at a position. */
export function withoutChat(chats: readonly ChatSummary[], position: number): ChatSummary[] {
  const copy = chats.slice();
  copy.splice(position, 1);
  // Later entries have moved, unless there are none.
  const index = indexes.get(chats);
  if (index !== undefined && position === copy.length)
    indexes.set(copy, {
      positions: index.positions,
      totals: changed(index.totals, chats[position], undefined),
    });
  return copy;
}

/** The catalogue in a new order; the same list unless the order names every chat exactly once and differs [SESS-27]. */
export function reorderedChats(chats: ChatSummary[], order: readonly string[]): ChatSummary[] {
  if (order.length !== chats.length) return chats;
  const { totals, newest } = indexOf(chats);
  const positions = new Map<string, number>();
  const copy: ChatSummary[] = [];
  for (const resource of order) {
    const chat = chats[chatPosition(chats, resource)];
    if (chat === undefined || positions.has(resource)) return chats;
    positions.set(resource, copy.length);
    copy.push(chat);
  }
  if (copy.every((chat, position) => chats[position] === chat)) return chats;
  indexes.set(copy, { totals, positions, ...(newest !== undefined && { newest }) });
  return copy;
}

function indexOf(chats: readonly ChatSummary[]): ChatsIndex {
  const known = indexes.get(chats);
  if (known !== undefined) return known;
  const positions = new Map<string, number>();
  let totals: ChatTotals = { askingCount: 0, failedCount: 0, workingCount: 0, length: 0 };
  for (const [position, chat] of chats.entries()) {
    if (!positions.has(chat.resource)) positions.set(chat.resource, position);
    totals = changed(totals, undefined, chat);
  }
  const index = { totals, positions };
  indexes.set(chats, index);
  return index;
}

function changed(
  { askingCount, failedCount, workingCount, length }: ChatTotals,
  before: ChatSummary | undefined,
  after: ChatSummary | undefined,
): ChatTotals {
  const difference = (test: (chat: ChatSummary) => boolean): number =>
    (after !== undefined && test(after) ? 1 : 0) - (before !== undefined && test(before) ? 1 : 0);
  return {
    askingCount: askingCount + difference(isAsking),
    failedCount: failedCount + difference(hasFailed),
    workingCount: workingCount + difference(isWorking),
    length: length + lengthOf(after) - lengthOf(before),
  };
}

function lengthOf(chat: ChatSummary | undefined): number {
  let length = 0;
  for (const [key, value] of Object.entries(chat ?? {}))
    length += key.length + (typeof value === 'string' ? value.length : JSON.stringify(value).length);
  return length;
}

/** Whether a chat needs input. */
export const isAsking = ({ status }: ChatSummary): boolean => isInputNeeded(status);

/** Whether a chat's error counts for its session. Errors of worker chats are reported by their tool call. */
export const hasFailed = ({ status, origin }: ChatSummary): boolean =>
  isError(status) && origin?.kind !== 'tool';

const isWorking = ({ status }: ChatSummary): boolean => isInProgress(status);
