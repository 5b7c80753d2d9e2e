import { AgentError } from '../../../agents/errors.ts';
import type { ChildRegistry } from '../../../agents/provider.ts';
import type { TurnOutput } from '../../../agents/turn.ts';
import { beginningOf } from '../../../lib/beginning-of.ts';
import type { Timers } from '../../../lib/clock.ts';
import { type HookCommand, type HookEvent, hostPath, type ParsedChild } from '../child.ts';
import { answerOfHook, type HookAnswer } from './hook-answer.ts';
import { type HookResult, runHookCommand } from './hook-command.ts';
import { hookedOutput } from './hooked-output.ts';
import { matchesTool } from './matcher.ts';

/** Longest text of a tool call that a hook gets, in UTF-16 code units. */
const MAX_GIVEN = 64 * 1024;

/** A turn for its hooks. */
export interface HookedTurn {
  readonly session: string;
  readonly chat: string;
  readonly turnId: string;
  readonly output: TurnOutput;
  readonly signal: AbortSignal;
  /** Absolute path. */
  readonly folder: string;
}

interface Services {
  readonly children: ChildRegistry;
  readonly timers: Timers;
}

/** Facts of an event that a hook gets besides the turn. */
type Facts = Readonly<Record<string, unknown>>;

/** Runs the allowed hooks of one turn, one after the other. Each run is shown as a tool call of the turn. */
export class TurnHooks {
  readonly #services: Services;
  readonly #turn: HookedTurn;
  readonly #hooks: readonly ParsedChild[];
  /** Runs after tool calls, for which no agent may wait. */
  readonly #running = new Set<Promise<unknown>>();

  constructor(services: Services, turn: HookedTurn, hooks: readonly ParsedChild[]) {
    this.#services = services;
    this.#turn = turn;
    this.#hooks = hooks;
  }

  /** Runs the hooks before a message. Resolves with their texts for the model. Rejects with `AgentError` when one blocks the message. */
  async begin(prompt: string, source: 'startup' | 'resume' | undefined): Promise<readonly string[]> {
    const answers = [
      ...(source === undefined ? [] : await this.#run('SessionStart', { source })),
      ...(await this.#run('UserPromptSubmit', { prompt })),
    ];
    const blocking = answers.find(({ blocks }) => blocks !== undefined)?.blocks;
    if (blocking !== undefined)
      throw new AgentError('hookBlocked', `A hook has stopped the message: ${blocking}`);
    return answers.flatMap(({ context }) =>
      context === undefined ? [] : [`A hook of the user says:\n\n${context}`],
    );
  }

  /** The output of the turn with hooks around its tool calls. */
  get output(): TurnOutput {
    const { output } = this.#turn;
    if (!this.#has('PreToolUse') && !this.#has('PostToolUse')) return output;
    return hookedOutput(output, {
      before: async ({ toolName, toolInput }) => {
        const facts = { tool_name: toolName, tool_input: valueOf(toolInput) };
        const answers = await this.#run('PreToolUse', facts, toolName);
        return answers.find(({ blocks }) => blocks !== undefined)?.blocks;
      },
      after: async ({ toolName, toolInput, result }) => {
        const response = { success: result.success, text: textOf(result) };
        const facts = { tool_name: toolName, tool_input: valueOf(toolInput), tool_response: response };
        const running = this.#run('PostToolUse', facts, toolName);
        this.#running.add(running);
        await running;
        this.#running.delete(running);
      },
    });
  }

  /** Runs the hooks after the agent has finished. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    await this.#run('Stop', {});
  }

  #has(event: HookEvent): boolean {
    return this.#hooks.some(({ commands = [] }) => commands.some((each) => each.event === event));
  }

  /** Never rejects. Later hooks do not run after one that blocks. */
  async #run(event: HookEvent, facts: Facts, toolName = ''): Promise<readonly HookAnswer[]> {
    const answers: HookAnswer[] = [];
    for (const hook of this.#hooks)
      for (const command of hook.commands ?? []) {
        if (command.event !== event || !matchesTool(command.matcher, toolName)) continue;
        if (this.#turn.signal.aborted) return answers;
        const answer = await this.#runOne(hook, command, facts);
        answers.push(answer);
        if (answer.blocks !== undefined) return answers;
      }
    return answers;
  }

  async #runOne(
    hook: ParsedChild,
    { event, command, limitMs }: HookCommand,
    facts: Facts,
  ): Promise<HookAnswer> {
    const { session, chat, turnId, output, signal, folder } = this.#turn;
    const name = `${hook.child.name} (${event})`;
    const call = output.toolCall({
      toolName: 'hook',
      displayName: `Hook ${name}`,
      kind: 'execute',
      meta: { 'agenthost.hook': { id: hook.child.id, event } },
    });
    call.run({ invocationMessage: `Running the hook ${name}`, toolInput: command });
    const root = hostPath(hook, hook.folder);
    const input = {
      session_id: session,
      chat_id: chat,
      turn_id: turnId,
      cwd: folder,
      hook_event_name: event,
    };
    const result = await runHookCommand({
      ...this.#services,
      command,
      limitMs,
      cwd: folder,
      signal,
      env: {
        AGENTHOST_SESSION: session,
        CLAUDE_PROJECT_DIR: folder,
        ...(root === undefined ? {} : { PLUGIN_ROOT: root, CLAUDE_PLUGIN_ROOT: root }),
      },
      input: JSON.stringify({ ...input, ...facts }),
    });
    const answer = answerOfHook(event, result);
    const problem = answer.failure ?? answer.blocks;
    await call.complete({
      success: problem === undefined,
      pastTenseMessage: pastOf(name, answer),
      content: [{ type: 'text', text: shownOutput(result, answer) }],
      ...(problem === undefined ? {} : { error: { message: beginningOf(problem, 1_000) } }),
    });
    return answer;
  }
}

function pastOf(name: string, { failure, blocks }: HookAnswer): string {
  if (failure !== undefined) return `The hook ${name} failed: ${failure}`;
  return blocks === undefined ? `Ran the hook ${name}` : `The hook ${name} stopped it`;
}

function shownOutput({ stdout, stderr }: HookResult, { note }: HookAnswer): string {
  const parts = [note ?? '', stdout.trim(), stderr.trim()].filter((part) => part !== '');
  return parts.join('\n') || '(no output)';
}

/** The input of a tool as the agent gave it. */
function valueOf(toolInput: string): unknown {
  const text = beginningOf(toolInput, MAX_GIVEN);
  try {
    return JSON.parse(text);
  } catch {
    // It is plain text, or too long.
    return text;
  }
}

function textOf({
  content = [],
  error,
}: {
  content?: readonly { type: string }[];
  error?: { message: string };
}): string {
  const texts = content.map((block) => ('text' in block && typeof block.text === 'string' ? block.text : ''));
  return beginningOf([...texts, error?.message ?? ''].filter((text) => text !== '').join('\n'), MAX_GIVEN);
}
