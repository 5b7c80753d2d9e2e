import type { MenuPlace } from '../ui/menu.tsx';
import type { BoardSession } from './board-session.ts';

/** The controls of a list for its rows. The same object as long as the list is shown. */
export interface RowControls {
  /** Tells the element that takes the focus for a row; `null` when it is removed. */
  register(key: string, element: HTMLElement | null): void;
  /** Makes a row the one that Tab reaches. */
  setCurrent(key: string): void;
  openMenu(session: BoardSession, place: MenuPlace): void;
  endRename(session: BoardSession): void;
}
