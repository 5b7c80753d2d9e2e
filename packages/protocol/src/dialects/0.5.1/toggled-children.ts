import { isObject, type Json, type Look, listOf, StateNeeded } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** A toggled child is its whole container: children had no flag. */
export const toggledChildren: Reshaping = {
  first: {
    'session/customizationToggled': (action, look) => {
      const container = containerOf(action.id, look);
      return container === undefined
        ? action
        : { type: 'session/customizationUpdated', customization: container };
    },
  },
};

/** The container with this child after the action. */
function containerOf(id: unknown, { after }: Look): Json | undefined {
  if (!isObject(after)) throw new StateNeeded();
  const containers = listOf(after.customizations).filter(isObject);
  if (containers.some((container) => container.id === id)) return undefined;
  return containers.find(({ children }) =>
    listOf(children).some((child) => isObject(child) && child.id === id),
  );
}
