import type { DispatchableAction, DispatchOutcome } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { useMemo } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { text } from '../text/text.ts';

/** The chat that a question belongs to. It need not be open. */
export interface QuestionTarget {
  readonly uri: URI;
  readonly dispatch: (action: DispatchableAction<'chat'>) => Promise<DispatchOutcome>;
}

/** The target of a chat that is not open, such as a worker's chat. */
export function useQuestionTarget(link: HostLink, uri: URI): QuestionTarget {
  return useMemo(
    () => ({
      uri,
      dispatch: (action) =>
        link.client?.dispatch(uri, action) ??
        Promise.resolve({ outcome: 'dropped', reason: text.questions.notConnected }),
    }),
    [link, uri],
  );
}
