import type { AgentCommand } from '@agenthost/host/agent';
import { defined } from '@agenthost/protocol/values';
import { isObject, type JsonObject, numberOf, objectOf, objectsOf, stringOf, textOf } from '../json.ts';

/** Fields of a tool call in an announcement, an update or a permission request. Absent: not given. */
export interface ToolCallFields {
  readonly toolCallId: string;
  readonly title?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly status?: ToolCallStatus;
  readonly content?: readonly JsonObject[];
  readonly locations?: readonly { readonly path: string; readonly line?: number }[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly meta: JsonObject;
}

/** The state of a call as the agent reports it. `completed` and `failed` are final. */
export type ToolCallStatus = 'pending' | 'in_progress' | 'completed' | 'failed';

/** One step of the agent's plan, in the agent's order. */
export interface PlanEntry {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** One `session/update`, read tolerantly: agents are both older and newer than the published schema. */
export type SessionUpdate =
  | {
      readonly type: 'message' | 'thought';
      readonly content: JsonObject;
      readonly messageId?: string;
      readonly meta: JsonObject;
    }
  | { readonly type: 'toolCall'; readonly isAnnouncement: boolean; readonly call: ToolCallFields }
  | { readonly type: 'plan'; readonly entries: readonly PlanEntry[] }
  | { readonly type: 'commands'; readonly commands: readonly AgentCommand[] }
  | { readonly type: 'mode'; readonly modeId: string }
  | { readonly type: 'configOptions'; readonly options: readonly JsonObject[] }
  | { readonly type: 'info'; readonly title?: string }
  | {
      readonly type: 'usage';
      readonly used?: number;
      readonly size?: number;
      readonly cost?: JsonObject;
    }
  | { readonly type: 'notice'; readonly text: string }
  | SubagentUpdate
  /** The user's own message repeated, or an unknown update. */
  | { readonly type: 'ignored'; readonly name: string };

/** Announces a child session or a change of it; absent fields have not changed. */
export interface SubagentUpdate {
  readonly type: 'subagent';
  readonly sessionId: string;
  readonly details: { readonly title?: string; readonly description?: string; readonly cwd?: string };
  /** Its present activity: `state`, with its `stopReason` once it is idle. */
  readonly state?: JsonObject;
}

const STATUSES: readonly string[] = ['pending', 'in_progress', 'completed', 'failed'];

function isStatus(value: unknown): value is ToolCallStatus {
  return typeof value === 'string' && STATUSES.includes(value);
}

/** Reads the tool call of an update or a permission request. `undefined` when it has no id. */
export function readToolCall(value: unknown): ToolCallFields | undefined {
  const call = objectOf(value);
  const toolCallId = textOf(call['toolCallId']);
  if (toolCallId === undefined) return undefined;
  const title = textOf(call['title']);
  const kind = textOf(call['kind']);
  const name = textOf(call['name']);
  const status = call['status'];
  return {
    toolCallId,
    meta: objectOf(call['_meta']),
    ...defined({ title, kind, name }),
    ...(isStatus(status) ? { status } : {}),
    ...(Array.isArray(call['content']) ? { content: objectsOf(call['content']) } : {}),
    ...(Array.isArray(call['locations']) ? { locations: readLocations(call['locations']) } : {}),
    ...(call['rawInput'] == null ? {} : { rawInput: call['rawInput'] }),
    ...(call['rawOutput'] == null ? {} : { rawOutput: call['rawOutput'] }),
  };
}

function readLocations(value: unknown): { path: string; line?: number }[] {
  return objectsOf(value).flatMap((location) => {
    const path = textOf(location['path']);
    const line = numberOf(location['line']);
    return path === undefined ? [] : [line === undefined ? { path } : { path, line }];
  });
}

/** Reads the `update` member of a `session/update` notification. */
export function readSessionUpdate(value: unknown): SessionUpdate {
  const update = objectOf(value);
  const name = stringOf(update['sessionUpdate']) ?? '';
  switch (name) {
    case 'agent_message_chunk':
      return readChunk('message', update);
    case 'agent_thought_chunk':
      return readChunk('thought', update);
    case 'tool_call':
    case 'tool_call_update': {
      const call = readToolCall(update);
      return call === undefined
        ? { type: 'ignored', name }
        : { type: 'toolCall', isAnnouncement: name === 'tool_call', call };
    }
    case 'plan':
      return { type: 'plan', entries: readPlan(update['entries']) };
    case 'available_commands_update':
      return { type: 'commands', commands: readCommands(update['availableCommands']) };
    case 'current_mode_update': {
      const modeId = textOf(update['currentModeId']);
      return modeId === undefined ? { type: 'ignored', name } : { type: 'mode', modeId };
    }
    case 'config_option_update':
      return { type: 'configOptions', options: objectsOf(update['configOptions']) };
    case 'session_info_update': {
      const title = textOf(update['title']);
      return title === undefined ? { type: 'info' } : { type: 'info', title };
    }
    case 'usage_update': {
      const used = numberOf(update['used']);
      const size = numberOf(update['size']);
      const cost = update['cost'];
      return {
        type: 'usage',
        ...defined({ used, size }),
        ...(isObject(cost) ? { cost } : {}),
      };
    }
    case 'notice': {
      const text = [textOf(update['title']), textOf(update['description'])]
        .filter((line) => line !== undefined)
        .join('\n\n');
      return text === '' ? { type: 'ignored', name } : { type: 'notice', text };
    }
    case 'subagent_update':
      return readSubagent(update) ?? { type: 'ignored', name };
    default:
      return { type: 'ignored', name };
  }
}

function readSubagent(update: JsonObject): SubagentUpdate | undefined {
  const sessionId = textOf(update['sessionId']);
  const [title, description, cwd] = ['title', 'description', 'cwd'].map((key) => textOf(update[key]));
  if (sessionId === undefined) return undefined;
  const { state } = update;
  return {
    type: 'subagent',
    sessionId,
    details: {
      ...defined({ title, description, cwd }),
    },
    ...(isObject(state) ? { state } : {}),
  };
}

function readChunk(type: 'message' | 'thought', update: JsonObject): SessionUpdate {
  const messageId = textOf(update['messageId']);
  return {
    type,
    content: objectOf(update['content']),
    meta: objectOf(update['_meta']),
    ...(messageId === undefined ? {} : { messageId }),
  };
}

function readPlan(value: unknown): PlanEntry[] {
  return objectsOf(value).flatMap((entry) => {
    const content = textOf(entry['content']);
    const status = entry['status'];
    if (content === undefined) return [];
    return [{ content, status: status === 'in_progress' || status === 'completed' ? status : 'pending' }];
  });
}

function readCommands(value: unknown): AgentCommand[] {
  return objectsOf(value).flatMap((command) => {
    const name = textOf(command['name'])?.replace(/^\/+/, '');
    if (name === undefined || name === '') return [];
    const description = stringOf(command['description']) ?? '';
    const hint = textOf(objectOf(command['input'])['hint']);
    return [hint === undefined ? { name, description } : { name, description, hint }];
  });
}
