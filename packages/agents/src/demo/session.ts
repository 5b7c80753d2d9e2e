import {
  AgentError,
  type AgentSession,
  type OpenAgentSession,
  type TurnInput,
  type TurnOutput,
} from '@agenthost/host/agent';
import type { Message } from '@agenthost/protocol';
import { tellAttached } from './attached.ts';
import { clientTool } from './client-tool.ts';
import { delegate } from './delegate.ts';
import type { DemoKeyword } from './keywords.ts';
import { type DemoMemory, remember } from './memory.ts';
import { question } from './questions.ts';
import type { Random } from './scene.ts';
import { type Scene, speak } from './scene.ts';
import { readScript } from './script.ts';
import { DemoSteering } from './steering.ts';
import type { Step } from './step.ts';
import { answer, hear, parts, reason, stream, understand } from './talk.ts';
import { DemoTerminals } from './terminals.ts';
import { type DemoTimers, pause, untilAborted } from './timers.ts';
import { ask, bigOutput, changeFile, listFiles, progress, readFile } from './tool-calls.ts';
import { WorkingFolder } from './working-folder.ts';

/** The model without pauses. */
export const FAST_MODEL_ID = 'demo-fast';
/** The model with pauses. */
export const PACED_MODEL_ID = 'demo';

/** A rough measure for the counted usage. */
const CHARACTERS_PER_TOKEN = 4;

/** The parts of a provider that its sessions use. */
export interface DemoParts {
  readonly timers: DemoTimers;
  readonly random: (seed: string) => Random;
  /** The keywords that prompts are read by. */
  readonly language: readonly DemoKeyword[];
  readonly onClosed: (session: DemoSession) => void;
}

/** How the script of a prompt is run. */
interface ScriptRun {
  readonly output: TurnOutput;
  readonly cancelled: AbortSignal;
  /** The memory before the turn. */
  readonly previous: DemoMemory;
  /** Number of steps that a resumption skips. Absent: the turn begins. */
  readonly resumeAt?: number;
}

/** The demo agent's side of one chat. */
export class DemoSession implements AgentSession {
  readonly #options: OpenAgentSession;
  readonly #parts: DemoParts;
  /** Aborts when the session is closed or terminated. */
  readonly #end = new AbortController();
  /**
   * Aborts with `#end` and when the turn is cancelled. A signal of its own, because reading a composed signal
   * is slower.
   */
  #turn: AbortController | undefined;
  readonly #terminals: DemoTerminals;
  #config: Readonly<Record<string, unknown>>;
  #memory: DemoMemory;
  /** Steering of the running turn. */
  #steering: DemoSteering | undefined;

  constructor(options: OpenAgentSession, memory: DemoMemory, parts: DemoParts) {
    this.#options = options;
    this.#parts = parts;
    this.#config = options.config;
    this.#terminals = new DemoTerminals(options.host);
    this.#memory = memory;
    options.host.commands(
      parts.language.map(({ words: [name = ''], description, usage }) => ({
        name,
        description,
        ...(usage === '' ? {} : { hint: usage }),
      })),
    );
  }

  async runTurn(input: TurnInput, output: TurnOutput, cancelled: AbortSignal): Promise<void> {
    const previous = this.#memory;
    this.#save(remember(previous, input.turnId, input.message.text));
    await this.#runScript(input, { output, cancelled, previous });
  }

  /** Continues behind the step that failed, or with the step that an end of the host interrupted. */
  async resumeTurn(input: TurnInput, output: TurnOutput, cancelled: AbortSignal): Promise<void> {
    const { turnId, turnCount, playedCount = 0 } = this.#memory;
    if (turnId !== input.turnId) return this.runTurn(input, output, cancelled);
    const previous = { ...this.#memory, turnCount: turnCount - 1 };
    await this.#runScript(input, { output, cancelled, previous, resumeAt: playedCount });
  }

  #save(memory: DemoMemory): void {
    this.#memory = memory;
    this.#options.host.saveMemory(memory);
  }

  async #runScript(input: TurnInput, run: ScriptRun): Promise<void> {
    const { output, cancelled, previous, resumeAt } = run;
    const { steps, talk } = readScript(input.message.text, this.#parts.language);

    const scene: Scene = {
      turnId: input.turnId,
      output,
      signal: this.#signalFor(cancelled),
      timers: this.#parts.timers,
      random: this.#parts.random(input.turnId),
      isPaced: input.message.model?.id !== FAST_MODEL_ID,
      folder: new WorkingFolder({
        path: this.#options.workingDirectory,
        isPrivate: (realPath) => this.#options.host.isPrivate(realPath),
      }),
      readResource: input.readResource,
      asksBeforeWriting: this.#config['askBeforeWriting'] !== false,
      spokenLength: 0,
    };
    const steering = new DemoSteering(steps.some(({ kind }) => kind === 'deaf'));
    this.#steering = steering;
    try {
      if (resumeAt !== undefined) await speak(scene, 'markdown', 'Continuing.\n\n');
      else {
        const { context, message } = input;
        if (context.length > 0) await hear(scene, context);
        // No await without attachments, so that a steering message sent at the same time comes between the
        // first steps.
        if (message.attachments !== undefined) await tellAttached(scene, message);
        const isTalk = talk.length > 0 || (steps.length === 0 && message.attachments === undefined);
        if (isTalk) await answer(scene, talk, this.#nickname);
      }
      await this.#playAll(steps, { scene, previous, steering, skippedCount: resumeAt ?? 0 });
    } finally {
      steering.close();
    }
    if (steps.some((step) => step.kind === 'usage' || (step.kind === 'added' && step.skipsUsage))) return;
    output.usage({
      inputTokens: Math.ceil(input.message.text.length / CHARACTERS_PER_TOKEN),
      outputTokens: Math.ceil(scene.spokenLength / CHARACTERS_PER_TOKEN),
      model: scene.isPaced ? PACED_MODEL_ID : FAST_MODEL_ID,
    });
  }

  async steer(message: Message): Promise<boolean> {
    return this.#steering?.take(message) === true;
  }

  async setConfig(values: Readonly<Record<string, unknown>>): Promise<void> {
    this.#config = { ...this.#config, ...values };
  }

  async close(): Promise<void> {
    this.#leave(new AgentError('agentExited', 'The demo agent was closed'));
  }

  terminate(): Promise<void> {
    return this.close();
  }

  /** Plays the steps in order. Steps of a steering message come before the remaining ones. */
  async #playAll(
    steps: readonly Step[],
    {
      scene,
      previous,
      steering,
      skippedCount,
    }: { scene: Scene; previous: DemoMemory; steering: DemoSteering; skippedCount: number },
  ): Promise<void> {
    const left = steps.slice(skippedCount);
    const steered: Step[] = [];
    for (;;) {
      scene.signal.throwIfAborted();
      const message = steering.next();
      if (message !== undefined) {
        const script = readScript(message.text, this.#parts.language);
        await tellAttached(scene, message);
        if (script.talk.length > 0) await understand(scene, script.talk);
        steered.unshift(...script.steps);
        continue;
      }
      const step = steered.shift() ?? this.#nextStep(steps, left);
      // Closed synchronously with the end of the turn, so that no message is taken and then ignored.
      if (step === undefined) return steering.close();
      await this.#play(step, scene, previous);
      await scene.output.ready();
    }
  }

  /** The next step of the prompt. Saves from which step on a resumption continues. */
  #nextStep(steps: readonly Step[], left: Step[]): Step | undefined {
    const step = left.shift();
    if (step === undefined) return undefined;
    const index = steps.length - left.length - 1;
    const playedCount = step.kind === 'fail' ? index + 1 : index;
    if (playedCount > 0) this.#save({ ...this.#memory, playedCount });
    return step;
  }

  async #play(step: Step, scene: Scene, previous: DemoMemory): Promise<void> {
    const { host } = this.#options;
    switch (step.kind) {
      case 'say':
        return speak(scene, 'markdown', step.text);
      case 'reason':
        return reason(scene, step.text);
      case 'stream':
        return stream(scene, step);
      case 'parts':
        return parts(scene, step.partCount);
      case 'write':
      case 'edit':
        return changeFile(scene, step);
      case 'read':
        return readFile(scene, step.path);
      case 'list':
        return listFiles(scene, step.path);
      case 'ask':
        return ask(scene, step.form);
      case 'question':
        return question(scene, step.form);
      case 'run':
        return this.#terminals.run(scene, step.command);
      case 'serve':
        return this.#terminals.serve(scene, step.command);
      case 'peek':
        return this.#terminals.peek(scene);
      case 'type':
        return this.#terminals.type(scene, step.text);
      case 'kill':
        return this.#terminals.kill(scene);
      case 'tool':
        return clientTool(scene, { clients: host.clientTools(), host: host.hostTools() }, step);
      case 'delegate':
        return delegate(scene, step, {
          random: this.#parts.random,
          language: this.#parts.language,
          play: (each, worker) => this.#play(each, worker, previous),
        });
      case 'big':
        return bigOutput(scene, step.kibibytes);
      case 'progress':
        return progress(scene, step);
      case 'recall':
        return this.#recall(scene, previous);
      case 'wait':
        scene.output.activity(`Waiting ${step.delayMs} ms`);
        await pause(this.#parts.timers, step.delayMs, scene.signal);
        return scene.output.activity(undefined);
      case 'title':
        return host.title(step.text);
      case 'notify':
        return scene.output.notify(step.text);
      case 'usage':
        return scene.output.usage({ inputTokens: step.inputTokens, outputTokens: step.outputTokens });
      case 'fail':
        throw new AgentError('demoFailed', step.reason === '' ? 'Failed, as asked' : step.reason);
      case 'hang':
        scene.output.activity('Hanging, until it is cancelled or steered');
        await Promise.race([untilAborted(scene.signal), this.#steering?.arrival]);
        scene.output.activity(undefined);
        return scene.signal.throwIfAborted();
      case 'deaf':
        return undefined;
      case 'added':
        return step.run({
          output: scene.output,
          host,
          sessionEnd: this.#end.signal,
          endSession: (error) => this.#leave(error),
        });
      default:
        return step satisfies never;
    }
  }

  async #recall(scene: Scene, previous: DemoMemory): Promise<void> {
    const turns = await this.#options.history();
    const last = previous.lastPrompt === '' ? '' : ` The last prompt was "${previous.lastPrompt}".`;
    await speak(
      scene,
      'markdown',
      `I remember ${previous.turnCount} turn${previous.turnCount === 1 ? '' : 's'} before this one.${last} The host's transcript shows ${turns.length}.`,
    );
  }

  get #nickname(): string {
    const name = this.#config['nickname'];
    return typeof name === 'string' ? name : '';
  }

  #signalFor(cancelled: AbortSignal): AbortSignal {
    const turn = new AbortController();
    const stop = (signal: AbortSignal): void => turn.abort(signal.reason);
    for (const signal of [cancelled, this.#end.signal]) if (signal.aborted) stop(signal);
    cancelled.addEventListener('abort', () => stop(cancelled), { once: true });
    this.#turn = turn;
    return turn.signal;
  }

  #leave(reason: AgentError): void {
    this.#end.abort(reason);
    this.#turn?.abort(reason);
    this.#parts.onClosed(this);
  }
}
