import { defined } from '@agenthost/protocol/values';
import type { Ids } from '../lib/clock.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';
import { type Ask } from './ask.ts';
import type { Offer } from './offers.ts';
import { type ConfigChanges, contributorKey, type StoredApproval } from './policy.ts';

const KEY = 'approvals';
/** Maximum number of approvals. The oldest are removed above it. Users create them one by one. */
const MAX_APPROVALS = 1_000;

/** The chat and turn of the agent that stores an approval. */
export type Keeper = Pick<StoredApproval, 'agentChat' | 'agentTurn'>;

/** The permanent approvals of users. Durable from the tick that changes them. */
export class ApprovalStore {
  readonly #sync: Sync;
  readonly #ids: Ids;
  #all: readonly StoredApproval[];

  private constructor(sync: Sync, ids: Ids, all: readonly StoredApproval[]) {
    this.#sync = sync;
    this.#ids = ids;
    this.#all = all;
  }

  static async load(sync: Sync, ids: Ids): Promise<ApprovalStore> {
    const text = await sync.journal.readMeta(KEY);
    // `#set` wrote the value.
    const all: StoredApproval[] = text === undefined ? [] : JSON.parse(text);
    return new ApprovalStore(sync, ids, all);
  }

  /** Oldest first. */
  get all(): readonly StoredApproval[] {
    return this.#all;
  }

  /** Adds an approval that a user has chosen. `keeper`: the agent that stores it itself. */
  add(tx: Tx, ask: Ask, { label, scope, coverage, isAgents }: Offer, keeper: Keeper): void {
    const contributor = contributorKey(ask.contributor);
    const covers = isAgents ? { kind: 'agent' as const } : coverage?.shown;
    if (covers === undefined) return;
    const approval: StoredApproval = {
      id: this.#ids.next(),
      provider: ask.provider,
      toolName: ask.toolName,
      kind: ask.kind,
      scope,
      covers,
      label,
      createdAt: new Date(this.#sync.stamp()).toISOString(),
      ...(isAgents ? { ...keeper, ...defined({ hostCovers: coverage?.shown }) } : {}),
      ...defined({ fingerprint: coverage?.fingerprint, contributor }),
    };
    this.#set(tx, [...this.#all, approval].slice(-MAX_APPROVALS));
  }

  /** Records that the agent of a turn has changed its config after an approval that it stores. */
  noteConfig(tx: Tx, { agentChat, agentTurn }: Keeper, changes: ConfigChanges): void {
    const approval = this.#all.findLast(
      (each) => each.agentChat === agentChat && each.agentTurn !== undefined && each.agentTurn === agentTurn,
    );
    if (approval === undefined) return;
    const agentConfig = { ...approval.agentConfig };
    for (const [key, { from, to }] of Object.entries(changes)) {
      agentConfig[key] = { from: agentConfig[key] === undefined ? from : agentConfig[key].from, to };
    }
    this.#set(
      tx,
      this.#all.map((each) => (each === approval ? { ...each, agentConfig } : each)),
    );
  }

  /** Removes the approvals for which `isOver` returns true. */
  drop(tx: Tx, isOver: (approval: StoredApproval) => boolean): void {
    const left = this.#all.filter((approval) => !isOver(approval));
    if (left.length < this.#all.length) this.#set(tx, left);
  }

  #set(tx: Tx, all: readonly StoredApproval[]): void {
    const before = this.#all;
    this.#all = all;
    tx.undo(() => {
      this.#all = before;
    });
    tx.write({ op: 'meta', key: KEY, value: JSON.stringify(all) });
  }
}
