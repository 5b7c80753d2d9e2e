import { createHash } from 'node:crypto';

/** What is known of the lives of a client. */
export interface Epochs {
  epoch: string | undefined;
  /** Highest `clientSeq` processed in this epoch; -1: none. */
  lastClientSeq: number;
  /**
   * Highest `clientSeq` processed by epochs before this one, by a digest of each, the latest last: two lives may share an id, and either
   * come back. Changed by `startEpoch` and `rememberEpoch` only.
   */
  readonly past: Map<string, number>;
}

/** `lastClientSeq` of an epoch of which nothing has been processed: clients may count from 0. */
export const NONE_PROCESSED = -1;

/**
 * Earlier epochs of a client that are remembered, those that were there last: as many page loads of one browser as may share an id
 * within the time that any of them still resends.
 */
const REMEMBERED_EPOCHS = 512;

/** Characters of a digest: 72 bits, so that two epochs of one client do not meet, and a long one costs no more than a short one. */
const DIGEST_LENGTH = 12;

/** Without an epoch, or in a new one, `clientSeq` starts again; in one that comes back it goes on [ACT-5]. */
export function startEpoch(record: Epochs, epoch: string | undefined): void {
  if (epoch !== undefined && epoch === record.epoch) return;
  const { past } = record;
  if (record.epoch !== undefined) rememberEpoch(record, record.epoch, record.lastClientSeq);
  record.lastClientSeq = takeOut(past, epoch) ?? NONE_PROCESSED;
  record.epoch = epoch;
  for (const oldest of past.keys()) {
    if (past.size <= REMEMBERED_EPOCHS) break;
    past.delete(oldest);
  }
}

/** Writes down what an epoch that is not the present one has done: where that is nothing, there is nothing that could be done twice. */
export function rememberEpoch({ past }: Epochs, epoch: string, lastClientSeq: number): void {
  const digest = digestOf(epoch);
  past.delete(digest);
  if (lastClientSeq > NONE_PROCESSED) past.set(digest, lastClientSeq);
}

function takeOut(past: Map<string, number>, epoch: string | undefined): number | undefined {
  if (epoch === undefined) return undefined;
  // Earlier hosts wrote the epoch itself.
  const key = [digestOf(epoch), epoch].find((each) => past.has(each));
  if (key === undefined) return undefined;
  const lastClientSeq = past.get(key);
  past.delete(key);
  return lastClientSeq;
}

const digestOf = (epoch: string): string =>
  createHash('sha256').update(epoch).digest('base64url').slice(0, DIGEST_LENGTH);
