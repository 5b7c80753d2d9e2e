import { JournalError } from './journal.ts';

/** Throws for an envelope whose number is not above all before it: a fault of the caller that would break [CONN-4]. */
export function checkSeq(seq: number, lastSeq: number): void {
  if (Number.isSafeInteger(seq) && seq > lastSeq) return;
  throw new JournalError('io', `envelope ${seq} is not above ${lastSeq}, the last one journaled`);
}
