import { keyFileOf, storeKey } from '@agenthost/agents';
import type { ServeConfig } from './config.ts';

/**
 * Stores the key of a model agent of the config in its file, which only its owner can read. An empty key removes the file. Rejects when the
 * config has no such agent, or for a key that no HTTP header can carry. Resolves with the path of the file.
 */
export async function setAgentKey(
  { modelAgents = [] }: ServeConfig,
  { id, key, keyFolder }: { readonly id: string; readonly key: string; readonly keyFolder: string },
): Promise<string> {
  const agent = modelAgents.find((each) => each.id === id);
  const path = agent === undefined ? undefined : keyFileOf(agent, keyFolder);
  if (path === undefined) {
    const names = modelAgents.map((each) => each.id).join(', ') || 'none';
    throw new Error(`the config file has no agent ${id} with "kind": "model"; it has ${names}`);
  }
  await storeKey(path, key);
  return path;
}
