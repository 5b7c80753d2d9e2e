import { isObject } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** `auth/required` named the resource only. */
export const authResource: Reshaping = {
  down: {
    notifications: {
      'auth/required': (params) =>
        isObject(params.resource) ? { ...params, resource: params.resource.resource } : params,
    },
  },
};
