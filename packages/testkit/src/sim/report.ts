import type { VersionLine } from '@agenthost/protocol';
import { DeedCounts } from '../deeds/deed-counts.ts';

/** Kinds of events that are counted. */
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
  'cutFrames',
  'strays',
  'lostAnswers',
  'renewals',
  'passingLives',
  'turnDrops',
  'historyMeetings',
  'checkedFrames',
  'rivals',
  'replayReconnects',
  'snapshotReconnects',
  'initializes',
  'hostCrashes',
  'hostStops',
  'failedCommits',
  'fullDisks',
  'failedReads',
  'olderTurnsFetched',
  'resubscriptions',
  'turnsStarted',
  'workerChats',
  'terminals',
  'terminalsCompared',
  'silentKeepers',
  'terminalOutputs',
  'terminalExits',
  'endedTerminals',
  'historyTerminals',
  'referencedInputs',
  'shellReports',
  'commandTurns',
  'waitingContents',
  'guests',
  'passersBy',
  'revocations',
  'imports',
  'searches',
  'searchHits',
  'envelopes',
  'mergedEnvelopes',
  'audits',
  'envelopesFoundJournaled',
] as const;

export type Counted = (typeof COUNTED)[number];

/** Counters of one run, or the sum over several runs. */
export class Report {
  readonly #counts = new Map<Counted, number>();
  /** Outcomes of all deeds of clients. */
  readonly deeds = new DeedCounts();
  /** Outcomes of the actions of clients of another implementation. */
  readonly foreignDeeds = new DeedCounts();
  /** Number of accepted actions of clients of another implementation, by their version. */
  readonly foreignVersions = new Map<VersionLine, number>();
  /** Number of rejections by code. */
  readonly rejectionCodes = new Map<string, number>();

  count(kind: Counted, by = 1): void {
    this.#counts.set(kind, this.of(kind) + by);
  }

  of(kind: Counted): number {
    return this.#counts.get(kind) ?? 0;
  }

  rejected(code: string): void {
    this.count('rejections');
    this.rejectionCodes.set(code, (this.rejectionCodes.get(code) ?? 0) + 1);
  }

  foreignEcho(version: VersionLine, by = 1): void {
    this.foreignVersions.set(version, (this.foreignVersions.get(version) ?? 0) + by);
  }

  /** Adds the counters of another run. */
  add(other: Report): void {
    for (const kind of COUNTED) this.count(kind, other.of(kind));
    this.deeds.add(other.deeds);
    this.foreignDeeds.add(other.foreignDeeds);
    for (const [version, count] of other.foreignVersions) this.foreignEcho(version, count);
    for (const [code, count] of other.rejectionCodes) {
      this.rejectionCodes.set(code, (this.rejectionCodes.get(code) ?? 0) + count);
    }
  }

  /** One line for each kind that occurred. */
  toString(): string {
    const lines = COUNTED.filter((kind) => this.of(kind) > 0).map((kind) => `  ${kind}: ${this.of(kind)}`);
    const codes = [...this.rejectionCodes].toSorted(([, a], [, b]) => b - a);
    const rejectedAs = `  rejected as: ${codes.map(([code, count]) => `${code} ${count}`).join(', ')}`;
    const versions = [...this.foreignVersions].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const accepted = `  accepted by version: ${versions.map(([version, count]) => `${version} ${count}`).join(', ')}`;
    const foreign = `  of foreign clients:\n${this.foreignDeeds.toString()}`;
    return [...lines, rejectedAs, this.deeds.toString(), accepted, foreign].join('\n');
  }
}
