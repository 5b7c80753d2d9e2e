import { createHash } from 'node:crypto';
import type { McpServerEntry } from '../../config/mcp-servers.ts';
import type { Sync } from '../../sync/sync.ts';
import type { NamedServer } from './named-servers.ts';

const KEY = 'mcpConsents';
const MAX_DECISIONS = 1_000;

/** What a person has decided about a server of a project or plugin. */
export type McpDecision = 'allowed' | 'refused';

interface StoredDecision {
  /** Identifies folder, name and content of the entry. */
  readonly fingerprint: string;
  readonly decision: McpDecision;
}

/** The decisions about servers of projects and plugins, by content: a changed entry is a new question. Durable. */
export class McpConsents {
  readonly #sync: Sync;
  /** Oldest first. */
  #decisions: readonly StoredDecision[];

  private constructor(sync: Sync, decisions: readonly StoredDecision[]) {
    this.#sync = sync;
    this.#decisions = decisions;
  }

  static async load(sync: Sync): Promise<McpConsents> {
    const text = await sync.journal.readMeta(KEY);
    // `#store` wrote the value.
    const decisions: StoredDecision[] = text === undefined ? [] : JSON.parse(text);
    return new McpConsents(sync, decisions);
  }

  /** `undefined`: nobody has decided. `place`: the absolute path of the folder with the file, or the URI of the plugin. */
  of(place: string, entry: McpServerEntry): McpDecision | undefined {
    const fingerprint = fingerprintOf(place, entry);
    return this.#decisions.find((each) => each.fingerprint === fingerprint)?.decision;
  }

  /** Stores decisions; `undefined` forgets them. Resolves when they are durable. */
  async decide(
    servers: readonly Pick<NamedServer, 'place' | 'entry'>[],
    decision: McpDecision | undefined,
  ): Promise<void> {
    const fingerprints = servers.flatMap(({ place, entry }) =>
      place === undefined ? [] : [fingerprintOf(place, entry)],
    );
    const others = this.#decisions.filter((each) => !fingerprints.includes(each.fingerprint));
    const added =
      decision === undefined ? [] : fingerprints.map((fingerprint) => ({ fingerprint, decision }));
    await this.#store([...others, ...added].slice(-MAX_DECISIONS));
  }

  async #store(decisions: readonly StoredDecision[]): Promise<void> {
    await this.#sync.commit('host', (tx) => {
      const before = this.#decisions;
      this.#decisions = decisions;
      tx.undo(() => {
        this.#decisions = before;
      });
      tx.write({ op: 'meta', key: KEY, value: JSON.stringify(decisions) });
    });
  }
}

/** The members in a fixed order, so that equal entries have equal texts. */
function fingerprintOf(folder: string, entry: McpServerEntry): string {
  const sorted = (texts: Readonly<Record<string, string>>): [string, string][] =>
    Object.entries(texts).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const content =
    entry.kind === 'stdio'
      ? [entry.command, entry.args, sorted(entry.env), entry.cwd ?? null]
      : [
          entry.url,
          sorted(entry.headers),
          ...(entry.oauth === undefined ? [] : [entry.oauth.clientId, entry.oauth.clientSecret ?? null]),
        ];
  return createHash('sha256')
    .update(JSON.stringify([folder, entry.name, entry.kind, ...content]))
    .digest('hex');
}
