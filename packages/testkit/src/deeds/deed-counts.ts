import { ConnectionLost, type DispatchOutcome } from '@agenthost/client';
import { CLIENT_ACTIONS, type ClientAction, type ClientActionType } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';

/** Actions that hosts do nothing with yet. */
type UnbuiltAction = Extract<
  ClientActionType,
  `annotations/${string}` | `session/customization${string}` | `session/mcpServer${string}`
>;

const isBuilt = (type: ClientActionType): type is Exclude<ClientActionType, UnbuiltAction> =>
  !/^(?:annotations\/|session\/customization|session\/mcpServer)/.test(type);

/** What a client can do that changes state: all actions that it may dispatch, and the commands that make and remove. */
const DEEDS = [
  ...CLIENT_ACTIONS.filter(isBuilt),
  'createChat' as const,
  'fork of a chat' as const,
  'disposeChat' as const,
  'createSession' as const,
  'fork of a session' as const,
  'disposeSession' as const,
];

/** One kind of what clients do. */
export type Deed = (typeof DEEDS)[number];

/** What became of deeds. `lost`: a drop came between, and this client resends nothing, or commands never are. */
export const FATES = ['applied', 'rejected', 'ignored', 'lost'] as const;

/** What became of one. */
export type Fate = (typeof FATES)[number];

/** How often each deed has to have been applied, and refused, at least. */
export type LeastDeeds = Partial<Readonly<Record<Deed, readonly [applied: number, rejected: number]>>>;

/** What became of deeds, counted by kind. */
export class DeedCounts {
  readonly #counts = new Map<`${Deed} ${Fate}`, number>();

  count(deed: Deed, fate: Fate, by = 1): void {
    this.#counts.set(`${deed} ${fate}`, this.of(deed, fate) + by);
  }

  of(deed: Deed, fate: Fate): number {
    return this.#counts.get(`${deed} ${fate}`) ?? 0;
  }

  /** Deeds of all kinds that came to that. */
  total(fate: Fate): number {
    return DEEDS.reduce((sum, deed) => sum + this.of(deed, fate), 0);
  }

  /** Counts an action's outcome, as the library told it. */
  settled({ type }: ClientAction, { outcome }: DispatchOutcome): void {
    const deed = DEEDS.find((each) => each === type);
    if (deed === undefined) throw new Error(`nobody counts ${type}`);
    this.count(deed, FATE_OF[outcome]);
  }

  /** Counts what became of a command; true when it was done. Rejects with what is neither a refusal nor a lost connection. */
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

  /** Adds another's counts to these. */
  add(other: DeedCounts): void {
    for (const deed of DEEDS) for (const fate of FATES) this.count(deed, fate, other.of(deed, fate));
  }

  /** Kinds that were there in name only, each with what it came to. */
  tooFew(least: LeastDeeds): string[] {
    return DEEDS.flatMap((deed) => {
      const [applied, rejected] = least[deed] ?? [0, 0];
      const isEnough = this.of(deed, 'applied') >= applied && this.of(deed, 'rejected') >= rejected;
      return isEnough
        ? []
        : [`${deed}: ${this.of(deed, 'applied')} applied, ${this.of(deed, 'rejected')} rejected`];
    });
  }

  /** A table, a line for each kind that was counted. */
  toString(): string {
    const row = (name: string, cells: readonly (string | number)[]): string =>
      `  ${name.padEnd(30)}${cells.map((cell) => String(cell).padStart(9)).join('')}`;
    const rows = DEEDS.map((deed) => ({ deed, counts: FATES.map((fate) => this.of(deed, fate)) }));
    const counted = rows.filter(({ counts }) => counts.some((count) => count > 0));
    return [row('', FATES), ...counted.map(({ deed, counts }) => row(deed, counts))].join('\n');
  }
}

const FATE_OF = { accepted: 'applied', rejected: 'rejected', ignored: 'ignored', dropped: 'lost' } as const;
