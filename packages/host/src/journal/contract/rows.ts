import type { Journal, JournalStart, JournalWrite } from '../journal.ts';

/** The journal of the running test, and its storage. */
export interface JournalUnderTest {
  /** Open. */
  readonly journal: Journal;
  /** Another journal on the same storage, not open. */
  createAnother(): Journal;
  /** Closes the journal and opens the next one on the same storage, which `journal` then returns. */
  reopen(): Promise<JournalStart>;
}

/** A session that the rows belong to. */
export const session = 'ahp-session:/s1';
/** A chat of it. */
export const chat = 'ahp-chat:/c1';

/** An envelope of seven bytes while its number has one digit. */
export function envelope(seq: number, channel = chat, extra: { time?: number; json?: string } = {}) {
  return {
    op: 'envelope',
    seq,
    channel,
    time: 1_000 + seq,
    json: `{"n":${seq}}`,
    ...extra,
  } satisfies JournalWrite;
}

/** A snapshot row. */
export function channel(
  uri: string,
  seq: number,
  extra: { session?: string; state?: string; local?: string } = {},
) {
  return { op: 'channel', uri, kind: 'chat', seq, state: '{}', local: '{}', ...extra } satisfies JournalWrite;
}

/** A turn of `chat`. */
export function turn(ordinal: number, json = `{"turn":${ordinal}}`) {
  return { op: 'turn', chat, ordinal, id: `t${ordinal}`, json } satisfies JournalWrite;
}

/** The numbers alone. */
export function seqs(envelopes: readonly { seq: number }[] | undefined): number[] | undefined {
  return envelopes?.map((each) => each.seq);
}
