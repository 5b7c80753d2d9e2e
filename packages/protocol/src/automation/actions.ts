import type { URI } from '../wire/basics.ts';
import type { AutomationDefinition, AutomationDefinitionPatch, AutomationEntry } from './state.ts';

/** Every action of the automations channel. */
export type AutomationAction =
  | AutomationCreateRequestedAction
  | AutomationRemovedAction
  | AutomationSetAction
  | AutomationUpdateRequestedAction;

/** Asks for a new automation. Changes nothing; the host answers with `automation/set` [AUTO-8]. */
export interface AutomationCreateRequestedAction {
  type: 'automation/createRequested';
  /** Name of the new automation. */
  resource: URI;
  definition: AutomationDefinition;
}

/** Asks for changes of an automation. Changes nothing; the host answers with `automation/set` [AUTO-8]. */
export interface AutomationUpdateRequestedAction {
  type: 'automation/updateRequested';
  resource: URI;
  changes: AutomationDefinitionPatch;
}

/** Adds an automation, or replaces the one with the same `resource` as a whole [AUTO-8]. */
export interface AutomationSetAction {
  type: 'automation/set';
  automation: AutomationEntry;
}

/** Removes an automation. Its runs and their sessions stay. An unknown one changes nothing [AUTO-8]. */
export interface AutomationRemovedAction {
  type: 'automation/removed';
  resource: URI;
}
