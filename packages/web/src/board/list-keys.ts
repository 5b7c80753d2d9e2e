import type { KeyboardEvent } from 'react';
import type { MenuPlace } from '../ui/menu.tsx';
import type { BoardSession } from './board-session.ts';
import { toggleGroup } from './board-settings.ts';
import { deleteSession } from './delete-session.ts';
import type { BoardRow } from './group-sessions.ts';
import { moveTo } from './list-moves.ts';
import { toggleArchived, toggleRead } from './session-actions.ts';
import { mayChange } from './session-menu.tsx';

/** What the keys of a list act on. */
interface ListKeys {
  readonly rows: readonly BoardRow[];
  /** Index of the row that has the focus. */
  readonly at: number;
  readonly goTo: (key: string) => void;
  readonly rename: (key: string) => void;
  readonly openMenu: (menu: { readonly session: BoardSession; readonly place: MenuPlace }) => void;
}

/** Distance of the menu from the corner of its row, in pixels. */
const MENU_INSET_PX = 24;

/** The handler of keys pressed inside a list of sessions. */
export function listKeyHandler({ rows, at, goTo, rename, openMenu }: ListKeys) {
  /** When a row is removed, its neighbour gets the focus. */
  const leave = (): void => {
    const next = rows[at + 1] ?? rows[at - 1];
    if (next !== undefined) goTo(next.key);
  };
  const act = (key: string, session: BoardSession, target: Element): boolean => {
    if (key === 'm') {
      const box = target.getBoundingClientRect();
      openMenu({ session, place: { x: box.left + MENU_INSET_PX, y: box.top + MENU_INSET_PX } });
      return true;
    }
    if (!mayChange(session)) return false;
    switch (key) {
      case 'e':
        toggleArchived(session);
        return true;
      case 'u':
        toggleRead(session);
        return true;
      case 'r':
      case 'F2':
        rename(session.key);
        return true;
      case 'Delete':
      case 'Backspace':
        leave();
        deleteSession(session);
        return true;
      default:
        return false;
    }
  };
  return (event: KeyboardEvent<HTMLElement>): void => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (!(target instanceof Element) || target.closest('[data-row]') === null) return;
    const row = rows[at];
    const to = moveTo(key, at, rows.length);
    const next = to === undefined ? undefined : rows[to];
    if (next !== undefined) goTo(next.key);
    else if (row?.kind === 'group') {
      if (key !== (row.isOpen ? 'ArrowLeft' : 'ArrowRight')) return;
      toggleGroup(row.group.id);
    } else if (row === undefined || !act(key, row.session, target)) return;
    event.preventDefault();
  };
}
