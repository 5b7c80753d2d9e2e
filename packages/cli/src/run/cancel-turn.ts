import type { Prompt } from '@agenthost/client';
import { rejectionSentence } from '../host-link/host-errors.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Cancels the turn of a prompt. The end of the turn shows that it was cancelled. Reports a host that cannot save the cancellation now. */
export async function cancelTurn(
  prompt: Pick<Prompt, 'cancel'>,
  screen: Pick<Screen, 'status' | 'note'>,
): Promise<void> {
  screen.status('cancelling');
  const answer = await prompt.cancel();
  // Other rejections mean that the turn has ended.
  if (answer.outcome !== 'rejected' || answer.code !== 'unavailable') return;
  screen.note(
    `agenthost: the turn was not cancelled, and continues: ${oneLine(rejectionSentence(answer), 1_000)}`,
  );
}
