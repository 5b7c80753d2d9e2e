import type { Ids } from '../lib/clock.ts';
import type { Sync } from '../sync/sync.ts';
import { type Ask } from './ask.ts';
import type { Offer } from './offers.ts';
import { contributorKey, type StoredApproval } from './policy.ts';

const KEY = 'approvals';
/** They are clicked by people; when there are more, the oldest go. */
const MAX_APPROVALS = 1_000;

/** The approvals that people have given for good, durable from the tick that changes them. */
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
    // Written by `#set`, below.
    const all: StoredApproval[] = text === undefined ? [] : JSON.parse(text);
    return new ApprovalStore(sync, ids, all);
  }

  /** The oldest first. */
  get all(): readonly StoredApproval[] {
    return this.#all;
  }

  /** Remembers what a person chose. Inside `path.transact` only. */
  add(ask: Ask, { label, scope, coverage, isAgents }: Offer, agentChat: string): void {
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
      ...(isAgents ? { agentChat, ...(coverage === undefined ? {} : { hostCovers: coverage.shown }) } : {}),
      ...(coverage?.fingerprint === undefined ? {} : { fingerprint: coverage.fingerprint }),
      ...(contributor === undefined ? {} : { contributor }),
    };
    this.#set([...this.#all, approval].slice(-MAX_APPROVALS));
  }

  /** Drops those that `isOver` names. Inside `path.transact` only. */
  drop(isOver: (approval: StoredApproval) => boolean): void {
    const left = this.#all.filter((approval) => !isOver(approval));
    if (left.length < this.#all.length) this.#set(left);
  }

  #set(all: readonly StoredApproval[]): void {
    const before = this.#all;
    this.#all = all;
    this.#sync.path.undo(() => {
      this.#all = before;
    });
    this.#sync.path.write({ op: 'meta', key: KEY, value: JSON.stringify(all) });
  }
}
