import type { HostLink } from '../live/host-link.ts';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { showToast } from '../ui/toasts.tsx';

/** The work in the worktree of a session that would keep it from being removed, such as `2 uncommitted files`. `undefined`: none is known. */
export async function workInWorktree(link: HostLink, session: string): Promise<string | undefined> {
  // A token of the scope `observe`, and a host of an earlier version, get no list.
  const worktrees = await link.client?.sessions.worktrees.list().catch(() => []);
  return worktrees?.find((worktree) => worktree.session === session)?.holds;
}

/** Tells that the worktree of a deleted session stays, because of the work in it. Does nothing without work. */
export function tellKeptWork(work: string | undefined): void {
  if (work !== undefined) showToast({ message: text.board.worktreeStays(visibleText(work)) });
}
