import type { FrameEntry } from '../recording/entry.ts';

/** The host broke a rule. */
export class Violation extends Error {
  override readonly name = 'Violation';
  /** The frames that show it; the newest frames of the check where none is named. */
  readonly frames: readonly FrameEntry[];

  constructor(message: string, frames: readonly FrameEntry[] = []) {
    super(message);
    this.frames = frames;
  }
}

/** The check does not apply to this host. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}

/** The verdict of a check about a host. */
export type Verdict = 'passed' | 'failed' | 'does not apply';

/** The result of one check. */
export interface CheckResult {
  /** Ids of `docs/rules.md`. */
  readonly rules: readonly string[];
  /** What the check expects, as a sentence. */
  readonly title: string;
  /** Version that the check offered. */
  readonly version: string;
  readonly verdict: Verdict;
  /** Why it failed, or does not apply. Absent when it passed. */
  readonly reason?: string;
  /** Frames that prove the verdict, without secrets: what the check sent and received last. */
  readonly frames: readonly FrameEntry[];
  readonly durationMs: number;
}
