import type { AutomationRunBase } from './state.ts';

/** Whether a run has ended [RUN-2]. */
export const isRunOver = ({ lifecycle: { status } }: Pick<AutomationRunBase, 'lifecycle'>): boolean =>
  status !== 'pending' && status !== 'running';
