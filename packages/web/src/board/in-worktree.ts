import type { SessionSummary } from '@agenthost/protocol';
import { folderOf } from './folder-name.ts';

/** Whether a session works in a git worktree: its folder is outside of the checkout of its project. */
export function isInWorktree(summary: SessionSummary): boolean {
  const { project } = summary;
  const folder = folderOf(summary);
  if (project === undefined || folder === undefined) return false;
  const checkout = project.uri.replace(/\/+$/, '');
  return folder !== checkout && !folder.startsWith(`${checkout}/`);
}
