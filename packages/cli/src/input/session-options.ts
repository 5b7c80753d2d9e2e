import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AhpClient } from '@agenthost/client';
import { type AgentInfo, ROOT_URI } from '@agenthost/protocol';
import type { HostTarget } from '../host-link/find-host.ts';
import type { Context } from '../process/context.ts';
import { usageError } from '../process/exit.ts';
import { fileTrouble, isFolder } from '../process/files.ts';
import { oneLine } from '../render/plain-text.ts';
import { keyAndValue, keyValues, readValue } from './settings.ts';

/** Options for a new session's config. */
export interface SessionConfigOptions {
  /** `--config key=value`. */
  readonly config?: readonly string[];
  /** `--instructions`: a text, or `@` and a file. */
  readonly instructions?: string;
  /** `--meta key=value`. */
  readonly meta?: readonly string[];
}

/** The config that was asked for; `undefined` when none was. Values are read as the agent's schema wants them. Throws a usage error. */
export async function sessionConfig(
  context: Context,
  client: AhpClient,
  { config = [], instructions, meta = [] }: SessionConfigOptions,
  draft: { readonly provider?: string; readonly workingDirectory?: string },
): Promise<Record<string, unknown> | undefined> {
  const values: Record<string, unknown> = {};
  if (config.length > 0) {
    const given = config.map((text) => keyAndValue(text, '--config'));
    const { schema } = await client.request('resolveSessionConfig', { channel: ROOT_URI, ...draft });
    for (const [key, text] of given) values[key] = readValue(schema, key, text);
  }
  if (instructions !== undefined) values['instructions'] = await textOrFile(context, instructions);
  if (meta.length > 0) values['metadata'] = keyValues(meta, '--meta');
  return Object.keys(values).length === 0 ? undefined : values;
}

/** A text, or `@` and the file that has it. Rejects with a usage error. */
export async function textOrFile(context: Context, given: string): Promise<string> {
  if (!given.startsWith('@')) return given;
  const file = resolve(context.cwd, given.slice(1));
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw usageError(`--instructions: ${oneLine(file)} cannot be read: ${fileTrouble(cause)}`);
  }
}

/**
 * The folder to work in, as a `file:` URI; left to the host when it is not on this machine and no folder was named. Rejects
 * with a usage error that names `flag`.
 */
export async function folderFor(
  context: Context,
  cwd: string | undefined,
  target: HostTarget,
  flag: '--cwd' | '--dir' = '--cwd',
): Promise<string | undefined> {
  if (cwd === undefined && !target.isOwn) return undefined;
  const path = resolve(context.cwd, cwd ?? '.');
  if (target.isOwn && !(await isFolder(path))) throw usageError(`${flag}: ${oneLine(path)} is not a folder`);
  return pathToFileURL(path).href;
}

/** Models that a line names. */
const MAX_NAMED = 20;

/** Ids of models, for people; '' when there are none. */
export function modelNames(ids: readonly string[]): string {
  const named = ids.slice(0, MAX_NAMED).map((id) => oneLine(id, 100));
  const rest = ids.length - named.length;
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Whether an agent takes messages for this model. An agent without a list takes any model: its models are known only once it has started. */
export const hasModel = ({ models }: Pick<AgentInfo, 'models'>, model: string): boolean =>
  models.length === 0 || models.some(({ id }) => id === model);

/** Checks the `--model` of a message to this agent, or to the host's default one. Throws a usage error that names the models there are. */
export async function checkModel(
  client: AhpClient,
  model: string | undefined,
  provider: string | undefined,
): Promise<void> {
  if (model === undefined) return;
  const root = await client.subscribe(ROOT_URI);
  try {
    const { agents, config } = root.state;
    const wanted = provider ?? config?.values['defaultAgent'];
    const agent = agents.find((each) => each.provider === wanted);
    if (agent === undefined || hasModel(agent, model)) return;
    throw usageError(
      `--model: ${oneLine(agent.provider)} has no model ${oneLine(model) || '(nothing)'}; its models are ${modelNames(agent.models.map(({ id }) => id))}`,
    );
  } finally {
    root.dispose();
  }
}

/** Checks the `--model` of messages to whichever agent has it. Throws a usage error that names the models there are when none has. */
export async function checkAnyModel(client: AhpClient, model: string | undefined): Promise<void> {
  if (model === undefined) return;
  const root = await client.subscribe(ROOT_URI);
  try {
    const { agents } = root.state;
    if (agents.length === 0 || agents.some((agent) => hasModel(agent, model))) return;
    const known = agents.map(
      ({ provider, models }) => `${oneLine(provider)} has ${modelNames(models.map(({ id }) => id))}`,
    );
    throw usageError(`--model: no agent has a model ${oneLine(model) || '(nothing)'}; ${known.join('; ')}`);
  } finally {
    root.dispose();
  }
}
