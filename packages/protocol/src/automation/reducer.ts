import type { StateAction } from '../wire/envelope.ts';
import { patch, withItem, withoutItem } from '../wire/patch.ts';
import type { AutomationAction } from './actions.ts';
import type { AutomationState } from './state.ts';

/** Reduces one action of the automations channel [AUTO-8]. Returns `state` itself when nothing changes. */
export function automationReducer(state: AutomationState, action: StateAction): AutomationState {
  switch (action.type) {
    case 'automation/set': {
      const index = indexOf(state, action.automation.resource);
      return patch(state, { entries: withItem(state.entries, index, action.automation) });
    }
    case 'automation/removed': {
      const index = indexOf(state, action.resource);
      return index < 0 ? state : patch(state, { entries: withoutItem(state.entries, index) });
    }
    // The host answers these with `automation/set`.
    case 'automation/createRequested':
    case 'automation/updateRequested':
      return state;
    default:
      action satisfies Exclude<StateAction, AutomationAction>;
      return state;
  }
}

const indexOf = ({ entries }: AutomationState, resource: string): number =>
  entries.findIndex((entry) => entry.resource === resource);
