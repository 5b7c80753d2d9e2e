import { isObject, StateNeeded } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** New content replaced the error as well, so an error that stays is sent with it. */
export const changesetErrors: Reshaping = {
  down: {
    actions: {
      'changeset/contentChanged': (action, { after }) => {
        if (!isObject(after)) throw new StateNeeded();
        return after.error === undefined ? action : { ...action, error: after.error };
      },
    },
  },
  up: {
    actions: {
      'changeset/contentChanged': ({ error: _, ...action }) => action,
    },
  },
};
