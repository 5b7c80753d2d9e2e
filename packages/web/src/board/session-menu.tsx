import { isWithinScope } from '@agenthost/protocol';
import { Archive, ArchiveRestore, Link2, Mail, MailOpen, Pencil, Trash2 } from 'lucide-react';
import { shownKeys } from '../palette/actions.ts';
import { text } from '../text/text.ts';
import type { MenuEntry } from '../ui/menu.tsx';
import type { BoardSession } from './board-session.ts';
import { deleteSession } from './delete-session.ts';
import { copyLink, toggleArchived, toggleRead } from './session-actions.ts';
import { isArchived, isRead } from './session-need.ts';

const ICON = 'size-4';

/** Whether this browser's token allows changes of the session. */
export const mayChange = ({ link }: BoardSession): boolean =>
  isWithinScope(link.client?.scope ?? 'admin', 'interact');

/** Entries of other features for the menu of a session, such as muting its notifications. */
export type MenuExtension = (session: BoardSession) => readonly MenuEntry[];

const extensions = new Set<MenuExtension>();

/** Adds entries to the menu of every session. Returns a function that removes them. */
export function extendSessionMenu(extension: MenuExtension): () => void {
  extensions.add(extension);
  return () => {
    extensions.delete(extension);
  };
}

/** The actions of a session. A token that may not act gets only those that change nothing. */
export function sessionMenu(session: BoardSession, onRename: () => void): MenuEntry[] {
  const { summary } = session;
  const copy: MenuEntry = {
    label: text.board.copyLink,
    icon: <Link2 className={ICON} aria-hidden />,
    onSelect: () => void copyLink(session),
  };
  const extra = Array.from(extensions, (extension) => extension(session)).flat();
  if (!mayChange(session)) return [copy, ...extra];
  return [
    {
      label: text.board.rename,
      icon: <Pencil className={ICON} aria-hidden />,
      keys: shownKeys('r'),
      onSelect: onRename,
    },
    {
      label: isRead(summary) ? text.board.markUnread : text.board.markRead,
      icon: isRead(summary) ? (
        <Mail className={ICON} aria-hidden />
      ) : (
        <MailOpen className={ICON} aria-hidden />
      ),
      keys: shownKeys('u'),
      onSelect: () => toggleRead(session),
    },
    {
      label: isArchived(summary) ? text.board.unarchive : text.board.archive,
      icon: isArchived(summary) ? (
        <ArchiveRestore className={ICON} aria-hidden />
      ) : (
        <Archive className={ICON} aria-hidden />
      ),
      keys: shownKeys('e'),
      onSelect: () => toggleArchived(session),
    },
    copy,
    ...extra,
    'separator',
    {
      label: text.board.delete,
      icon: <Trash2 className={ICON} aria-hidden />,
      keys: shownKeys('delete'),
      isDangerous: true,
      onSelect: () => deleteSession(session),
    },
  ];
}
