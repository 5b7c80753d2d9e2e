import {
  CHANNEL_LIMITS,
  type SessionConfigPropertySchema,
  type SessionConfigState,
} from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { ConfigFault } from './values.ts';

/** What the host asks people before agents may do it: everything, all but file edits inside the folder, nothing; or it refuses. */
export type ApprovalPolicy = 'ask' | 'edits' | 'all' | 'none';

/** Schema of `approvals`, of a session's config and of the host's. */
export const APPROVALS_PROPERTY: SessionConfigPropertySchema = {
  type: 'string',
  title: 'Approvals',
  description: 'What tool calls that ask for permission get without asking you',
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
/** The catalogue shows metadata of every session: it has to stay small. Lengths in UTF-16 code units. */
const MAX_METADATA = {
  entries: CHANNEL_LIMITS.metadataEntries.max,
  keyLength: CHANNEL_LIMITS.metadataKey.max,
  valueLength: CHANNEL_LIMITS.metadataValue.max,
} as const;

/** The keys that the host gives to the config of every session, whatever its agent. An agent's own key of that name loses. */
const PROPERTIES: Readonly<Record<string, SessionConfigPropertySchema>> = {
  approvals: { ...APPROVALS_PROPERTY, sessionMutable: true },
  instructions: {
    type: 'string',
    title: 'Instructions',
    description: `What the agent is told before the conversation, at most ${MAX_INSTRUCTIONS_LENGTH} characters`,
    default: '',
    sessionMutable: true,
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

/** A session's config as a provider gets it: what is the agent's own. */
export function agentValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isHostKey(key)));
}

/** The config of a session: the agent's, if it has any, with the host's keys beside it and what was given on top. */
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
      ...given,
    },
  };
}

/** The config of a session that an earlier version of the host made, with the keys of this one; `undefined` when it has them. */
export function upgraded(
  config: SessionConfigState | undefined,
  defaults: { readonly approvals: ApprovalPolicy },
): SessionConfigState | undefined {
  const isCurrent = Object.entries(PROPERTIES).every(([key, property]) =>
    sameJson(config?.schema.properties[key], property),
  );
  if (isCurrent) return undefined;
  // Values under a key that was the agent's then mean something else now.
  const own = Object.entries(config?.values ?? {}).filter(
    ([key, value]) =>
      !isHostKey(key) || (isTyped(key, value) && findHostKeyFault({ [key]: value }) === undefined),
  );
  return withHostKeys(config, Object.fromEntries(own), defaults);
}

function isTyped(key: string, value: unknown): boolean {
  if (key === 'approvals') return isApprovalPolicy(value);
  if (key === 'instructions') return typeof value === 'string';
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

/** What is wrong with values of the host's keys that fit their schema, as `key: expected …`: they are bounded in size. */
export function findHostKeyFault(values: Readonly<Record<string, unknown>>): ConfigFault | undefined {
  if (instructionsOf(values).length > MAX_INSTRUCTIONS_LENGTH) {
    return { key: 'instructions', problem: `expected at most ${MAX_INSTRUCTIONS_LENGTH} characters` };
  }
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
