import type { DispatchOutcome } from '@agenthost/client';
import { hostUrl } from '../app/paths.ts';
import { plainText } from '../questions/plain-text.ts';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { copyText } from '../ui/clipboard.ts';
import { showError, showToast } from '../ui/toasts.tsx';
import { type BoardSession, hostParam } from './board-session.ts';
import { isArchived, isRead } from './session-need.ts';

/** The title for people: control characters visible, never empty. */
export const titleOf = ({ summary }: BoardSession): string =>
  summary.title.trim() === '' ? text.board.untitled : visibleText(summary.title);

/** The end of the last answer, without the marks of its Markdown; empty when there is none. */
export const previewOf = (summary: BoardSession['summary']): string =>
  plainText({ markdown: summary['x-preview'] ?? '' });

/** Shows why the host did not take a change; nothing when it did. */
export async function reportOutcome(dispatched: Promise<DispatchOutcome> | undefined): Promise<boolean> {
  const outcome = await dispatched;
  if (outcome === undefined || outcome.outcome === 'accepted') return outcome !== undefined;
  showError(outcome.outcome === 'ignored' ? text.board.gone : text.board.refused(outcome.reason));
  return false;
}

/** Gives a session another title. An empty or equal title changes nothing. */
export function renameSession({ link, summary }: BoardSession, title: string): void {
  const trimmed = title.trim();
  if (trimmed === '' || trimmed === summary.title) return;
  void reportOutcome(link.client?.sessions.rename(summary.resource, trimmed));
}

/** Archives a session, or takes it out of the archive. Archiving can be undone. */
export function toggleArchived(session: BoardSession): void {
  const { link, summary } = session;
  const willBeArchived = !isArchived(summary);
  const set = (isSet: boolean): void =>
    void reportOutcome(link.client?.sessions.setArchived(summary.resource, isSet));
  set(willBeArchived);
  if (willBeArchived)
    showToast({
      message: text.board.archivedToast(titleOf(session)),
      action: { label: text.ui.undo, run: () => set(false) },
    });
}

/** Marks a session as read or unread. */
export function toggleRead({ link, summary }: BoardSession): void {
  void reportOutcome(link.client?.sessions.setRead(summary.resource, !isRead(summary)));
}

/** Copies the address of a session. */
export function copyLink({ link, summary }: BoardSession): Promise<void> {
  const url = hostUrl(`s/${encodeURIComponent(summary.resource)}`);
  const host = hostParam(link);
  if (host !== undefined) url.searchParams.set('host', host);
  return copyText(url.href, text.board.linkCopied);
}
