/** A name as hosts take it: single spaces, and the composed form of Unicode. */
export const nameOfPerson = (typed: string): string => typed.normalize('NFC').trim().replace(/\s+/gu, ' ');
