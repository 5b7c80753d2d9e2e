import {
  CHANNEL_LIMITS,
  type SessionConfigPropertySchema,
  type SessionConfigState,
} from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { ConfigFault } from './values.ts';

/** How the host decides permission requests of agents: ask for all, allow file edits inside the folder and ask for the rest, allow all, deny all. */
export type ApprovalPolicy = 'ask' | 'edits' | 'all' | 'none';

/** Schema of `approvals` in the config of a session and of the host. */
export const APPROVALS_PROPERTY: SessionConfigPropertySchema = {
  type: 'string',
  title: 'Approvals',
  description: 'Automatic answer to tool calls that need approval',
  enum: ['ask', 'edits', 'all', 'none'],
  enumLabels: ['Ask', 'Allow edits', 'Allow all', 'Deny all'],
  enumDescriptions: [
    'You are asked each time',
    'File edits inside the working directory run, you are asked about the rest',
    'Everything runs',
    'Nothing runs that asks',
  ],
  default: 'ask',
};

/** Longest instructions of a session, in UTF-16 code units. */
const MAX_INSTRUCTIONS_LENGTH = CHANNEL_LIMITS.instructions.max;
/** Longest name of a worktree's base, in UTF-16 code units. */
const MAX_BASE_LENGTH = 250;
/** Limits of metadata, which the catalogue includes for every session. Lengths in UTF-16 code units. */
const MAX_METADATA = {
  entries: CHANNEL_LIMITS.metadataEntries.max,
  keyLength: CHANNEL_LIMITS.metadataKey.max,
  valueLength: CHANNEL_LIMITS.metadataValue.max,
} as const;

/** The host's keys in the config of every session. They replace keys of an agent with the same name. */
const PROPERTIES: Readonly<Record<string, SessionConfigPropertySchema>> = {
  approvals: { ...APPROVALS_PROPERTY, sessionMutable: true },
  instructions: {
    type: 'string',
    title: 'Instructions',
    description: `Instructions to the agent before the conversation, at most ${MAX_INSTRUCTIONS_LENGTH} characters`,
    default: '',
    sessionMutable: true,
  },
  isolation: {
    type: 'string',
    title: 'Isolation',
    description: 'Where the agent works',
    enum: ['folder', 'worktree'],
    enumLabels: ['In the folder', 'In a git worktree'],
    enumDescriptions: [
      'The agent works in the chosen folder',
      'The agent works in a copy of the repository with its own branch; paths outside of it are asked about',
    ],
    default: 'folder',
  },
  base: {
    type: 'string',
    title: 'Base',
    description: 'Branch or commit that the worktree starts from; empty: the branch that is checked out',
    enumDynamic: true,
    default: '',
  },
  metadata: {
    type: 'object',
    title: 'Metadata',
    description: `Names and values of your own, to find the session by; at most ${MAX_METADATA.entries}`,
    additionalProperties: { type: 'string', title: 'Value' },
    default: {},
    sessionMutable: true,
  },
};

const isHostKey = (key: string): boolean => Object.hasOwn(PROPERTIES, key);

/** The values of a session's config that belong to the agent. */
export function agentValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isHostKey(key)));
}

/** The config of a session: the agent's config, the host's keys, and the given values. */
export function withHostKeys(
  agent:
    | SessionConfigState
    | { readonly schema: SessionConfigState['schema']; readonly values: object }
    | undefined,
  given: Readonly<Record<string, unknown>>,
  defaults: { readonly approvals: ApprovalPolicy },
): SessionConfigState {
  const required = agent?.schema.required?.filter((key) => !isHostKey(key)) ?? [];
  return {
    schema: {
      type: 'object',
      properties: { ...agent?.schema.properties, ...PROPERTIES },
      ...(required.length === 0 ? {} : { required }),
    },
    values: {
      ...agentValues({ ...agent?.values }),
      approvals: defaults.approvals,
      instructions: '',
      metadata: {},
      ...withoutFixedDefaults(given),
    },
  };
}

/**
 * Leaves out defaults of keys that cannot be changed later. A replacement of the whole config has to keep such keys, and clients that do not know
 * them would fail.
 */
function withoutFixedDefaults(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { isolation, base, ...others } = values;
  return {
    ...others,
    ...(isolation === undefined || isolation === 'folder' ? {} : { isolation }),
    ...(base === undefined || base === '' ? {} : { base }),
  };
}

/** Adds the host's keys to a session's config of an earlier version; `undefined` when it has them already. */
export function upgraded(
  config: SessionConfigState | undefined,
  defaults: { readonly approvals: ApprovalPolicy },
): SessionConfigState | undefined {
  const isCurrent = Object.entries(PROPERTIES).every(([key, property]) =>
    sameJson(config?.schema.properties[key], property),
  );
  if (isCurrent) return undefined;
  // A value under a key that was the agent's before has another meaning.
  const own = Object.entries(config?.values ?? {}).filter(
    ([key, value]) =>
      !isHostKey(key) || (isTyped(key, value) && findHostKeyFault({ [key]: value }) === undefined),
  );
  return withHostKeys(config, Object.fromEntries(own), defaults);
}

function isTyped(key: string, value: unknown): boolean {
  if (key === 'approvals') return isApprovalPolicy(value);
  if (key === 'instructions' || key === 'base') return typeof value === 'string';
  if (key === 'isolation') return value === 'folder' || value === 'worktree';
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === 'string')
  );
}

/** Whether a value is one of `approvals`. */
export const isApprovalPolicy = (value: unknown): value is ApprovalPolicy =>
  value === 'ask' || value === 'edits' || value === 'all' || value === 'none';

/** Checks sizes of values that fit the schema of the host's keys. Returns a fault such as `key: expected …`. */
export function findHostKeyFault(values: Readonly<Record<string, unknown>>): ConfigFault | undefined {
  if (instructionsOf(values).length > MAX_INSTRUCTIONS_LENGTH) {
    return { key: 'instructions', problem: `expected at most ${MAX_INSTRUCTIONS_LENGTH} characters` };
  }
  const { base } = values;
  if (typeof base === 'string' && base.length > MAX_BASE_LENGTH)
    return { key: 'base', problem: `expected at most ${MAX_BASE_LENGTH} characters` };
  const entries = Object.entries(metadataOf(values));
  const { entries: maxEntries, keyLength, valueLength } = MAX_METADATA;
  if (entries.length > maxEntries)
    return { key: 'metadata', problem: `expected at most ${maxEntries} entries` };
  const isTooLong = entries.some(
    ([key, value]) => key === '' || key.length > keyLength || value.length > valueLength,
  );
  return isTooLong
    ? {
        key: 'metadata',
        problem: `expected keys of 1 to ${keyLength} characters and values of at most ${valueLength}`,
      }
    : undefined;
}

/** Instructions among a session's values; '' when there are none. */
export function instructionsOf(values: Readonly<Record<string, unknown>> | undefined): string {
  const text = values?.['instructions'];
  return typeof text === 'string' ? text : '';
}

/** Metadata among a session's values; empty when there is none. */
export function metadataOf(values: Readonly<Record<string, unknown>> | undefined): Record<string, string> {
  const metadata = values?.['metadata'];
  if (typeof metadata !== 'object' || metadata === null) return {};
  return Object.fromEntries(
    Object.entries(metadata).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
