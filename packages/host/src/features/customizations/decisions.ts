import type { CustomizationEnablement } from '@agenthost/protocol';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';

const KEY = 'customizations';
/** Maximum decisions of each level that are kept. The oldest are removed above it. */
const MAX_DECISIONS = 2_000;

/** Decisions by the id of a customization, oldest first. */
type ById = Readonly<Record<string, boolean>>;

interface Stored {
  readonly global: ById;
  /** By primary directory. */
  readonly workspaces: Readonly<Record<string, ById>>;
}

/**
 * The decisions of people whether customizations are enabled [CUST-20] [CUST-21]. Those for one session are data of its channel, the others of the
 * host. Durable from the tick that changes them.
 */
export class Decisions {
  #stored: Stored;

  private constructor(stored: Stored) {
    this.#stored = stored;
  }

  static async load(sync: Sync): Promise<Decisions> {
    const text = await sync.journal.readMeta(KEY);
    // `#set` wrote the value.
    const stored: Stored = text === undefined ? { global: {}, workspaces: {} } : JSON.parse(text);
    return new Decisions(stored);
  }

  /** The decisions about a customization in a session, in the order of the protocol. Empty: nobody has decided. */
  of(session: Channel<'session'>, id: string): CustomizationEnablement[] {
    const [uri] = session.state.workingDirectories ?? [];
    const own = read(session.hostData.customizations ?? {}, id);
    const workspace = uri === undefined ? undefined : read(this.#stored.workspaces[uri] ?? {}, id);
    const global = read(this.#stored.global, id);
    return [
      ...(own === undefined ? [] : [{ kind: 'session' as const, enabled: own }]),
      ...(uri === undefined || workspace === undefined
        ? []
        : [{ kind: 'workspace' as const, uri, enabled: workspace }]),
      ...(global === undefined ? [] : [{ kind: 'global' as const, enabled: global }]),
    ];
  }

  /**
   * Replaces all decisions about a customization that hold in a session. `keepsGlobal`: the decision for all sessions belongs to another party.
   */
  replace(
    tx: Tx,
    session: Channel<'session'>,
    id: string,
    { enablement, keepsGlobal }: { enablement: readonly CustomizationEnablement[]; keepsGlobal: boolean },
  ): void {
    const find = (kind: CustomizationEnablement['kind']): boolean | undefined =>
      enablement.find((each) => each.kind === kind)?.enabled;
    const present = session.hostData.customizations ?? {};
    const own = withDecision(present, id, find('session'));
    if (own !== present) tx.setHostData(session, { ...session.hostData, customizations: own });
    const [uri] = session.state.workingDirectories ?? [];
    const { global, workspaces } = this.#stored;
    const next: Stored = {
      global: keepsGlobal ? global : withDecision(global, id, find('global')),
      workspaces: uri === undefined ? workspaces : withWorkspace(workspaces, uri, id, find('workspace')),
    };
    if (next.global !== global || next.workspaces !== workspaces) this.#set(tx, next);
  }

  #set(tx: Tx, stored: Stored): void {
    const before = this.#stored;
    this.#stored = stored;
    tx.undo(() => {
      this.#stored = before;
    });
    tx.write({ op: 'meta', key: KEY, value: JSON.stringify(stored) });
  }
}

const read = (decisions: ById, id: string): boolean | undefined =>
  Object.hasOwn(decisions, id) ? decisions[id] : undefined;

function withDecision(decisions: ById, id: string, enabled: boolean | undefined): ById {
  if (read(decisions, id) === enabled) return decisions;
  const others = Object.entries(decisions).filter(([each]) => each !== id);
  const all: [string, boolean][] = enabled === undefined ? others : [...others, [id, enabled]];
  return Object.fromEntries(all.slice(-MAX_DECISIONS));
}

function withWorkspace(
  workspaces: Stored['workspaces'],
  uri: string,
  id: string,
  enabled: boolean | undefined,
): Stored['workspaces'] {
  const present = Object.hasOwn(workspaces, uri) ? (workspaces[uri] ?? {}) : {};
  const next = withDecision(present, id, enabled);
  if (next === present) return workspaces;
  const others = Object.entries(workspaces).filter(([each]) => each !== uri);
  return Object.fromEntries(
    Object.keys(next).length === 0 ? others : [...others, [uri, next] as const].slice(-MAX_DECISIONS),
  );
}
