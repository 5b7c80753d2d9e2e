import type { Step } from '../step.ts';
import { inputRequestParts } from './input-request-parts.ts';
import { mcpRequests } from './mcp-requests.ts';
import { newFields } from './new-fields.ts';
import { toggledChildren } from './toggled-children.ts';

/** Step F: from 0.5.2 to 0.5.1. */
export const step051: Step = {
  to: '0.5.1',
  reshapings: [mcpRequests, toggledChildren, inputRequestParts, newFields],
  newer: { actions: ['changeset/filesReviewedChanged'] },
};
