import type { Step } from '../step.ts';

/** Step D: from 0.7.0 to 0.6.0. */
export const step060: Step = {
  to: '0.6.0',
  reshapings: [],
  newer: {},
};
