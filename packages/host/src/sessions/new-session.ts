import { invalidParam, type SessionConfigState, sessionAlreadyExists } from '@agenthost/protocol';
import type { AgentProvider } from '../agents/provider.ts';
import { defaultApprovals } from '../config/host-config.ts';
import { agentValues, findHostKeyFault, withHostKeys } from '../config/session-keys.ts';
import { checkConfig } from '../config/values.ts';
import type { Sync } from '../sync/sync.ts';
import type { SessionParts } from './parts.ts';

/** Rejects if a channel with this URI exists. */
export async function checkFree(sync: Sync, uri: string): Promise<void> {
  if ((await sync.registry.open(uri)) !== undefined) throw sessionAlreadyExists(uri);
}

/** The agent's config with the host's keys and the given values. */
export async function resolveConfig(
  { configs, sync }: Pick<SessionParts, 'configs' | 'sync'>,
  provider: AgentProvider,
  workingDirectory: string,
  given: Readonly<Record<string, unknown>>,
): Promise<SessionConfigState> {
  const resolved = await configs.resolve(provider, workingDirectory, agentValues(given));
  return withHostKeys(resolved, given, { approvals: defaultApprovals(sync.root.state.config) });
}

/** Resolves the config of a new session. Throws `-32602` for invalid values [SESS-1]. */
export async function newConfig(
  parts: Pick<SessionParts, 'configs' | 'sync'>,
  provider: AgentProvider,
  workingDirectory: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<SessionConfigState> {
  const config = await resolveConfig(parts, provider, workingDirectory, given);
  checkConfig(config.schema, given, config.values);
  const fault = findHostKeyFault(given);
  if (fault !== undefined) throw invalidParam(`config.${fault.key}`, fault.problem);
  return config;
}
