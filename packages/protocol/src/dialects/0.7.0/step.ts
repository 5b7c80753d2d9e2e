import type { Step } from '../step.ts';
import { authResource } from './auth-resource.ts';
import { enablement } from './enablement.ts';
import { replacedDirectories } from './replaced-directories.ts';

/** Step C: from 0.8.0 to 0.7.0. */
export const step070: Step = {
  to: '0.7.0',
  reshapings: [replacedDirectories, enablement, authResource],
  newer: {},
};
