import type { Reshaping } from '../step.ts';

/** A session could start as a copy of another [SESS-12] [SESS-30]. */
export const sessionForks: Reshaping = {
  up: {
    shapes: {
      CreateSessionParams: (params) => {
        if (!Object.hasOwn(params, 'fork')) return params;
        const { fork, ...rest } = params;
        return { ...rest, 'x-fork': fork };
      },
    },
  },
};
