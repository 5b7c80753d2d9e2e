import type { SessionHandle } from '@agenthost/client';
import { sessionGit } from '@agenthost/protocol';
import { ArrowRight, GitBranch } from 'lucide-react';
import { useMemo } from 'react';
import { useSelected } from '../../live/use-live.ts';
import { visibleText } from '../../text/visible-text.ts';
import { workspaceText } from '../../text/workspace-text.ts';
import { SafeText } from '../../ui/safe-text.tsx';

/** The branch of a session, and the default branch that it is compared with. */
export function BranchName({ session }: { readonly session: SessionHandle }) {
  const meta = useSelected(session.mirror, (state) => state._meta);
  const git = useMemo(() => sessionGit(meta === undefined ? {} : { _meta: meta }), [meta]);
  const base = git?.baseBranchName;
  if (base === undefined) return undefined;
  const branch = git?.branchName ?? workspaceText.changes.noBranch;
  return (
    <span
      title={workspaceText.changes.branchBase(visibleText(branch), visibleText(base))}
      className="flex min-w-0 items-center gap-1 text-xs text-muted"
    >
      <GitBranch className="size-3.5 shrink-0" aria-hidden />
      <SafeText className="min-w-0 truncate font-mono">{base}</SafeText>
      <ArrowRight className="size-3 shrink-0 rtl:-scale-x-100" aria-hidden />
      <SafeText className="min-w-0 truncate font-mono">{branch}</SafeText>
    </span>
  );
}
