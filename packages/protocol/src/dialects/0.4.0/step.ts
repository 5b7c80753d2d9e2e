import type { Step } from '../step.ts';
import { activeClient } from './active-client.ts';
import { models } from './models.ts';
import { sessions } from './sessions.ts';

/** Step H: from 0.5.0 to 0.4.0. */
export const step040: Step = {
  to: '0.4.0',
  reshapings: [activeClient, sessions, models],
  newer: {
    actions: ['chat/draftChanged', 'chat/activityChanged'],
    notifications: ['root/progress'],
  },
};
