import { AgentError, type TurnOutput } from '@agenthost/host/agent';
import type { SeededRandom } from './seeded-random.ts';

/** Greatest depth of nested workers. */
const MAX_DEPTH = 2;

/** Dependencies of a simulated worker. */
export interface WorkerParts {
  readonly random: SeededRandom;
  readonly output: TurnOutput;
  pause(): Promise<void>;
}

/**
 * Makes a call with a worker chat. The worker writes text, sometimes asks a question or spawns another worker.
 * Its turns complete, fail, or stay open. Never rejects because of the limit of workers.
 */
export async function simulateWorker({ random, output, pause }: WorkerParts, depth = 1): Promise<void> {
  const call = output.toolCall({
    toolCallId: `work-${random.hex(6)}`,
    toolName: 'delegate',
    displayName: 'Delegate',
  });
  const title = `Worker ${random.hex(3)}`;
  if (random.chance(0.9)) call.run({ invocationMessage: title });
  let isSuccess = true;
  try {
    const worker = output.spawnChat({ toolCallId: call.id, title });
    for (let turns = random.between(1, 2); turns > 0; turns -= 1) {
      const turn = worker.turn(`prompt ${random.hex(4)}`);
      for (let steps = random.between(1, 4); steps > 0; steps -= 1) {
        await step({ random, output: turn.output, pause }, depth);
        await pause();
      }
      if (random.chance(0.8)) turn.end();
      else if (random.chance(0.7)) turn.end(new AgentError('agentError', 'the schedule says so'));
    }
  } catch (error) {
    // The session has reached its limit of workers.
    if (!(error instanceof AgentError)) throw error;
    isSuccess = false;
  }
  call.run({ invocationMessage: title });
  await call.complete({ success: isSuccess, pastTenseMessage: title });
}

async function step(parts: WorkerParts, depth: number): Promise<void> {
  const { random, output } = parts;
  const text = `${random.hex(random.between(1, 8))} `;
  switch (random.weighted({ text: 5, reasoning: 1, ask: 2, worker: 0.5 })) {
    case 'text':
      return output.markdown(text);
    case 'reasoning':
      return output.reasoning(text);
    case 'worker':
      return depth < MAX_DEPTH ? simulateWorker(parts, depth + 1) : undefined;
    case 'ask': {
      const call = output.toolCall({
        toolCallId: `ask-${random.hex(6)}`,
        toolName: 'simulate',
        displayName: 'Simulate',
      });
      const answer = await call.confirm({ invocationMessage: text });
      if (answer.approved) await call.complete({ success: true, pastTenseMessage: text });
    }
  }
}
