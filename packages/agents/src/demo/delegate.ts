import { AgentError, type WorkerChat } from '@agenthost/host/agent';
import type { DemoKeyword } from './keywords.ts';
import type { Random } from './scene.ts';
import { type Scene, speak } from './scene.ts';
import { readScript } from './script.ts';
import type { Step } from './step.ts';

/** Longest title of a worker, in UTF-16 code units. */
const TITLE_LENGTH = 60;

/** The parts of a session that workers use. */
export interface DelegateParts {
  readonly random: (seed: string) => Random;
  /** The keywords that prompts are read by. */
  readonly language: readonly DemoKeyword[];
  play(step: Step, scene: Scene): Promise<void>;
}

/** `delegate`: one call per worker, all at once. Each worker runs the prompt in a chat of its own. */
export async function delegate(
  scene: Scene,
  { prompt, workerCount }: { prompt: string; workerCount: number },
  parts: DelegateParts,
): Promise<void> {
  const numbers = Array.from({ length: workerCount }, (_, index) => index + 1);
  const outcomes = await Promise.all(
    numbers.map((number) => work(scene, { prompt, name: `Worker ${number}`, number }, parts)),
  );
  scene.signal.throwIfAborted();
  const failed = outcomes.filter((error) => error !== undefined);
  const done = workerCount === 1 ? 'The worker is done.' : `All ${workerCount} workers are done.`;
  await speak(
    scene,
    'markdown',
    failed.length === 0 ? done : `${failed.length} of ${workerCount} failed: ${failed[0]?.message}.`,
  );
}

/** Resolves with the error of the worker, if it failed. */
async function work(
  scene: Scene,
  { prompt, name, number }: { prompt: string; name: string; number: number },
  parts: DelegateParts,
): Promise<Error | undefined> {
  const call = scene.output.toolCall({ toolName: 'delegate', displayName: 'Delegate', intention: prompt });
  call.run({ invocationMessage: `${name}: ${prompt}`, toolInput: JSON.stringify({ prompt }) });
  try {
    const worker = scene.output.spawnChat({
      toolCallId: call.id,
      title: `${name}: ${prompt}`.slice(0, TITLE_LENGTH),
      agentName: 'demo-worker',
      description: prompt,
    });
    await playIn(worker, scene, { prompt, seed: `${scene.turnId}/${number}` }, parts);
    await call.complete({
      success: true,
      pastTenseMessage: `${name} is done`,
      content: [{ type: 'text', text: `${name} did: ${prompt}` }],
    });
    return undefined;
  } catch (cause) {
    if (scene.signal.aborted) throw cause;
    const error = cause instanceof Error ? cause : new Error(String(cause));
    await call.complete({
      success: false,
      pastTenseMessage: `${name} failed`,
      error: { message: error.message },
    });
    return error;
  }
}

async function playIn(
  worker: WorkerChat,
  parent: Scene,
  { prompt, seed }: { prompt: string; seed: string },
  parts: DelegateParts,
): Promise<void> {
  const { output, signal, end } = worker.turn(prompt);
  const scene: Scene = {
    ...parent,
    output,
    signal: AbortSignal.any([parent.signal, signal]),
    random: parts.random(seed),
    spokenLength: 0,
  };
  try {
    const { steps, talk } = readScript(prompt, parts.language);
    if (talk.length > 0) await speak(scene, 'markdown', `On it: ${talk.join(' ')}\n\n`);
    for (const step of steps) {
      scene.signal.throwIfAborted();
      await parts.play(step, scene);
    }
    scene.signal.throwIfAborted();
    end();
  } catch (cause) {
    if (signal.aborted && !parent.signal.aborted) throw new Error('the worker was cancelled', { cause });
    end(cause instanceof AgentError ? cause : new AgentError('agentError', String(cause)));
    throw cause;
  }
}
