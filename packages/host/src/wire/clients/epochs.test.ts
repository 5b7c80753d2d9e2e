import { expect, test } from 'vitest';
import { type Epochs, NONE_PROCESSED, startEpoch } from './epochs.ts';

test('[ACT-5] hundreds of epochs are kept apart: a new epoch starts from nothing, and a returning one continues', () => {
  const record: Epochs = { epoch: undefined, lastClientSeq: NONE_PROCESSED, past: new Map() };
  const epochs = Array.from({ length: 400 }, (_, index) => `life ${index}`);
  for (const [index, epoch] of epochs.entries()) {
    startEpoch(record, epoch);
    expect(record.lastClientSeq).toBe(NONE_PROCESSED);
    record.lastClientSeq = index;
  }
  for (const [index, epoch] of epochs.entries()) {
    startEpoch(record, epoch);
    expect(record.lastClientSeq).toBe(index);
  }
});
