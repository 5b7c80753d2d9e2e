/** The JSON of an envelope in two pieces, which `envelopeEnd` makes whole: most of what one delta says, the one before said as well. */
export interface EnvelopePieces {
  /** The same string for many. */
  readonly begin: string;
  /** What follows, up to the end. */
  readonly text: string;
}

/** How the JSON of an envelope ends that the host caused itself: with its place, which whoever stores it keeps anyway. */
export const envelopeEnd = (seq: number, time: number): string => `},"serverSeq":${seq},"x-time":${time}}`;
