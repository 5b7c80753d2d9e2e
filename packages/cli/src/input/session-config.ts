import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AhpClient } from '@agenthost/client';
import { ROOT_URI } from '@agenthost/protocol';
import type { Context } from '../process/context.ts';
import { usageError } from '../process/exit.ts';
import { fileTrouble } from '../process/file-trouble.ts';
import { oneLine } from '../render/plain-text.ts';
import { keyAndValue, keyValues, readValue } from './key-values.ts';

/** What the command line says about a new session's config. */
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
