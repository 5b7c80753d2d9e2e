import { createHash } from 'node:crypto';

/** The epochs of a client: its separate lives under one id. */
export interface Epochs {
  epoch: string | undefined;
  /** The highest `clientSeq` that was processed in this epoch; -1: none. */
  lastClientSeq: number;
  /**
   * The highest processed `clientSeq` of earlier epochs, by a digest of the epoch, the latest last. Two lives may share an id, and both may
   * return. Only `startEpoch` and `rememberEpoch` change it.
   */
  readonly past: Map<string, number>;
}

/** `lastClientSeq` of an epoch without a processed action. Clients may count from 0. */
export const NONE_PROCESSED = -1;

/** Earlier epochs that are remembered, the latest ones: page loads of one browser that share an id while any of them may still resend. */
const REMEMBERED_EPOCHS = 512;

/** Characters of a digest. 72 bits keep the epochs of one client apart, and a long epoch costs no more than a short one. */
const DIGEST_LENGTH = 12;

/** Begins an epoch. In a new epoch, or without one, `clientSeq` starts again. In an epoch that returns it goes on [ACT-5]. */
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

/** Remembers an epoch that is not the present one. An epoch without a processed action needs no entry: nothing could be applied twice. */
export function rememberEpoch({ past }: Epochs, epoch: string, lastClientSeq: number): void {
  const digest = digestOf(epoch);
  past.delete(digest);
  if (lastClientSeq > NONE_PROCESSED) past.set(digest, lastClientSeq);
}

function takeOut(past: Map<string, number>, epoch: string | undefined): number | undefined {
  if (epoch === undefined) return undefined;
  // Older versions of the host stored the epoch itself.
  const key = [digestOf(epoch), epoch].find((each) => past.has(each));
  if (key === undefined) return undefined;
  const lastClientSeq = past.get(key);
  past.delete(key);
  return lastClientSeq;
}

const digestOf = (epoch: string): string =>
  createHash('sha256').update(epoch).digest('base64url').slice(0, DIGEST_LENGTH);
