import { usePanel } from '../../workspace/use-panel.ts';

/** A function that shows what a turn has changed, in the workspace. */
export function useShowTurnChanges(turnId: string): () => void {
  const { show } = usePanel();
  return () => show({ panel: 'changes', changes: 'turn', of: turnId, file: undefined, line: undefined });
}
