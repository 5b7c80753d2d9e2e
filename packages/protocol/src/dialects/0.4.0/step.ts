import type { Step } from '../step.ts';

/** Step H: from 0.5.0 to 0.4.0. */
export const step040: Step = {
  to: '0.4.0',
  reshapings: [],
  newer: {},
};
