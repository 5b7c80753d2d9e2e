import { AgentError } from '@agenthost/host/agent';
import { errorText } from '@agenthost/protocol/values';
import { Conversation } from '../conversation/conversation.ts';
import { type ModelTool, ToolFailure } from '../tools/tool.ts';
import { answerRequest } from './answer-request.ts';
import { runLoop } from './loop.ts';
import type { Loop } from './loop-parts.ts';
import { TurnUsage } from './usage.ts';

/** A task for a worker. */
export interface WorkerTask {
  /** The call of the parent that waits for the report. */
  readonly toolCallId: string;
  readonly title: string;
  readonly prompt: string;
  /** System prompt of the worker. */
  readonly system: string;
}

/** Tools that workers do not have: their chats are no place for questions of their own, and they give no work away. */
const WITHHELD = new Set(['start_worker', 'ask_user']);

/** Runs a worker in a chat of its own. Resolves with its last answer. Rejects with `ToolFailure` when it fails. */
export async function runWorker(parent: Loop, task: WorkerTask): Promise<string> {
  const { toolCallId, title, prompt, system } = task;
  const chat = parent.output.spawnChat({ toolCallId, title, description: prompt, agentName: 'worker' });
  const turn = chat.turn(prompt);
  const signal = AbortSignal.any([parent.signal, turn.signal]);
  const conversation = new Conversation(() => undefined);
  conversation.begin('worker', { role: 'user', content: prompt });
  const usage = new TurnUsage(parent.modelInfo, undefined, parent.config.api);
  try {
    const loop: Loop = {
      ...parent,
      system,
      chat: chat.uri,
      conversation,
      usage,
      output: turn.output,
      signal,
      common: {
        ...parent.common,
        output: turn.output,
        signal,
        rules: parent.common.rules.fresh(),
        askModel: (request, withdrawn) => answerRequest(loop, request, withdrawn),
      },
      tools: () => withoutWithheld(parent.tools()),
      steered: () => Promise.resolve([]),
      closeSteering: () => true,
    };
    await runLoop(loop);
    turn.end();
    return conversation.lastText;
  } catch (error) {
    parent.signal.throwIfAborted();
    if (turn.signal.aborted) throw new ToolFailure('The worker was cancelled', { cause: error });
    turn.end(error instanceof AgentError ? error : new AgentError('agentError', errorText(error)));
    throw new ToolFailure(`The worker failed: ${errorText(error)}`, { cause: error });
  } finally {
    parent.usage.spend(usage.cost);
  }
}

const withoutWithheld = (tools: ReadonlyMap<string, ModelTool>): ReadonlyMap<string, ModelTool> =>
  new Map([...tools].filter(([name]) => !WITHHELD.has(name)));
