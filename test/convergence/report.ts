/** What happened in a run, by kind. */
export const COUNTED = [
  'steps',
  'framesDelivered',
  'dispatches',
  'accepted',
  'rejections',
  'dropped',
  'ignored',
  'rebases',
  'drops',
  'halfOpens',
  'replayReconnects',
  'snapshotReconnects',
  'initializes',
  'hostCrashes',
  'hostStops',
  'failedCommits',
  'failedReads',
  'olderTurnsFetched',
  'resubscriptions',
  'turnsStarted',
  'workerChats',
  'terminalOutputs',
  'terminalExits',
  'envelopes',
  'mergedEnvelopes',
  'audits',
  'envelopesFoundJournaled',
] as const;

export type Counted = (typeof COUNTED)[number];

/** What a client can do that changes state: all actions that it may dispatch, and the commands that make and remove. */
export const DEEDS = [
  'root/configChanged',
  'session/titleChanged',
  'session/isReadChanged',
  'session/isArchivedChanged',
  'session/activeClientSet',
  'session/activeClientRemoved',
  'session/configChanged',
  'chat/turnStarted',
  'chat/toolCallConfirmed',
  'chat/toolCallComplete',
  'chat/toolCallResultConfirmed',
  'chat/toolCallContentChanged',
  'chat/turnCancelled',
  'chat/truncated',
  'chat/pendingMessageSet',
  'chat/pendingMessageRemoved',
  'chat/queuedMessagesReordered',
  'chat/draftChanged',
  'chat/inputAnswerChanged',
  'chat/inputCompleted',
  'terminal/input',
  'terminal/resized',
  'terminal/claimed',
  'terminal/titleChanged',
  'terminal/cleared',
  'createChat',
  'fork of a chat',
  'disposeChat',
  'fork of a session',
  'disposeSession',
] as const;

export type Deed = (typeof DEEDS)[number];

/** What became of deeds. `lost`: a drop came between, and this client resends nothing, or commands never are. */
export const FATES = ['applied', 'rejected', 'ignored', 'lost'] as const;

export type Fate = (typeof FATES)[number];

/** Counters of one run, or the sum of several. */
export class Report {
  readonly #counts = new Map<Counted, number>();
  readonly #deeds = new Map<`${Deed} ${Fate}`, number>();
  /** Codes of rejections, and how often each came. */
  readonly rejectionCodes = new Map<string, number>();

  count(kind: Counted, by = 1): void {
    this.#counts.set(kind, this.of(kind) + by);
  }

  of(kind: Counted): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** A deed, and what became of it. */
  deed(deed: Deed, fate: Fate, by = 1): void {
    this.#deeds.set(`${deed} ${fate}`, this.deedsOf(deed, fate) + by);
  }

  /** How many deeds of a kind came to that. */
  deedsOf(deed: Deed, fate: Fate): number {
    return this.#deeds.get(`${deed} ${fate}`) ?? 0;
  }

  rejected(code: string): void {
    this.count('rejections');
    this.rejectionCodes.set(code, (this.rejectionCodes.get(code) ?? 0) + 1);
  }

  /** Adds another run's counters to these. */
  add(other: Report): void {
    for (const kind of COUNTED) this.count(kind, other.of(kind));
    for (const deed of DEEDS) for (const fate of FATES) this.deed(deed, fate, other.deedsOf(deed, fate));
    for (const [code, count] of other.rejectionCodes) {
      this.rejectionCodes.set(code, (this.rejectionCodes.get(code) ?? 0) + count);
    }
  }

  /** What became of deeds of each kind, a line each. */
  table(): string {
    const row = (name: string, cells: readonly (string | number)[]): string =>
      `  ${name.padEnd(30)}${cells.map((cell) => String(cell).padStart(9)).join('')}`;
    const rows = DEEDS.map((deed) =>
      row(
        deed,
        FATES.map((fate) => this.deedsOf(deed, fate)),
      ),
    );
    return [row('', FATES), ...rows].join('\n');
  }

  /** One line for each kind that happened. */
  toString(): string {
    const lines = COUNTED.filter((kind) => this.of(kind) > 0).map((kind) => `  ${kind}: ${this.of(kind)}`);
    const codes = [...this.rejectionCodes].toSorted(([, a], [, b]) => b - a);
    const rejectedAs = `  rejected as: ${codes.map(([code, count]) => `${code} ${count}`).join(', ')}`;
    return [...lines, rejectedAs, this.table()].join('\n');
  }
}
