import {
  AgentError,
  type AgentSession,
  isWithin,
  type OpenAgentSession,
  type TurnInput,
  type TurnOutput,
} from '@agenthost/host/agent';
import type { Message } from '@agenthost/protocol';
import type { UserModelMessage } from 'ai';
import { orAbort } from '../acp/runtime.ts';
import type { ConfinedFolder } from '../working-files/confined-path.ts';
import { openModel } from './api/endpoint.ts';
import type { ModelAgentConfig, NamedModel } from './config/config.ts';
import { keyHint, keyVariables, needsKey } from './config/keys.ts';
import type { Conversation } from './conversation/conversation.ts';
import type { ModelMemory } from './conversation/memory.ts';
import { promptOf } from './conversation/prompt.ts';
import { attachedPaths, ScopedRules } from './conversation/scoped-rules.ts';
import { systemPrompt } from './conversation/system-prompt.ts';
import { Exclusive } from './exclusive.ts';
import type { Models } from './models.ts';
import type { ModelTimers } from './runtime.ts';
import { readSettings, thinkingOf } from './settings.ts';
import { applyPatchTool } from './tools/apply-patch.ts';
import { askUserTool } from './tools/ask-user.ts';
import { Commands } from './tools/commands.ts';
import { editFileTool } from './tools/edit-file.ts';
import { fetchUrlTool } from './tools/fetch-url.ts';
import { listFilesTool } from './tools/list-files.ts';
import { namedTools } from './tools/named-tools.ts';
import { offeredTools } from './tools/offered-tools.ts';
import { readFileTool } from './tools/read-file.ts';
import { sandboxState } from './tools/sandbox.ts';
import { searchFilesTool } from './tools/search-files.ts';
import { startWorkerTool } from './tools/start-worker.ts';
import type { ModelTool } from './tools/tool.ts';
import { updatePlanTool } from './tools/update-plan.ts';
import { writeFileTool } from './tools/write-file.ts';
import { answerRequest } from './turn/answer-request.ts';
import { compact } from './turn/compaction.ts';
import { runLoop } from './turn/loop.ts';
import type { Loop } from './turn/loop-parts.ts';
import { TurnSteering } from './turn/steering.ts';
import { TurnUsage } from './turn/usage.ts';
import { runWorker } from './turn/worker.ts';

/** The parts of a provider that its sessions use. */
export interface SessionParts {
  readonly config: ModelAgentConfig;
  readonly models: Models;
  readonly timers: ModelTimers;
  /** Absolute paths of files and folders with keys, which tools cannot use and commands do not see. */
  readonly keyPaths: readonly string[];
  /** Finds the key. Rejects with `AgentError`. */
  key(): Promise<string | undefined>;
  onClosed(session: ModelSession): void;
}

/** The slash command that compacts a conversation. */
const COMPACT = 'compact';
const STOPPED = '(The user stopped your answer here.)';

/** A model agent's side of one chat. */
export class ModelSession implements AgentSession {
  readonly limitsTools = true;
  readonly scopesRules = true;
  readonly #options: OpenAgentSession;
  readonly #parts: SessionParts;
  readonly #conversation: Conversation;
  readonly #folder: ConfinedFolder;
  readonly #commands: Commands;
  readonly #ownTools: readonly ModelTool[];
  readonly #exclusive = new Exclusive();
  readonly #rules: ScopedRules;
  /** Aborts when the session is closed. */
  readonly #end = new AbortController();
  /** The answer to a turn that an earlier session left incomplete. */
  readonly #unfinished: ModelMemory['turn'];
  #config: Readonly<Record<string, unknown>>;
  #running: { readonly steering: TurnSteering } | undefined;
  /** Settles when the last turn has let go of the conversation. */
  #previous: Promise<unknown> = Promise.resolve();

  constructor(
    options: OpenAgentSession,
    parts: SessionParts,
    start: { readonly conversation: Conversation; readonly unfinished: ModelMemory['turn'] },
  ) {
    this.#options = options;
    this.#parts = parts;
    this.#config = options.config;
    this.#conversation = start.conversation;
    this.#unfinished = start.unfinished;
    this.#folder = {
      path: options.workingDirectory,
      more: options.moreDirectories,
      isPrivate: async (path) =>
        parts.keyPaths.some((key) => isWithin(path, key)) || options.host.isPrivate(path),
    };
    this.#rules = new ScopedRules([options.workingDirectory, ...(options.moreDirectories ?? [])]);
    this.#commands = new Commands({
      secretVariables: keyVariables(parts.config),
      hidden: async () => [...parts.keyPaths, ...(await options.host.privatePaths())],
    });
    this.#ownTools = [
      readFileTool,
      listFilesTool,
      searchFilesTool,
      editFileTool,
      applyPatchTool,
      writeFileTool,
      ...this.#commands.tools,
      fetchUrlTool,
      askUserTool,
      updatePlanTool,
      startWorkerTool,
    ];
    options.host.commands([
      {
        name: COMPACT,
        description: 'Replace the conversation by a summary, which frees the context of the model',
      },
    ]);
  }

  runTurn(input: TurnInput, output: TurnOutput, cancelled: AbortSignal): Promise<void> {
    return this.#serve(cancelled, (signal) => this.#turn(input, output, signal, false));
  }

  /** Goes on with the answer as it was when the turn failed. */
  resumeTurn(input: TurnInput, output: TurnOutput, cancelled: AbortSignal): Promise<void> {
    return this.#serve(cancelled, (signal) => this.#turn(input, output, signal, true));
  }

  async steer(message: Message): Promise<boolean> {
    return this.#running?.steering.take(message) === true;
  }

  async setConfig(values: Readonly<Record<string, unknown>>): Promise<void> {
    this.#config = { ...this.#config, ...values };
  }

  async close(): Promise<void> {
    this.#end.abort(new AgentError('agentExited', 'The agent was closed'));
    await this.#commands.close();
    this.#parts.onClosed(this);
  }

  terminate(): Promise<void> {
    return this.close();
  }

  /** Settles at once when the turn is cancelled. The next turn waits until this one has let go. */
  async #serve(cancelled: AbortSignal, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const signal = AbortSignal.any([cancelled, this.#end.signal]);
    const done = this.#previous.then(() => {
      signal.throwIfAborted();
      return run(signal);
    });
    this.#previous = done.catch(() => undefined);
    await orAbort(done, signal, () => undefined);
  }

  async #turn(input: TurnInput, output: TurnOutput, signal: AbortSignal, isResumed: boolean): Promise<void> {
    const steering = new TurnSteering();
    this.#running = { steering };
    try {
      const key = await this.#parts.key();
      const modelInfo = await this.#model(input.message.model?.id, key);
      await this.#begin(input, { output, modelInfo, isResumed });
      this.#tellUnknown(input, output);
      const loop = await this.#loop(input, { output, signal, steering, key, modelInfo });
      if (input.message.text.trim() === `/${COMPACT}`) await compact(loop);
      else await runLoop(loop);
      this.#conversation.complete();
    } catch (error) {
      if (signal.aborted) {
        this.#conversation.push({ role: 'user', content: STOPPED });
        this.#conversation.complete();
      } else this.#conversation.checkpoint();
      throw error;
    } finally {
      steering.end();
      this.#running = undefined;
    }
  }

  async #model(id: string | undefined, key: string | undefined): Promise<NamedModel> {
    const { models, config } = this.#parts;
    const known = models.find(id);
    if (known !== undefined) return known;
    if (key === undefined && needsKey(config))
      throw new AgentError('authRequired', `${config.displayName} has no key: ${keyHint(config)}`);
    const trouble = await models.refresh(key);
    const found = models.find(id);
    if (found !== undefined) return found;
    throw new AgentError(
      'modelNotFound',
      `${config.displayName} has no model: ${trouble?.message ?? 'none is listed'}. Name one in "models" of the config file`,
    );
  }

  async #begin(
    input: TurnInput,
    { output, modelInfo, isResumed }: { output: TurnOutput; modelInfo: NamedModel; isResumed: boolean },
  ): Promise<void> {
    const gone = this.#rules.begin(input.rules);
    if (isResumed && this.#conversation.turnId === input.turnId) return this.#conversation.resume();
    const prompt = await this.#prompt(input.message, {
      input,
      output,
      modelInfo,
      context: [...input.context, ...(gone === '' ? [] : [gone])],
    });
    const before = isResumed && this.#unfinished?.id === input.turnId ? this.#unfinished.messages : [];
    this.#conversation.begin(input.turnId, prompt, before);
    if (isResumed) this.#conversation.resume();
  }

  #prompt(
    message: Message,
    {
      input,
      output,
      modelInfo,
      context = [],
    }: { input: TurnInput; output: TurnOutput; modelInfo: NamedModel; context?: readonly string[] },
  ): Promise<UserModelMessage> {
    const rules = this.#rules.textFor(attachedPaths(message));
    return promptOf(message, {
      api: this.#parts.config.api,
      takesImages: modelInfo.images !== false,
      readResource: input.readResource,
      context: rules === '' ? context : [...context, rules],
      tell: (problem) => output.notify(problem),
    });
  }

  async #loop(
    input: TurnInput,
    turn: {
      readonly output: TurnOutput;
      readonly signal: AbortSignal;
      readonly steering: TurnSteering;
      readonly key: string | undefined;
      readonly modelInfo: NamedModel;
    },
  ): Promise<Loop> {
    const { output, signal, steering, key, modelInfo } = turn;
    const { config, timers } = this.#parts;
    const { host, chat } = this.#options;
    const own = readSettings(this.#config);
    const settings = { ...own, thinking: thinkingOf(input.message.model?.config) ?? own.thinking };
    const place = {
      folder: this.#folder,
      sandboxed: settings.sandbox && (await sandboxState()).works,
    };
    const loop: Loop = {
      config,
      key,
      model: await openModel(config, key, modelInfo.id),
      modelInfo,
      settings,
      system: await systemPrompt(place),
      chat,
      conversation: this.#conversation,
      output,
      usage: new TurnUsage(modelInfo, this.#conversation.cost, config.api),
      timers,
      signal,
      common: {
        turnId: input.turnId,
        output,
        host,
        folder: this.#folder,
        settings,
        timers,
        rules: this.#rules,
        signal,
        exclusive: (work) => this.#exclusive.run(work),
        work: async (task) =>
          runWorker(loop, { ...task, system: await systemPrompt({ ...place, isWorker: true }) }),
        askModel: (request, withdrawn) => answerRequest(loop, request, withdrawn),
      },
      tools: () => this.#tools(input.tools),
      steered: () =>
        Promise.all(steering.next().map((message) => this.#prompt(message, { input, output, modelInfo }))),
      closeSteering: () => steering.close(),
    };
    return loop;
  }

  /** Tells people which tools of a custom agent do not exist. */
  #tellUnknown({ tools }: TurnInput, output: TurnOutput): void {
    if (tools === undefined) return;
    const { unknown } = namedTools(this.#tools(), tools);
    if (unknown.length > 0)
      output.notify(`The custom agent names tools that do not exist here: ${unknown.join(', ')}`);
  }

  /** `names`: those that a custom agent may use; `undefined` for all. */
  #tools(names?: readonly string[]): ReadonlyMap<string, ModelTool> {
    const own = new Map(this.#ownTools.map((tool) => [tool.name, tool]));
    const offered = offeredTools(this.#options.host, new Set(own.keys()));
    const all = new Map([...own, ...offered.map((tool) => [tool.name, tool] as const)]);
    return names === undefined ? all : namedTools(all, names).tools;
  }
}
