import type { SessionConfigSchema } from '@agenthost/protocol';

/** How much a model thinks before it answers. `default`: as the API decides. */
export const THINKING_LEVELS = ['default', 'none', 'low', 'medium', 'high'] as const;
/** A level of thinking. */
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** Calls of tools in one turn before the model has to answer. */
const DEFAULT_MAX_CALLS = 200;
const MOST_CALLS = 10_000;

/** The settings of a session with a model agent. */
export interface ModelSettings {
  readonly thinking: ThinkingLevel;
  /** Calls of tools in one turn. */
  readonly maxToolCalls: number;
  /** Whether commands run in a sandbox where that is possible. */
  readonly sandbox: boolean;
}

const THINKING = {
  type: 'string' as const,
  title: 'Thinking',
  description: 'How much the model thinks before it answers; models without thinking ignore it',
  enum: [...THINKING_LEVELS],
  enumLabels: ["The API's default", 'None', 'Little', 'Medium', 'Much'],
  default: 'default',
};

/** Schema of `ModelSelection.config`: the settings that a message may set for its model. */
export const modelConfigSchema = { type: 'object' as const, properties: { thinking: THINKING } };

/** Schema of the session config. */
export const sessionConfigSchema: SessionConfigSchema = {
  type: 'object',
  properties: {
    thinking: { ...THINKING, sessionMutable: true },
    maxToolCalls: {
      type: 'number',
      title: 'Tool calls per turn',
      description: 'After this many calls of tools in one turn the model has to answer',
      default: DEFAULT_MAX_CALLS,
      sessionMutable: true,
    },
    sandbox: {
      type: 'boolean',
      title: 'Sandbox for commands',
      description:
        'Run commands with write access to the working directories only, where bwrap works on this machine',
      default: true,
      sessionMutable: true,
    },
  },
};

/** Reads settings. Invalid values count as absent. */
export function readSettings(values: Readonly<Record<string, unknown>>): ModelSettings {
  const { maxToolCalls, sandbox } = values;
  const isCount = typeof maxToolCalls === 'number' && Number.isFinite(maxToolCalls) && maxToolCalls >= 1;
  return {
    thinking: thinkingOf(values) ?? 'default',
    maxToolCalls: isCount ? Math.min(Math.floor(maxToolCalls), MOST_CALLS) : DEFAULT_MAX_CALLS,
    sandbox: sandbox !== false,
  };
}

/** The level of thinking in these values; `undefined` if they have none that is valid. */
export const thinkingOf = (
  values: Readonly<Record<string, unknown>> | undefined,
): ThinkingLevel | undefined => THINKING_LEVELS.find((level) => level === values?.['thinking']);
