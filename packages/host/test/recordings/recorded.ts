import { readFileSync } from 'node:fs';

/** The terminal size of every recording. */
export const SIZE = { cols: 80, rows: 24 } as const;

/** Names of the recordings, which `record.ts` describes. */
export const RECORDINGS = [
  'vim',
  'less',
  'top',
  'progress',
  'alternate',
  'wide',
  'lines',
  'colors',
  'regions',
] as const;

/** The output of a program, as text. */
export const recorded = (name: (typeof RECORDINGS)[number]): string =>
  readFileSync(new URL(`./${name}.bin`, import.meta.url), 'utf8');
