import type { AgentRegistry } from '../agents/registry.ts';
import { steadyNow } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { resolveConfig } from '../sessions/new-session.ts';
import type { SessionParts } from '../sessions/parts.ts';
import type { Sync } from '../sync/sync.ts';
import type { VsCodePort } from '../wire/vscode/ways.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What the ways of VS Code look up in the host. */
export function vsCodePort(parts: {
  sync: Sync;
  agents: AgentRegistry;
  configs: SessionParts['configs'];
  workspace: Workspace;
  log: Log;
}): VsCodePort {
  const { sync, agents, workspace, log } = parts;
  const stateOf = (uri: string) => {
    const session = sync.registry.getOf('session', uri);
    return session?.state;
  };
  return {
    isProvider: (id) => agents.ids.includes(id),
    session: stateOf,
    sessionOfChat: (uri) => sync.registry.getOf('chat', uri)?.session,
    load: async (uri) => {
      await sync.registry.load(uri);
      return stateOf(uri);
    },
    settingsOf: async (provider) => {
      const { schema } = await resolveConfig(parts, agents.get(provider), workspace.defaultDirectory, {});
      return new Set(Object.keys(schema.properties));
    },
    now: () => steadyNow(sync.clock),
    onUnread: (uri, reason) => log.info({ uri, reason }, 'cannot read an attached file from VS Code'),
  };
}
