import { ConnectionLost, type DispatchOutcome } from '@agenthost/client';
import { CLIENT_ACTIONS, type ClientAction, type ClientActionType } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';

/** Actions that hosts do not implement yet, and those on changesets, which need files. */
type UnbuiltAction = Extract<
  ClientActionType,
  | `automation/${string}`
  | `automationRun/${string}`
  | `changeset/${string}`
  | `session/customization${string}`
  | `session/mcpServer${string}`
>;

const isBuilt = (type: ClientActionType): type is Exclude<ClientActionType, UnbuiltAction> =>
  !/^(?:automation\/|automationRun\/|changeset\/|session\/customization|session\/mcpServer)/.test(type);

/**
 * Everything that a client can do to change state: all actions that it may dispatch, and the commands that
 * create and dispose.
 */
const DEEDS = [
  ...CLIENT_ACTIONS.filter(isBuilt),
  'createChat' as const,
  'fork of a chat' as const,
  'side chat' as const,
  'disposeChat' as const,
  'moveChat' as const,
  'reorder of chats' as const,
  'createSession' as const,
  'fork of a session' as const,
  'disposeSession' as const,
];

/** One kind of deed. */
export type Deed = (typeof DEEDS)[number];

/** Outcomes of deeds. `lost`: the connection dropped, and the deed was not sent again. */
export const FATES = ['applied', 'rejected', 'ignored', 'lost'] as const;

/** One outcome. */
export type Fate = (typeof FATES)[number];

/** Least number of times that each deed must have been applied and rejected. */
export type LeastDeeds = Partial<Readonly<Record<Deed, readonly [applied: number, rejected: number]>>>;

/** Counts outcomes by kind of deed. */
export class DeedCounts {
  readonly #counts = new Map<`${Deed} ${Fate}`, number>();

  count(deed: Deed, fate: Fate, by = 1): void {
    this.#counts.set(`${deed} ${fate}`, this.of(deed, fate) + by);
  }

  of(deed: Deed, fate: Fate): number {
    return this.#counts.get(`${deed} ${fate}`) ?? 0;
  }

  /** Number of deeds of all kinds with this outcome. */
  total(fate: Fate): number {
    return DEEDS.reduce((sum, deed) => sum + this.of(deed, fate), 0);
  }

  /** Counts the outcome of an action as reported by the client. */
  settled({ type }: ClientAction, { outcome }: DispatchOutcome): void {
    const deed = DEEDS.find((each) => each === type);
    if (deed === undefined) throw new Error(`nobody counts ${type}`);
    this.count(deed, FATE_OF[outcome]);
  }

  /** Counts the outcome of an action of another version. Actions that version 1.0 does not have are not counted. */
  noted(type: string, fate: Fate): void {
    const deed = DEEDS.find((each) => each === type);
    if (deed !== undefined) this.count(deed, fate);
  }

  /**
   * Counts the outcome of a command; resolves with true when it succeeded. Rejects with errors other than
   * refusals and lost connections.
   */
  async answered(deed: Deed, answer: Promise<unknown>): Promise<boolean> {
    try {
      await answer;
      this.count(deed, 'applied');
      return true;
    } catch (error) {
      const isLost = error instanceof ConnectionLost;
      if (!isLost && !(error instanceof RpcError)) throw error;
      this.count(deed, isLost ? 'lost' : 'rejected');
      return false;
    }
  }

  /** Adds the counts of another object. */
  add(other: DeedCounts): void {
    for (const deed of DEEDS) for (const fate of FATES) this.count(deed, fate, other.of(deed, fate));
  }

  /** Kinds with too few applied or rejected deeds, with their counts. */
  tooFew(least: LeastDeeds): string[] {
    return DEEDS.flatMap((deed) => {
      const [applied, rejected] = least[deed] ?? [0, 0];
      const isEnough = this.of(deed, 'applied') >= applied && this.of(deed, 'rejected') >= rejected;
      return isEnough
        ? []
        : [`${deed}: ${this.of(deed, 'applied')} applied, ${this.of(deed, 'rejected')} rejected`];
    });
  }

  /** A table with a line for each counted kind. */
  toString(): string {
    const row = (name: string, cells: readonly (string | number)[]): string =>
      `  ${name.padEnd(30)}${cells.map((cell) => String(cell).padStart(9)).join('')}`;
    const rows = DEEDS.map((deed) => ({ deed, counts: FATES.map((fate) => this.of(deed, fate)) }));
    const counted = rows.filter(({ counts }) => counts.some((count) => count > 0));
    return [row('', FATES), ...counted.map(({ deed, counts }) => row(deed, counts))].join('\n');
  }
}

const FATE_OF = { accepted: 'applied', rejected: 'rejected', ignored: 'ignored', dropped: 'lost' } as const;
