import type { TurnOutput } from '@agenthost/host/agent';
import type { LanguageModel, ToolSet, UserModelMessage } from 'ai';
import type { ModelAgentConfig, NamedModel } from '../config/config.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { ModelTimers } from '../runtime.ts';
import type { ModelSettings } from '../settings.ts';
import type { ModelTool, ToolRun } from '../tools/tool.ts';
import { cachedInstructions, cachedMessages, providerOptions } from './provider-options.ts';
import type { StepRequest } from './step.ts';
import type { TurnUsage } from './usage.ts';

/** One turn of a model: its conversation, its tools, and where its answer goes. */
export interface Loop {
  readonly config: ModelAgentConfig;
  readonly key: string | undefined;
  readonly model: LanguageModel;
  readonly modelInfo: NamedModel;
  readonly settings: ModelSettings;
  readonly system: string;
  /** The chat's URI. */
  readonly chat: string;
  readonly conversation: Conversation;
  readonly output: TurnOutput;
  readonly usage: TurnUsage;
  readonly timers: ModelTimers;
  readonly signal: AbortSignal;
  /** What tools get. */
  readonly common: Omit<ToolRun, 'handle' | 'toolInput'>;
  /** The tools that exist now. */
  tools(): ReadonlyMap<string, ModelTool>;
  /** Messages of people that the model has not got. */
  steered(): Promise<readonly UserModelMessage[]>;
  /** Ends the turn for messages. False: there are some that the model has not got. */
  closeSteering(): boolean;
}

/** Anthropic's API wants a limit. This one holds for all of its models that can call tools. */
const UNKNOWN_MAX_OUTPUT = 8_192;

/** The request with the present conversation. */
export function requestOf(loop: Loop, tools: ToolSet, takesTools: boolean): StepRequest {
  const { api } = loop.config;
  return {
    model: loop.model,
    instructions: cachedInstructions(api, loop.system),
    messages: cachedMessages(api, loop.conversation.messages),
    tools,
    takesTools,
    thinking: loop.settings.thinking,
    maxOutputTokens: loop.modelInfo.maxOutput ?? (api === 'anthropic' ? UNKNOWN_MAX_OUTPUT : undefined),
    providerOptions: providerOptions(api, {
      chat: loop.chat,
      modelId: loop.modelInfo.id,
      thinking: loop.settings.thinking,
    }),
    signal: loop.signal,
    timers: loop.timers,
  };
}
