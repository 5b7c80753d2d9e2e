import type { ConfigPropertySchema, RootConfigState } from '@agenthost/protocol';
import { isPageHosts, PAGE_HOSTS_PROPERTY } from './page-hosts.ts';
import { APPROVALS_PROPERTY, type ApprovalPolicy, isApprovalPolicy } from './session-keys.ts';
import { type ConfigFault, findConfigFault } from './values.ts';

type Values = Readonly<Record<string, unknown>>;

interface NumberSpec {
  readonly title: string;
  readonly description: string;
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

/** Numeric settings of the host. The unit is part of the name. */
const NUMBERS = {
  clientToolTimeoutSeconds: {
    title: 'Time limit of client tools',
    description: 'Time after which a call of a client tool fails, in seconds',
    default: 300,
    min: 1,
    max: 86_400,
  },
  agentStartTimeoutSeconds: {
    title: 'Time limit of agent starts',
    description: 'Time after which opening a conversation with an agent fails, in seconds',
    default: 120,
    min: 1,
    max: 3_600,
  },
  agentIdleMinutes: {
    title: 'Idle time of agents',
    description: 'Time for which the agent of an idle chat without subscribers keeps running, in minutes',
    default: 10,
    min: 1,
    max: 10_080,
  },
  maxTerminals: {
    title: 'Terminals',
    description: 'Maximum number of terminals, including ended ones',
    default: 256,
    min: 1,
    max: 1_024,
  },
  terminalScrollbackKilobytes: {
    title: 'Scrollback of terminals',
    description:
      'Output that each terminal keeps for clients that open it later, in Ki characters, besides its screen and modes',
    default: 64,
    min: 16,
    max: 4_096,
  },
  maxConnections: {
    title: 'Connections',
    description:
      'Maximum number of connected clients. One in 32, and at least two, are reserved for admins, and half of those for the owner',
    default: 2_048,
    min: 8,
    max: 65_536,
  },
  maxConnectionsPerToken: {
    title: 'Connections by token',
    description: 'Maximum number of connected clients of one token',
    default: 1_024,
    min: 8,
    max: 65_536,
  },
  maxSubscriptions: {
    title: 'Subscriptions',
    description: 'Maximum number of channels that one client subscribes to',
    default: 256,
    min: 8,
    max: 65_536,
  },
  maxSubscriptionsPerToken: {
    title: 'Subscriptions by token',
    description: 'Maximum number of subscriptions of all clients of one token',
    default: 16_384,
    min: 256,
    max: 1_048_576,
  },
  maxAwayClientsPerToken: {
    title: 'Clients that are away',
    description:
      'Maximum number of disconnected clients of one token that are remembered although they changed nothing, so that they can catch up by replay',
    default: 1_024,
    min: 1,
    max: 65_536,
  },
  maxMessagesPerSecond: {
    title: 'Messages a second',
    description:
      "Average number of messages of one client that are read each second; further ones wait. All clients of one token together may send eight times this number, or a quarter of this number with an `observe` token; the owner's clients have no shared limit",
    default: 5_000,
    min: 100,
    max: 1_000_000,
  },
  maxPendingMessages: {
    title: 'Messages that wait',
    description: 'Maximum number of waiting messages of one client before it is disconnected',
    default: 10_000,
    min: 100,
    max: 1_000_000,
  },
  replayWindowHours: {
    title: 'Age of the replay window',
    description: 'Time for which absent clients can catch up by replay, in hours',
    default: 24,
    min: 1,
    max: 720,
  },
  replayWindowMegabytes: {
    title: 'Size of the replay window',
    description: 'Size of the history that is kept for absent clients, in MiB',
    default: 256,
    min: 1,
    max: 16_384,
  },
} as const satisfies Record<string, NumberSpec>;

/** Name of a numeric setting of the host. */
export type NumberSetting = keyof typeof NUMBERS;

const specOf = (key: string): NumberSpec | undefined =>
  Object.hasOwn(NUMBERS, key) ? Object.entries(NUMBERS).find(([name]) => name === key)?.[1] : undefined;

const AGENT_COMMENTS_PROPERTY: ConfigPropertySchema = {
  type: 'boolean',
  title: 'Comments of agents',
  description: 'Whether agents get tools to read, write, answer and resolve comments on files',
  default: false,
};

/** Inputs of a host's config. */
export interface HostConfigParts {
  /** Ids of the available agents. */
  readonly agents: readonly string[];
  /** Names of the available agents for people, in the order of `agents`. Default: the ids. */
  readonly agentNames?: readonly string[];
  /** The agent of sessions that name none. */
  readonly defaultAgent: string | undefined;
  /** Values that clients cannot change. */
  readonly fixed: Values;
  /** The config at the end of the last run. */
  readonly before: RootConfigState | undefined;
}

/** The settings of a host with these agents; none of them is fixed [ROOT-5]. */
export function hostConfigSchema({
  agents,
  agentNames = agents,
  defaultAgent,
}: Pick<HostConfigParts, 'agents' | 'agentNames' | 'defaultAgent'>): RootConfigState['schema'] {
  const properties = {
    ...(defaultAgent === undefined ? {} : { defaultAgent: agentProperty(agents, agentNames, defaultAgent) }),
    approvals: { ...APPROVALS_PROPERTY, description: 'The `approvals` of new sessions that set none' },
    pageHosts: PAGE_HOSTS_PROPERTY,
    agentComments: AGENT_COMMENTS_PROPERTY,
    ...Object.fromEntries(Object.entries(NUMBERS).map(([key, spec]) => [key, numberProperty(spec)])),
  };
  return { type: 'object', properties };
}

/**
 * The host's config at its start: earlier values that are still valid, defaults for the others, and fixed values [ROOT-5].
 * Throws an error such as `key: expected …` for an invalid fixed value.
 */
export function hostConfig({ fixed, before, ...agents }: HostConfigParts): RootConfigState {
  const properties = { ...hostConfigSchema(agents).properties };
  for (const [key, value] of Object.entries(fixed)) {
    const fault = findHostConfigFault({ type: 'object', properties }, { [key]: value });
    if (fault !== undefined) throw new Error(`${fault.key}: ${fault.problem}`);
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

/** The earlier value of a setting if it is valid and was neither fixed nor the default; else the current default. */
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

const agentProperty = (
  agents: readonly string[],
  names: readonly string[],
  defaultAgent: string,
): ConfigPropertySchema => ({
  type: 'string',
  title: 'Default agent',
  description: 'The agent of sessions that name none',
  enum: [...agents],
  enumLabels: [...names],
  default: defaultAgent,
});

const numberProperty = (spec: NumberSpec): ConfigPropertySchema => ({
  type: 'number',
  title: spec.title,
  description: `${spec.description}; ${spec.min} to ${spec.max}`,
  default: spec.default,
});

/** The first fault in values of the host's config, or `undefined` [ROOT-5]. */
export function findHostConfigFault(
  schema: RootConfigState['schema'],
  values: Values,
): ConfigFault | undefined {
  const fault = findConfigFault(schema, values);
  if (fault !== undefined) return fault;
  for (const [key, value] of Object.entries(values)) {
    if (key === 'pageHosts' && !isPageHosts(value))
      return { key, problem: 'expected a list of origins such as "https://example.org"' };
    const spec = specOf(key);
    if (spec === undefined || isWithin(spec, value)) continue;
    return { key, problem: `expected a whole number from ${spec.min} to ${spec.max}` };
  }
  return undefined;
}

const isWithin = ({ min, max }: NumberSpec, value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;

/** Defaults of the settings that a replacement left out. */
export function missingDefaults({ schema, values }: RootConfigState): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema.properties).flatMap(([key, { default: value }]) =>
      Object.hasOwn(values, key) || value === undefined ? [] : [[key, value]],
    ),
  );
}

/** The current value of a numeric setting. */
export function numberSetting(config: RootConfigState | undefined, key: NumberSetting): number {
  const value = config?.values[key];
  const spec = NUMBERS[key];
  return isWithin(spec, value) ? value : spec.default;
}

/** The `approvals` of sessions that set none. */
export function defaultApprovals(config: RootConfigState | undefined): ApprovalPolicy {
  const value = config?.values['approvals'];
  return isApprovalPolicy(value) ? value : 'ask';
}

/** Whether agents get tools for comments. */
export const agentComments = (config: RootConfigState | undefined): boolean =>
  config?.values['agentComments'] === true;

/** Origins of the other hosts that this host's web page may connect to. */
export function pageHosts(config: RootConfigState | undefined): readonly string[] {
  const value = config?.values['pageHosts'];
  return isPageHosts(value) ? value : [];
}

/** The agent of sessions that name none; `undefined` when the host has no agents. */
export function defaultAgent(config: RootConfigState | undefined): string | undefined {
  const value = config?.values['defaultAgent'];
  return typeof value === 'string' ? value : undefined;
}
