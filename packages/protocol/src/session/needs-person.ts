import type { SessionInputRequest } from './input-needed.ts';

/** Whether an entry waits for a person; a client runs its own tools without one [SESS-26]. */
export const needsPerson = ({ kind }: SessionInputRequest): boolean => kind !== 'toolClientExecution';
