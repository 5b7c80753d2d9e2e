import type { AhpClient } from '@agenthost/client';
import type { WorktreeInfo } from '@agenthost/protocol';
import { RefreshCw } from 'lucide-react';
import type { HostLink } from '../../live/host-link.ts';
import { settingsText } from '../../text/settings-text.ts';
import { workspaceText } from '../../text/workspace-text.ts';
import { IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { AnswerView } from '../answer-view.tsx';
import { FramedList } from '../panel.tsx';
import { useHostAnswer } from '../use-host-answer.ts';
import { WorktreeEntry } from './worktree-entry.tsx';

const askWorktrees = (client: AhpClient): Promise<WorktreeInfo[]> => client.sessions.worktrees.list();

/** The git worktrees of sessions, and those of past sessions that hold work. */
export function WorktreesSection({ link }: { readonly link: HostLink }) {
  const answer = useHostAnswer(link, askWorktrees);
  return (
    <>
      <div className="flex items-start gap-3">
        <p className="min-w-0 flex-1 text-sm text-muted">{workspaceText.worktrees.explain}</p>
        <IconButton
          label={settingsText.refresh}
          disabled={answer.isAsking}
          onClick={() => void answer.reload()}
        >
          <RefreshCw className="size-4" aria-hidden />
        </IconButton>
      </div>
      <AnswerView answer={answer}>
        {(worktrees) =>
          worktrees.length === 0 ? (
            <EmptyState title={workspaceText.worktrees.none}>{workspaceText.worktrees.noneText}</EmptyState>
          ) : (
            <FramedList label={workspaceText.worktrees.list}>
              {worktrees.toReversed().map((worktree) => (
                <WorktreeEntry
                  key={worktree.id}
                  link={link}
                  worktree={worktree}
                  onChanged={() => void answer.reload()}
                />
              ))}
            </FramedList>
          )
        }
      </AnswerView>
    </>
  );
}
