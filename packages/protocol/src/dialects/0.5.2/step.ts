import type { Step } from '../step.ts';
import { fileReviews } from './file-reviews.ts';
import { inputRequests } from './input-requests.ts';
import { signIns } from './sign-ins.ts';
import { turnTimes } from './turn-times.ts';

/** Step E: from 0.6.0 to 0.5.2. */
export const step052: Step = {
  to: '0.5.2',
  reshapings: [fileReviews, inputRequests, signIns, turnTimes],
  newer: {
    actions: ['changeset/filesReviewChanged', 'chat/toolCallAuthRequired', 'chat/toolCallAuthResolved'],
  },
};
