import type { ContentBlock } from '@agentclientprotocol/sdk';
import {
  AgentError,
  type AgentSession,
  type OpenAgentSession,
  type TurnInput,
  type TurnOutput,
} from '@agenthost/host/agent';
import type { Message } from '@agenthost/protocol';
import type { ConfinedFolder } from '../../working-files/confined-path.ts';
import { DuplicateToolCalls } from '../client-tools/duplicate-tool-calls.ts';
import { OfferedTools } from '../client-tools/offered-tools.ts';
import { ConfigControl } from '../config/config-control.ts';
import type { JsonObject } from '../json.ts';
import type { AgentTraits } from '../process/agent-traits.ts';
import type { SessionReceiver } from '../process/connection.ts';
import { orAbort } from '../runtime.ts';
import type { AskPeople } from '../turn/elicitation.ts';
import { promptBlocks } from '../turn/prompt.ts';
import { PromptSteering } from '../turn/steering.ts';
import { AcpTurn } from '../turn/turn.ts';
import { ChildSessions } from './child-sessions.ts';
import { readTextFile, writeTextFile } from './files.ts';
import type { AcpSessionContext } from './session-context.ts';
import { SessionOpening } from './session-opening.ts';
import type { SessionUpdate } from './session-update.ts';
import { SharedTerminals } from './terminals.ts';

/**
 * Time to wait for a usage notification after a result without usage, in milliseconds. Some agents send it
 * afterwards.
 */
const TRAILING_USAGE_MS = 150;

/** A turn for the agent. `isResumed`: it failed before [CHAT-23]. */
interface GivenTurn {
  readonly input: TurnInput;
  readonly isResumed: boolean;
}

/** Asks an agent to continue a turn that failed. The agent's session has the message of the turn. */
const CONTINUE =
  'Your work on my last message was interrupted before it was complete. Continue where you stopped.';

/**
 * A chat's session with an ACP agent. It outlives its process: after a stop for idleness the next turn starts
 * the process again and resumes the session by the agent's id, or continues from the host's record of the
 * chat.
 */
export class AcpSession implements AgentSession, SessionReceiver {
  readonly #context: AcpSessionContext;
  readonly #options: OpenAgentSession;
  readonly #children = new ChildSessions(this);
  readonly #config: ConfigControl;
  readonly terminals: SharedTerminals;
  readonly #tools: OfferedTools;
  readonly #opening: SessionOpening;
  #turn: AcpTurn | undefined;
  #steering: PromptSteering | undefined;
  /** Settles when the running turn has ended. */
  #running: Promise<void> = Promise.resolve();

  /** Opens or resumes the agent's session. Rejects with `AgentError`. The signal ends the attempt. */
  static async open(
    context: AcpSessionContext,
    options: OpenAgentSession,
    signal: AbortSignal,
  ): Promise<AcpSession> {
    const session = new AcpSession(context, options);
    try {
      const lease = await orAbort(session.#opening.attach(), signal, (late) => late.release());
      lease.release();
      return session;
    } catch (cause) {
      await session.close();
      if (cause instanceof AgentError) throw cause;
      throw new AgentError('agentError', `the session with ${context.agent.displayName} was not opened`, {
        cause,
      });
    }
  }

  private constructor(context: AcpSessionContext, options: OpenAgentSession) {
    this.#context = context;
    this.#options = options;
    this.#config = new ConfigControl(options.host, options.config, context.log);
    this.terminals = new SharedTerminals({
      host: options.host,
      workingDirectory: options.workingDirectory,
      log: context.log,
      turnId: () => this.#turn?.id,
      released: async (terminal) => this.#turn?.showTerminal(terminal),
    });
    this.#tools = new OfferedTools({
      host: options.host,
      timers: context.timers,
      findServer: context.findToolServer,
      turn: () => this.#turn,
      listsLate: context.agent.listsToolsLate ?? false,
    });
    this.#opening = new SessionOpening({
      context,
      options,
      receiver: this,
      children: this.#children,
      config: this.#config,
      tools: this.#tools,
      onLost: (reason) => {
        // Foreground terminals end with the agent process; background terminals stay.
        void this.terminals.end();
        options.host.exited(reason);
      },
    });
  }

  runTurn(input: TurnInput, output: TurnOutput, signal: AbortSignal): Promise<void> {
    return this.#run({ input, isResumed: false }, output, signal);
  }

  /** Asks the agent to continue, or sends the message again if the agent's session does not have it. */
  resumeTurn(input: TurnInput, output: TurnOutput, signal: AbortSignal): Promise<void> {
    return this.#run({ input, isResumed: true }, output, signal);
  }

  async #run(given: GivenTurn, output: TurnOutput, signal: AbortSignal): Promise<void> {
    const before = this.#running;
    const steering = new PromptSteering();
    this.#steering = steering;
    let settle = (): void => {};
    this.#running = new Promise((resolve) => {
      settle = resolve;
    });
    try {
      // After a cancel the agent may still be ending the previous turn.
      await before;
      if (signal.aborted) return;
      const lease = await orAbort(this.#opening.attach(), signal, (late) => late.release());
      try {
        await this.#prompt(given, output, signal, steering);
      } finally {
        lease.release();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      this.#context.log('debug', 'turn ended after its cancel', { error: String(error) });
    } finally {
      steering.end();
      settle();
    }
  }

  async steer(message: Message): Promise<boolean> {
    return (await this.#steering?.steer(message)) === true;
  }

  async setConfig(values: Readonly<Record<string, unknown>>): Promise<void> {
    this.#config.want(values);
    // Without a process the values are kept for the next turn.
    const { attached } = this.#opening;
    if (attached?.connection.isOpen === true) await this.#config.apply(attached);
  }

  async close(): Promise<void> {
    if (this.#opening.isClosed) return;
    await this.#opening.close();
    this.#tools.end();
    await this.terminals.end();
    await this.#opening.dropProcess('its chat was closed');
  }

  /**
   * Terminates the session. If its turn does not stop, stops the agent process, with the turns of other
   * chats in that process: an agent that keeps changing files after a cancel would be worse.
   */
  async terminate(): Promise<void> {
    const stuck = this.#turn === undefined ? undefined : this.#opening.attached?.connection;
    this.#opening.abandon();
    this.#tools.end();
    await this.terminals.end();
    await stuck?.close('a cancelled turn on it did not end');
    await this.#opening.dropProcess('its chat was terminated');
  }

  toolsChanged(): void {
    this.#tools.changed();
  }

  processIds(): readonly number[] {
    const { attached } = this.#opening;
    return attached?.connection.isOpen === true ? [attached.connection.pid] : [];
  }

  async update(update: SessionUpdate): Promise<void> {
    await this.#apply(update);
    await this.#options.host.ready();
  }

  async #apply(update: SessionUpdate): Promise<void> {
    const { host } = this.#options;
    this.#opening.countUpdate();
    switch (update.type) {
      case 'commands':
        return host.commands(update.commands);
      case 'info':
        return update.title === undefined ? undefined : host.title(update.title);
      case 'mode':
      case 'configOptions':
        return this.#config.take(update);
      default:
        // Outside of a turn, other updates are repeated history or come too late.
        return this.#turn?.update(update);
    }
  }

  async permission(params: JsonObject): Promise<string | undefined> {
    return this.#turn?.permission(params);
  }

  readonly askPeople: AskPeople = (questions, withdrawn) => this.#turn?.ask(questions, withdrawn);

  readTextFile(params: JsonObject): Promise<string> {
    return readTextFile(this.#files, params);
  }

  writeTextFile(params: JsonObject): Promise<void> {
    return writeTextFile(this.#files, params);
  }

  get #files(): ConfinedFolder {
    const { host, workingDirectory: path, moreDirectories: more } = this.#options;
    return { path, more, isPrivate: (realPath) => host.isPrivate(realPath) };
  }

  async #prompt(
    { input, isResumed }: GivenTurn,
    output: TurnOutput,
    signal: AbortSignal,
    steering: PromptSteering,
  ): Promise<void> {
    const { attached } = this.#opening;
    if (attached === undefined)
      throw new AgentError('agentExited', `${this.#name} exited before the turn began`);
    const { connection, sessionId } = attached;
    for (const notice of this.#opening.takeNotices()) output.notify(notice);
    const model = input.message.model?.id;
    if (model !== undefined && !(await this.#config.chooseModel(attached, model))) {
      const models = this.#config.offered.models('').map(({ id }) => id);
      // The agent would use another model, at another price.
      if (models.length > 0)
        throw new AgentError(
          'unknownModel',
          `${this.#name} has no model ${model}; it has ${models.join(', ')}`,
        );
      output.notify(`${this.#name} offers no choice of models; it continues with its present model.`);
    }
    const tell = (problem: string): void => output.notify(problem);
    const prompt: ContentBlock[] =
      isResumed && this.#opening.knowsTurn(input.turnId)
        ? [{ type: 'text', text: CONTINUE }]
        : await this.#message(input, connection.traits, tell);
    await this.#tools.firstList(signal, connection.closed);
    if (signal.aborted) return;
    const { workingDirectory } = this.#options;
    const turn = new AcpTurn(input.turnId, output, {
      workingDirectory,
      terminals: this.terminals,
      children: this.#children,
      duplicates: new DuplicateToolCalls(() => this.#tools.list()),
    });
    this.#children.use(connection);
    this.#turn = turn;
    const cancel = (): void => connection.notify('session/cancel', { sessionId });
    signal.addEventListener('abort', cancel, { once: true });
    try {
      this.#opening.beginTurn(attached, input.turnId);
      const answer = connection.request('session/prompt', { sessionId, prompt });
      const canResolve = (): boolean => this.#tools.haveComments;
      steering.begin({ connection, sessionId, readResource: input.readResource, tell, canResolve });
      const result = await answer;
      this.#opening.endPriming();
      turn.finish(result);
      if (!signal.aborted) await this.#awaitUsage(turn);
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#turn = undefined;
      await turn.showKeptBack();
      await this.terminals.endTurn(signal.aborted);
    }
  }

  /** The message of a turn for the agent, below what its session lacks. */
  async #message(
    input: TurnInput,
    traits: AgentTraits,
    tell: (problem: string) => void,
  ): Promise<ContentBlock[]> {
    const message = await promptBlocks(input, traits, { tell, canResolve: this.#tools.haveComments });
    const { priming } = this.#opening;
    const primed =
      priming === undefined
        ? []
        : [priming, ...(input.instructions === undefined ? [] : [input.instructions])];
    return [
      ...[...primed, ...input.context].map((text): ContentBlock => ({ type: 'text', text })),
      ...message,
    ];
  }

  async #awaitUsage(turn: AcpTurn): Promise<void> {
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#context.timers.after(TRAILING_USAGE_MS, resolve);
    });
    await Promise.race([turn.usageSeen, late]);
    cancel();
  }

  get #name(): string {
    return this.#context.agent.displayName;
  }
}
