import { invalidParam, type SessionConfigState, sessionAlreadyExists } from '@agenthost/protocol';
import type { AgentProvider } from '../agents/provider.ts';
import { defaultApprovals } from '../config/host-config.ts';
import { agentValues, findHostKeyFault, withHostKeys } from '../config/session-keys.ts';
import { checkConfig } from '../config/values.ts';
import type { Caller } from '../handler-port/channel-module.ts';
import type { Sync } from '../sync/sync.ts';
import type { ResolvedDirectory, SessionParts } from './parts.ts';

/** Rejects if a channel with this URI exists. */
export async function checkFree(sync: Sync, uri: string): Promise<void> {
  if ((await sync.registry.open(uri)) !== undefined) throw sessionAlreadyExists(uri);
}

/**
 * Validates the working directories of a new session [SESS-1] [SESS-20]. All but the first are ignored if the agent has one directory only.
 * Returns at least one.
 */
export async function resolveDirectories(
  parts: Pick<SessionParts, 'resolveDirectory'>,
  provider: Pick<AgentProvider, 'describe'>,
  uris: readonly string[] | undefined,
  caller: Caller,
): Promise<[ResolvedDirectory, ...ResolvedDirectory[]]> {
  const [primary, ...others] = new Set(uris);
  const resolved: [ResolvedDirectory, ...ResolvedDirectory[]] = [
    await parts.resolveDirectory(primary, caller),
  ];
  if (provider.describe().capabilities?.multipleWorkingDirectories !== undefined)
    for (const uri of others) resolved.push(await parts.resolveDirectory(uri, caller));
  return resolved;
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
