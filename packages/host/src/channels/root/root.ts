import { invalidParams, ROOT_URI, type SessionSummary } from '@agenthost/protocol';
import type { AgentRegistry } from '../../agents/registry.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Commands } from '../../wire/router.ts';

/** Loads or creates the root channel and brings its agents up to date. */
export async function openRoot(sync: Sync, agents: AgentRegistry, hostBuild: string): Promise<void> {
  const present = await sync.registry.openOf('root', ROOT_URI);
  if (present === undefined) {
    sync.path.transact('host', () =>
      sync.registry.create(
        {
          uri: ROOT_URI,
          kind: 'root',
          state: { agents: agents.describe(), activeSessions: 0, terminals: [], _meta: { hostBuild } },
          local: {},
        },
        sync.emittedSeq,
      ),
    );
  }
  // Nobody is there yet, and no action says it: it only has to be right for those who come.
  const { root } = sync;
  if (root.state._meta?.['hostBuild'] !== hostBuild) {
    sync.path.transact('host', () => {
      sync.setWindow(root, { ...root.state, _meta: { ...root.state._meta, hostBuild } });
      sync.registry.writeSnapshot(root);
    });
  }
  const update = (): void => {
    const described = agents.describe();
    if (JSON.stringify(described) === JSON.stringify(sync.root.state.agents)) return;
    sync.path.transact('host', () => sync.emit(sync.root, { type: 'root/agentsChanged', agents: described }));
  };
  update();
  agents.onChanged(update);
}

/** Announces how many sessions there are now. Inside `path.transact` only. */
export function changeSessionCount(sync: Sync, by: number): void {
  const activeSessions = Math.max(0, (sync.root.state.activeSessions ?? 0) + by);
  sync.emit(sync.root, { type: 'root/activeSessionsChanged', activeSessions });
}

/** `listSessions` [ROOT-2]. */
export function rootCommands(sync: Sync): Commands {
  return {
    listSessions: async ({ limit, cursor }) => {
      if (limit !== undefined && (!Number.isInteger(limit) || limit < 1)) {
        throw invalidParams('params.limit: expected an integer of at least 1');
      }
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const rows = await sync.path.boundary(
        () => undefined,
        () =>
          sync.journal.listSessions({
            ...(limit === undefined ? {} : { limit: limit + 1 }),
            ...(after === undefined ? {} : { after }),
          }),
      );
      const page = limit === undefined ? rows : rows.slice(0, limit);
      const items = page.map(({ summary }): SessionSummary => JSON.parse(summary));
      const last = page.at(-1);
      const hasMore = rows.length > page.length;
      return { items, ...(hasMore && last !== undefined ? { nextCursor: writeCursor(last) } : {}) };
    },
  };
}

interface Position {
  readonly modifiedAt: string;
  readonly uri: string;
}

const writeCursor = ({ modifiedAt, uri }: Position): string =>
  Buffer.from(JSON.stringify([modifiedAt, uri])).toString('base64url');

function readCursor(cursor: string): Position {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(value)) {
      const [modifiedAt, uri]: unknown[] = value;
      if (typeof modifiedAt === 'string' && typeof uri === 'string') return { modifiedAt, uri };
    }
  } catch (error) {
    throw invalidParams(`params.cursor: unknown (${error instanceof Error ? error.name : 'unreadable'})`);
  }
  throw invalidParams('params.cursor: unknown; begin again without one');
}
