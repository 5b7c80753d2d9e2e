import type { DispatchOutcome } from '@agenthost/client';
import { CliError, EXIT } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import { rejectionSentence } from './host-errors.ts';

/** Throws a `CliError` with the host's reason for an action that it did not take. `problem`: what has not happened, such as `4f2a was not changed`. */
export function checkAccepted(answer: DispatchOutcome, problem: string): void {
  if (answer.outcome === 'accepted') return;
  const why = answer.outcome === 'rejected' ? rejectionSentence(answer) : answer.outcome;
  throw new CliError(EXIT.error, `${problem}: ${oneLine(why, 1_000)}`);
}
