import type { StateAction } from '../wire/envelope.ts';
import { patch } from '../wire/patch.ts';
import type { RootAction } from './actions.ts';
import type { RootState } from './state.ts';

/** Reduces one action of the root channel [ROOT-1]. Returns `state` itself when nothing changes. */
export function rootReducer(state: RootState, action: StateAction): RootState {
  switch (action.type) {
    case 'root/agentsChanged':
      return patch(state, { agents: action.agents });
    case 'root/activeSessionsChanged':
      return patch(state, { activeSessions: action.activeSessions });
    case 'root/terminalsChanged':
      return patch(state, { terminals: action.terminals });
    case 'root/configChanged': {
      if (!state.config) return state;
      const values = action.replace ? action.config : { ...state.config.values, ...action.config };
      return patch(state, { config: patch(state.config, { values }) });
    }
    default:
      action satisfies Exclude<StateAction, RootAction>;
      return state;
  }
}
