import type { Step } from '../step.ts';

/** Step B: from 0.9.0 to 0.8.0. */
export const step080: Step = {
  to: '0.8.0',
  reshapings: [],
  newer: {},
};
