import {
  type ExportedChatHead,
  type ExportedOpenTurn,
  type ExportedSession,
  type ExportedTurn,
} from '@agenthost/protocol';
import { dialectOf } from '@agenthost/protocol/dialects';
import type { ImportedTurn, ImportSource } from './import-source.ts';

/** The types of a document of version 1. */
const OLD = dialectOf('0.5.2');

/** Converts an export of version 1 to the present types. Throws `TypeError` if its session or a chat has another shape. */
export function fromVersion1({ session, chats, turns }: ImportSource): ImportSource {
  const present = OLD.paramsUp('x-importSession', { session, chats }, {});
  if (!isHead(present)) throw new TypeError('its session or a chat is not of version 1');
  return { ...present, turns: presentTurns(turns, chats) };
}

/** Turns of another shape are left out. */
async function* presentTurns(
  turns: ImportSource['turns'],
  chats: readonly ExportedChatHead[],
): AsyncGenerator<ImportedTurn, void, undefined> {
  for await (const { chat, turn, openTurn } of turns) {
    if (turn !== undefined) {
      const present = OLD.valueUp('ExportedTurn', turn, {});
      if (isTurn(present)) yield { chat, turn: present };
      continue;
    }
    // Its open requests, and the time that it counts as started at, are in the chat.
    const head = chats.find(({ resource }) => resource === chat);
    const state: unknown = OLD.stateUp('chat', { ...head, turns: [], activeTurn: openTurn.turn }, {});
    const present = { ...openTurn, turn: fieldOf(state, 'activeTurn') };
    if (isTurn(present)) yield { chat, openTurn: present };
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;

const isHead = (
  value: unknown,
): value is { readonly session: ExportedSession; readonly chats: readonly ExportedChatHead[] } => {
  const session = fieldOf(value, 'session');
  return typeof session === 'object' && session !== null && Array.isArray(fieldOf(value, 'chats'));
};

const isTurn = (value: unknown): value is ExportedTurn & ExportedOpenTurn => {
  const turn = fieldOf(value, 'turn');
  return typeof turn === 'object' && turn !== null;
};
