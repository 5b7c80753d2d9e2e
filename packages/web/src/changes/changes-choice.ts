import type { ChatHandle, SessionHandle } from '@agenthost/client';
import type { Changeset } from '@agenthost/protocol';
import { useSelected } from '../live/use-live.ts';
import type { ChangesKind } from '../workspace/panel-address.ts';

/** A turn whose changes can be shown. */
export interface ChosenTurn {
  readonly id: string;
  /** The message that began it. */
  readonly message: string;
}

/** Turns of a chat: those after one, up to another, which is included. */
export interface TurnRange {
  readonly after: string;
  readonly to: string;
}

/** The changes that can be shown of a session and of one of its chats. */
export interface ChangesChoice {
  /** In the order of the menu. */
  readonly kinds: readonly ChangesKind[];
  /** Turns of the chat that are loaded, the latest first. */
  readonly turns: readonly ChosenTurn[];
}

/** The changes that can be shown of a session and of a chat. */
export function useChangesChoice(session: SessionHandle, chat: ChatHandle): ChangesChoice {
  const ofSession = useSelected(session.mirror, ({ changesets }) => changesets) ?? NONE;
  const ofChat = useSelected(chat.mirror, ({ changesets }) => changesets) ?? NONE;
  const turns = useSelected(chat.mirror, (state) => state.turns);
  const active = useSelected(chat.mirror, (state) => state.activeTurn);
  const all = active === undefined ? turns : [...turns, active];
  const has: Readonly<Record<ChangesKind, boolean>> = {
    uncommitted: isIn(ofSession, 'uncommitted'),
    turn: isIn(ofChat, 'turn') && all.length > 0,
    chat: isIn(ofChat, 'session'),
    session: isIn(ofSession, 'session'),
    branch: isIn(ofSession, 'branch'),
    turns: isIn(ofSession, 'compare-turns') && all.length > 1,
  };
  return {
    kinds: KINDS.filter((kind) => has[kind]),
    turns: all.map(({ id, message }) => ({ id, message: message.text })).toReversed(),
  };
}

const NONE: readonly Changeset[] = [];
const KINDS: readonly ChangesKind[] = ['uncommitted', 'turn', 'turns', 'chat', 'session', 'branch'];

const isIn = (catalogue: readonly Changeset[], kind: string): boolean =>
  catalogue.some(({ changeKind }) => changeKind === kind);

/** The range that an address names; without one, everything after the first loaded turn. `undefined`: there are fewer than two turns. */
export function chosenRange(
  turns: readonly ChosenTurn[],
  wanted: { readonly after: string | undefined; readonly to: string | undefined },
): TurnRange | undefined {
  const after = wanted.after ?? turns.at(-1)?.id;
  const to = wanted.to ?? turns[0]?.id;
  return after === undefined || to === undefined ? undefined : { after, to };
}
