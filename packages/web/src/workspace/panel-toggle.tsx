import type { SessionHandle } from '@agenthost/client';
import type { SessionState } from '@agenthost/protocol';
import { FileDiff } from 'lucide-react';
import { DiffCounts } from '../chat/diff/diff-counts.tsx';
import { useSelected } from '../live/use-live.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { CLOSED_PANEL } from './panel-address.ts';
import { usePanel } from './use-panel.ts';

/** A button for the header of a session: opens and closes the workspace, and shows how many lines the session has changed. */
export function PanelToggle({ session }: { readonly session: SessionHandle }) {
  const { panel, show } = usePanel();
  const added = useSelected(session.mirror, (state) => sumOf(state, 'additions'));
  const removed = useSelected(session.mirror, (state) => sumOf(state, 'deletions'));
  const isOpen = panel !== undefined;
  const label = isOpen ? workspaceText.changes.close : workspaceText.changes.open;
  return (
    <button
      type="button"
      title={label}
      aria-expanded={isOpen}
      className="flex h-9 min-w-9 shrink-0 items-center justify-center gap-1 rounded-lg px-1.5 text-xs text-muted hover:bg-hover hover:text-text touch:h-11 touch:min-w-11"
      onClick={() => show(isOpen ? CLOSED_PANEL : { panel: 'changes' })}
    >
      <FileDiff className="size-4" aria-hidden />
      <span className="sr-only">{label}</span>
      {added + removed > 0 && (
        <span className="flex gap-1 max-sm:hidden">
          <DiffCounts added={added} removed={removed} />
        </span>
      )}
    </button>
  );
}

const sumOf = ({ chats }: SessionState, count: 'additions' | 'deletions'): number =>
  chats.reduce((sum, { changes }) => sum + (changes?.[count] ?? 0), 0);
