import type { SessionWorktree, WorktreeInfo } from '@agenthost/protocol';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { visibleText } from '../text/visible-text.ts';
import { workspaceText } from '../text/workspace-text.ts';

type Counts = Pick<SessionWorktree | WorktreeInfo, 'base' | 'ahead' | 'behind' | 'uncommittedChanges'>;

/** The name of a base for people: a commit is cut to the length that git shows. */
export const baseName = (base: string): string =>
  /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(base) ? base.slice(0, 10) : visibleText(base);

/** How a worktree and its base differ, and how many of its files are not committed. */
export function WorktreeCounts({ base, ahead, behind, uncommittedChanges }: Counts) {
  const name = baseName(base);
  return (
    <>
      {ahead !== undefined && ahead > 0 && (
        <span className="flex items-center gap-0.5" title={workspaceText.worktrees.ahead(ahead, name)}>
          <ArrowUp className="size-3" aria-hidden />
          {workspaceText.worktrees.aheadShort(ahead)}
        </span>
      )}
      {behind !== undefined && behind > 0 && (
        <span
          className="flex items-center gap-0.5 text-warn"
          title={workspaceText.worktrees.behind(behind, name)}
        >
          <ArrowDown className="size-3" aria-hidden />
          {workspaceText.worktrees.behindShort(behind)}
        </span>
      )}
      {uncommittedChanges !== undefined && uncommittedChanges > 0 && (
        <span>{workspaceText.worktrees.uncommitted(uncommittedChanges)}</span>
      )}
    </>
  );
}
