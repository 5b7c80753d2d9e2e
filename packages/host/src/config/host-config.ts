import type { ConfigPropertySchema, RootConfigState } from '@agenthost/protocol';
import { APPROVALS_PROPERTY, type ApprovalPolicy, isApprovalPolicy } from './session-keys.ts';
import { configFaultText, findConfigFault } from './values.ts';

type Values = Readonly<Record<string, unknown>>;

interface NumberSpec {
  readonly title: string;
  readonly description: string;
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

/** Settings of the host that are whole numbers; the unit is in the name. */
const NUMBERS = {
  clientToolTimeoutSeconds: {
    title: 'Time limit of client tools',
    description: 'How long a client may take to run a tool of its own before the call fails, in seconds',
    default: 300,
    min: 1,
    max: 86_400,
  },
  agentStartTimeoutSeconds: {
    title: 'Time limit of agent starts',
    description: 'How long an agent may take to open a conversation before that fails, in seconds',
    default: 120,
    min: 1,
    max: 3_600,
  },
  agentIdleMinutes: {
    title: 'Idle time of agents',
    description: 'How long the agent of a chat stays that nobody looks at and nothing runs in, in minutes',
    default: 10,
    min: 1,
    max: 10_080,
  },
  maxTerminals: {
    title: 'Terminals',
    description: 'How many terminals there may be at once, ended ones included',
    default: 256,
    min: 1,
    max: 1_024,
  },
  maxConnections: {
    title: 'Connections',
    description:
      'How many clients may be connected at once. One in 32, two at least, is kept for admins, and half of those for the owner',
    default: 2_048,
    min: 8,
    max: 65_536,
  },
  maxConnectionsPerToken: {
    title: 'Connections by token',
    description: 'How many clients may be connected at once by one token',
    default: 1_024,
    min: 8,
    max: 65_536,
  },
  maxSubscriptions: {
    title: 'Subscriptions',
    description: 'How many channels one client may follow at once',
    default: 256,
    min: 8,
    max: 65_536,
  },
  maxSubscriptionsPerToken: {
    title: 'Subscriptions by token',
    description: 'How many channels the clients of one token may follow at once, all together',
    default: 16_384,
    min: 256,
    max: 1_048_576,
  },
  maxAwayClientsPerToken: {
    title: 'Clients that are away',
    description:
      'How many clients of one token that are away and have changed nothing can still catch up change by change',
    default: 1_024,
    min: 1,
    max: 65_536,
  },
  maxMessagesPerSecond: {
    title: 'Messages a second',
    description:
      'How many messages of one client are read each second, on average; more are read later. All clients of one token share eight times as many, of a token that may only look a quarter; the owner’s are not bounded together',
    default: 5_000,
    min: 100,
    max: 1_000_000,
  },
  maxPendingMessages: {
    title: 'Messages that wait',
    description: 'How many messages of one client may wait to be handled before it is cut off',
    default: 10_000,
    min: 100,
    max: 1_000_000,
  },
  replayWindowHours: {
    title: 'Age of the replay window',
    description: 'How long clients that were away can catch up change by change, in hours',
    default: 24,
    min: 1,
    max: 720,
  },
  replayWindowMegabytes: {
    title: 'Size of the replay window',
    description: 'How much is kept for clients that were away, in MiB',
    default: 256,
    min: 1,
    max: 16_384,
  },
} as const satisfies Record<string, NumberSpec>;

/** Name of a setting of the host that is a number. */
export type NumberSetting = keyof typeof NUMBERS;

const specOf = (key: string): NumberSpec | undefined =>
  Object.hasOwn(NUMBERS, key) ? Object.entries(NUMBERS).find(([name]) => name === key)?.[1] : undefined;

/** What a host's config is made from. */
export interface HostConfigParts {
  /** Ids of the agents on offer. */
  readonly agents: readonly string[];
  /** The default for sessions that name no agent. */
  readonly defaultAgent: string | undefined;
  /** Values that clients cannot change. */
  readonly fixed: Values;
  /** The config that the host had when it ran last. */
  readonly before: RootConfigState | undefined;
}

/** The settings that a host with these agents has, none of them fixed [ROOT-5]. */
export function hostConfigSchema({
  agents,
  defaultAgent,
}: Pick<HostConfigParts, 'agents' | 'defaultAgent'>): RootConfigState['schema'] {
  const properties = {
    ...(defaultAgent === undefined ? {} : { defaultAgent: agentProperty(agents, defaultAgent) }),
    approvals: { ...APPROVALS_PROPERTY, description: 'What sessions begin with that do not say' },
    ...Object.fromEntries(Object.entries(NUMBERS).map(([key, spec]) => [key, numberProperty(spec)])),
  };
  return { type: 'object', properties };
}

/**
 * The host's config at its start: what was set before as far as it still fits, defaults for the rest, and what is fixed [ROOT-5].
 * Throws what is wrong with a fixed value, as `key: expected …`.
 */
export function hostConfig({ agents, defaultAgent, fixed, before }: HostConfigParts): RootConfigState {
  const properties = { ...hostConfigSchema({ agents, defaultAgent }).properties };
  for (const [key, value] of Object.entries(fixed)) {
    const fault = findHostConfigFault({ type: 'object', properties }, { [key]: value });
    if (fault !== undefined) throw new Error(fault);
    const property = properties[key];
    if (property !== undefined) properties[key] = { ...property, readOnly: true };
  }
  const schema = { type: 'object', properties } as const;
  const values = Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [
      key,
      Object.hasOwn(fixed, key) ? fixed[key] : chosen(before, schema, key, property),
    ]),
  );
  return { schema, values };
}

/** What somebody set and still fits; else the default, which may be another one than before. */
function chosen(
  before: RootConfigState | undefined,
  schema: RootConfigState['schema'],
  key: string,
  property: ConfigPropertySchema,
): unknown {
  const value = before?.values[key];
  const wasFixed = before?.schema.properties[key]?.readOnly === true;
  const wasDefault = value === before?.schema.properties[key]?.default;
  if (value === undefined || wasFixed || wasDefault) return property.default;
  return findHostConfigFault(schema, { [key]: value }) === undefined ? value : property.default;
}

const agentProperty = (agents: readonly string[], defaultAgent: string): ConfigPropertySchema => ({
  type: 'string',
  title: 'Default agent',
  description: 'The agent of sessions that name none',
  enum: [...agents],
  default: defaultAgent,
});

const numberProperty = (spec: NumberSpec): ConfigPropertySchema => ({
  type: 'number',
  title: spec.title,
  description: `${spec.description}; ${spec.min} to ${spec.max}`,
  default: spec.default,
});

/** What is wrong with values of the host's config, as `key: expected …`, or `undefined` [ROOT-5]. */
export function findHostConfigFault(schema: RootConfigState['schema'], values: Values): string | undefined {
  const fault = findConfigFault(schema, values);
  if (fault !== undefined) return configFaultText(fault);
  for (const [key, value] of Object.entries(values)) {
    const spec = specOf(key);
    if (spec === undefined || isWithin(spec, value)) continue;
    return `${key}: expected a whole number from ${spec.min} to ${spec.max}`;
  }
  return undefined;
}

const isWithin = ({ min, max }: NumberSpec, value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;

/** Values for what a replacement has left out: its defaults. Empty when nothing is missing. */
export function missingDefaults({ schema, values }: RootConfigState): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema.properties).flatMap(([key, { default: value }]) =>
      Object.hasOwn(values, key) || value === undefined ? [] : [[key, value]],
    ),
  );
}

/** A number of the host's config, as it holds now. */
export function numberSetting(config: RootConfigState | undefined, key: NumberSetting): number {
  const value = config?.values[key];
  const spec = NUMBERS[key];
  return isWithin(spec, value) ? value : spec.default;
}

/** What `approvals` is in sessions that do not say. */
export function defaultApprovals(config: RootConfigState | undefined): ApprovalPolicy {
  const value = config?.values['approvals'];
  return isApprovalPolicy(value) ? value : 'ask';
}

/** The agent of sessions that name none; `undefined` when the host has no agents. */
export function defaultAgent(config: RootConfigState | undefined): string | undefined {
  const value = config?.values['defaultAgent'];
  return typeof value === 'string' ? value : undefined;
}
