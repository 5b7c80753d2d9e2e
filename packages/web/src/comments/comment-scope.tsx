import type { AnnotationsHandle, ChatHandle } from '@agenthost/client';
import type { Annotation } from '@agenthost/protocol';
import { createContext, use } from 'react';
import type { HostLink } from '../live/host-link.ts';

/** The comments of the shown session, for the views of the workspace. */
export interface CommentScope {
  readonly link: HostLink;
  readonly chat: ChatHandle;
  /** Absent: they are not open yet. */
  readonly annotations: AnnotationsHandle | undefined;
  readonly all: readonly Annotation[];
  readonly mayAct: boolean;
  /** Asks the person, then sends comments to the agent. Absent: the host would refuse the attachment. */
  readonly send: ((ids: readonly string[]) => void) | undefined;
}

const ScopeContext = createContext<CommentScope | undefined>(undefined);

/** Gives the comments to the components inside. */
export const CommentScopeProvider = ScopeContext.Provider;

/** The comments of the shown session. */
export function useComments(): CommentScope {
  const scope = use(ScopeContext);
  if (scope === undefined) throw new Error('useComments needs a CommentScopeProvider around it');
  return scope;
}
