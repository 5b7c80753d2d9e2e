import type { Step } from '../step.ts';

/** Step A: from 1.0.0 to 0.9.0. */
export const step090: Step = {
  to: '0.9.0',
  reshapings: [],
  newer: {},
};
