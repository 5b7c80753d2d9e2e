import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AgentError } from '@agenthost/host/agent';
import { errorText, hasCode } from '@agenthost/protocol/values';
import type { ModelAgentConfig, ModelApi } from './config.ts';

/** The variables in which each API's own tools look for a key, the first one first. */
const USUAL_VARIABLES: Readonly<Record<ModelApi, readonly string[]>> = {
  openai: ['OPENAI_API_KEY'],
  'openai-responses': ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
};

/** Longest key, in bytes. */
const MAX_KEY_BYTES = 16 * 1024;

/** The places where the key of an agent may be. */
export interface KeyPlaces {
  /** The host's environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder of the keys that `agenthost agents key` writes. Absent: none. */
  readonly keyFolder?: string | undefined;
}

/** A key, and whether it is in the key's file or in a variable. */
export interface FoundKey {
  readonly key: string;
  readonly from: 'stored' | 'environment';
}

/** The environment variables that may have the key of an agent. */
export function keyVariables({ api, apiKeyEnv, baseUrl }: ModelAgentConfig): readonly string[] {
  if (apiKeyEnv !== undefined) return [apiKeyEnv];
  return baseUrl === undefined ? USUAL_VARIABLES[api] : [];
}

/** Whether the agent cannot work without a key: its endpoint is that of the vendor, or its config names a variable. */
export const needsKey = (config: ModelAgentConfig): boolean => keyVariables(config).length > 0;

/** The file that may have the key of an agent. */
export function keyFileOf(
  { id, apiKeyFile }: Pick<ModelAgentConfig, 'id' | 'apiKeyFile'>,
  keyFolder: string | undefined,
): string | undefined {
  return apiKeyFile ?? (keyFolder === undefined ? undefined : join(keyFolder, id));
}

/**
 * The key of an agent: from its file, else from its variable. `undefined`: there is none, as local servers need none.
 * Rejects with `AgentError` (`authRequired`) for a file that others can read.
 */
export async function findKey(config: ModelAgentConfig, places: KeyPlaces): Promise<string | undefined> {
  return (await locateKey(config, places))?.key;
}

/** As {@link findKey}, with the place where the key is. */
export async function locateKey(config: ModelAgentConfig, places: KeyPlaces): Promise<FoundKey | undefined> {
  const file = keyFileOf(config, places.keyFolder);
  const stored = file === undefined ? undefined : await readKeyFile(file);
  if (stored !== undefined) return { key: stored, from: 'stored' };
  for (const name of keyVariables(config)) {
    const value = places.environment[name]?.trim();
    if (value !== undefined && value !== '') return { key: value, from: 'environment' };
  }
  return undefined;
}

/** What to do about a missing or refused key, for people. */
export function keyHint(config: ModelAgentConfig): string {
  const [variable] = keyVariables(config);
  const command = `agenthost agents key ${config.id}`;
  return variable === undefined
    ? `run \`${command}\``
    : `run \`${command}\`, or set ${variable} for the host`;
}

async function readKeyFile(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const info = await file.stat();
      if (!info.isFile() || info.size > MAX_KEY_BYTES)
        throw new AgentError('authRequired', `${path} is not a key file`);
      if (process.platform !== 'win32' && (info.mode & 0o077) !== 0)
        throw new AgentError(
          'authRequired',
          `${path} can be read by others. Run \`chmod 600\` on it, and replace the key if others may have seen it`,
        );
      const key = (await file.readFile('utf8')).trim();
      return key === '' ? undefined : key;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    if (error instanceof AgentError) throw error;
    throw new AgentError('authRequired', `The key file ${path} cannot be read: ${errorText(error)}`, {
      cause: error,
    });
  }
}

/**
 * Stores a key with mode 0600, completely or not at all. Its folder gets mode 0700 when it is created. An empty key removes the file.
 * Rejects with `AgentError`: `invalidKey` for a key that no HTTP header can carry, `hostError` when the file cannot be written.
 */
export async function storeKey(path: string, key: string): Promise<void> {
  const trimmed = key.trim();
  if (trimmed !== '' && (!/^[\x21-\x7e]+$/.test(trimmed) || trimmed.length > MAX_KEY_BYTES))
    throw new AgentError(
      'invalidKey',
      'the key has to be one line of printable ASCII characters without spaces',
    );
  try {
    await (trimmed === '' ? rm(path, { force: true }) : writeKey(path, trimmed));
  } catch (cause) {
    throw new AgentError('hostError', `the key file ${path} cannot be written: ${errorText(cause)}`, {
      cause,
    });
  }
}

async function writeKey(path: string, key: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomUUID()}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(`${key}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
