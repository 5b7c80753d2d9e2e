import type { Turn } from '@agenthost/protocol';
import { FileDiff } from 'lucide-react';
import { workspaceText } from '../../text/workspace-text.ts';
import { useShowTurnChanges } from '../actions/use-show-turn-changes.ts';
import { useChatScope } from '../chat-scope.tsx';
import { DiffCounts } from '../diff/diff-counts.tsx';
import { useTurnCounts } from './use-turn-counts.ts';

/** A link from a turn to what it changed. Nothing for a turn that changed no file. */
export function TurnChanges({ turn }: { readonly turn: Turn }) {
  const { link, chat } = useChatScope();
  const counts = useTurnCounts(link, chat, turn);
  const show = useShowTurnChanges(turn.id);
  if (counts === undefined) return undefined;
  return (
    <button
      type="button"
      title={workspaceText.changes.ofTurn}
      className="inline-flex h-7 items-center gap-1.5 rounded-lg px-1.5 text-xs text-accent hover:bg-hover touch:h-10"
      onClick={show}
    >
      <FileDiff className="size-3.5" aria-hidden />
      {workspaceText.changes.filesChanged(counts.files)}
      <DiffCounts added={counts.added} removed={counts.removed} />
    </button>
  );
}
