import type { Step } from '../step.ts';
import { annotationOrigins } from './annotation-origins.ts';
import { automations } from './automations.ts';
import { changesetErrors } from './changeset-errors.ts';
import { lifecycle } from './lifecycle.ts';
import { resumedTurns } from './resumed-turns.ts';
import { sessionForks } from './session-forks.ts';
import { terminals } from './terminals.ts';
import { turnErrors } from './turn-errors.ts';

/** Step B: from 0.9.0 to 0.8.0. */
export const step080: Step = {
  to: '0.8.0',
  reshapings: [
    lifecycle,
    sessionForks,
    annotationOrigins,
    changesetErrors,
    automations,
    terminals,
    resumedTurns,
    turnErrors,
  ],
  newer: {
    actions: [
      'chat/turnResume',
      'automation/createRequested',
      'automation/updateRequested',
      'automation/set',
      'automation/removed',
      'automationRun/lifecycleChanged',
      'automationRun/sessionSet',
      'automationRun/sessionRemoved',
      'automationRun/primarySessionChanged',
      'automationRun/cancelRequested',
    ],
    commands: ['runAutomation', 'fetchAutomationRuns', 'listAutomationTriggerDefinitions'],
    channels: ['automation', 'automationRun'],
  },
};
