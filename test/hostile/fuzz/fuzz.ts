import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CLIENT_ACTIONS } from '@agenthost/protocol';
import type { Address } from '../../kill/host-process.ts';
import { AnswerCheck } from './answer-check.ts';
import { type Case, caseAt } from './cases.ts';
import { Expectations } from './expectations.ts';
import { type Frame, FuzzConnection, type Outcome } from './fuzz-connection.ts';
import { FUZZER, type World } from './world.ts';

const BATCH = 250;

/** Counts of a run. */
export interface FuzzReport {
  readonly played: number;
  readonly answered: number;
  readonly refused: number;
  readonly dropped: number;
  readonly elapsedMs: number;
}

/** Plays cases against a host. Throws with the seed and the case at the first invalid answer. */
export class Fuzz {
  readonly #host: Address;
  readonly #world: World;
  readonly #seed: number;
  readonly #check: AnswerCheck;
  readonly #expectations = new Expectations(CLIENT_ACTIONS);
  #connection: FuzzConnection | undefined;

  /** `dataDir` must not appear in an answer. */
  constructor(host: Address, world: World, seed: number, dataDir: string) {
    this.#host = host;
    this.#world = world;
    this.#seed = seed;
    this.#check = new AnswerCheck(seed, dataDir);
  }

  /**
   * Plays cases from number `from` on, but for dangerous ones. With `onlyInvalid` it skips those that the host may accept in some state.
   */
  async play(from: number, count: number, onlyInvalid: boolean): Promise<FuzzReport> {
    const start = performance.now();
    const report = { played: 0, answered: 0, refused: 0, dropped: 0, elapsedMs: 0 };
    for (let index = from; report.played < count; ) {
      const batch: Case[] = [];
      for (; batch.length < Math.min(BATCH, count - report.played); index += 1) {
        const next = caseAt(this.#seed, index, this.#world.pools);
        if (onlyInvalid ? this.#expectations.mustBeRefused(next) : !isDangerous(next)) batch.push(next);
      }
      const outcome = await this.#batch(batch, onlyInvalid);
      report.played += batch.length;
      report.answered += outcome.answers.size;
      report.refused += outcome.frames.filter(isRefusal).length;
      report.dropped += outcome.closedWith === undefined ? 0 : 1;
    }
    report.elapsedMs = performance.now() - start;
    return report;
  }

  close(): void {
    this.#connection?.close();
  }

  async #batch(batch: readonly Case[], onlyInvalid: boolean): Promise<Outcome> {
    if (this.#connection?.isOpen !== true) this.#connection = await FuzzConnection.open(this.#host, FUZZER);
    const outcome = await this.#connection.play(batch).catch((error: unknown) => {
      const [first, last] = [batch[0]?.index, batch.at(-1)?.index];
      throw new Error(`seed ${this.#seed}, cases ${first} to ${last}`, { cause: error });
    });
    const byId = new Map(batch.map((each) => [each.id, each]));
    for (const [id, answer] of outcome.answers) {
      const asked = typeof id === 'number' ? byId.get(id) : undefined;
      this.#check.answer(asked, answer);
      if (asked !== undefined && onlyInvalid && answer.error === undefined)
        this.#check.fail(asked, answer, 'was not refused');
    }
    for (const frame of outcome.frames) {
      if (frame.params?.rejectionReason !== undefined)
        this.#check.text(undefined, frame, frame.params.rejectionReason);
    }
    return outcome;
  }
}

/**
 * What the owner, whose token is used, may do to this machine and to later cases: `resourceRequest` gives access to files outside, which later cases
 * would delete; `x-backup` writes files outside; `x-drainHost` waits for turns, and keeps new ones from starting.
 */
const isDangerous = ({ frame }: Case): boolean => /resourceRequest|x-backup|x-drainHost/.test(frame);

const isRefusal = ({ error, params }: Frame): boolean =>
  error !== undefined || params?.rejectionReason !== undefined;

/** Lines of a host's log that report an error of the host. */
export async function faultsInLog(dataDir: string): Promise<string[]> {
  const log = await readFile(join(dataDir, 'agenthost.log'), 'utf8');
  return log.split('\n').filter((line) => /"level":"(?:error|fatal)"/.test(line));
}
