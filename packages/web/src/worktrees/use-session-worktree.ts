import type { SessionHandle } from '@agenthost/client';
import { type SessionWorktree, sessionWorktree } from '@agenthost/protocol';
import { useMemo } from 'react';
import { useSelected } from '../live/use-live.ts';

/** The git worktree that a session works in, with its live state. `undefined`: it has none. */
export function useSessionWorktree(session: SessionHandle): SessionWorktree | undefined {
  const meta = useSelected(session.mirror, (state) => state._meta);
  return useMemo(() => sessionWorktree(meta === undefined ? {} : { _meta: meta }), [meta]);
}
