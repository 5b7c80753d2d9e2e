import type { StateAction } from '../wire/envelope.ts';
import { patch } from '../wire/patch.ts';
import type { AutomationRunAction } from './actions.ts';
import type { AutomationRunState } from './state.ts';

/** Reduces one action of the channel of a run [RUN-3]. Returns `state` itself when nothing changes. */
export function automationRunReducer(state: AutomationRunState, action: StateAction): AutomationRunState {
  switch (action.type) {
    case 'automationRun/lifecycleChanged':
      return patch(state, { lifecycle: action.lifecycle });
    case 'automationRun/sessionSet':
      if (state.sessions.includes(action.session)) return state;
      return patch(state, { sessions: [...state.sessions, action.session] });
    case 'automationRun/sessionRemoved':
      return removeSession(state, action.session);
    case 'automationRun/primarySessionChanged':
      return patch(state, { primarySession: action.primarySession });
    // The host answers this with a new lifecycle.
    case 'automationRun/cancelRequested':
      return state;
    default:
      action satisfies Exclude<StateAction, AutomationRunAction>;
      return state;
  }
}

function removeSession(state: AutomationRunState, session: string): AutomationRunState {
  const next = patch(state, { sessions: state.sessions.filter((one) => one !== session) });
  return next.primarySession === session ? patch(next, { primarySession: undefined }) : next;
}
