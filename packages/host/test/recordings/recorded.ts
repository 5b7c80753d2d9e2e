import { readFileSync } from 'node:fs';

/** The size that everything was recorded at. */
export const SIZE = { cols: 80, rows: 24 } as const;

/** What there is; `record.ts` says what each is. */
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

/** What a program put out, as text. */
export const recorded = (name: (typeof RECORDINGS)[number]): string =>
  readFileSync(new URL(`./${name}.bin`, import.meta.url), 'utf8');
