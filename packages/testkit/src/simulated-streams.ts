import type { TurnOutput } from '@agenthost/host/agent';
import type { SeededRandom } from './seeded-random.ts';
import { simulateQuestions } from './simulated-questions.ts';

/** Dependencies of interleaved streams. */
export interface StreamParts {
  readonly random: SeededRandom;
  readonly output: TurnOutput;
  readonly timers: { after(delayMs: number, callback: () => void): () => void };
  pause(): Promise<void>;
}

/**
 * Streams the inputs of two calls at the same time, with text and reasoning in between, then runs both calls.
 * Sometimes asks a question before they run.
 */
export async function interleaveInputs({ random, output, timers, pause }: StreamParts): Promise<void> {
  const calls = ['one', 'other'].map((name) =>
    output.toolCall({
      toolCallId: `${name}-${random.hex(6)}`,
      toolName: 'simulate',
      displayName: 'Simulate',
    }),
  );
  for (let left = random.between(3, 10); left > 0; left -= 1) {
    const text = `${left}:${random.hex(random.between(1, 200))} `;
    switch (random.weighted({ input: 8, text: 1, reasoning: 0.5, pause: 2 })) {
      case 'input':
        await random.pick(calls).input(text, ...(random.chance(0.1) ? [text] : []));
        break;
      case 'text':
        await output.markdown(text);
        break;
      case 'reasoning':
        await output.reasoning(text);
        break;
      case 'pause':
        await pause();
    }
  }
  // The state holds the unfinished inputs while the question is open.
  if (random.chance(0.6)) await simulateQuestions({ random, output, timers });
  for (const call of calls) {
    call.run({ invocationMessage: 'Simulate', toolInput: call.id });
    await call.complete({ success: true, pastTenseMessage: 'Simulated' });
  }
}
