import type { Step } from './step.ts';

/** The step, or a failing step when the number exceeds the limit. */
export function within(limit: Limit, number: number | undefined, step: Step): Step {
  if (number === undefined || number <= limit.most) return step;
  return {
    kind: 'fail',
    reason: `\`${limit.of}\`: expected at most ${limit.most} ${limit.unit}, got ${number}`,
  };
}

/** Limit of a number in the demo agent's language. */
export interface Limit {
  /** The word before the number. */
  readonly of: string;
  readonly most: number;
  readonly unit: string;
}

/** A number at the start; `fallback` for an empty text. `undefined` for anything else. */
export function count(rest: string, fallback: number): number | undefined {
  if (rest.trim() === '') return fallback;
  const digits = /^(\d{1,9})\b/.exec(rest)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The number after this word, anywhere in the text. */
export function named(rest: string, name: 'every' | 'of'): number | undefined {
  const digits = new RegExp(`\\b${name}\\s+(\\d{1,9})`, 'i').exec(rest)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** A word is a file when it contains a dot or a slash, so that "write a poem" is not a command. */
export function fileAndText(rest: string): { path: string; text: string } | undefined {
  const [, path, text] = /^(\S+)\s*([^]*)$/.exec(rest) ?? [];
  return path !== undefined && /[./]/.test(path) ? { path, text: text ?? '' } : undefined;
}

/** Reads a file and the text for it. */
export function change(kind: 'write' | 'edit', rest: string): Step | undefined {
  const found = fileAndText(rest);
  return found && { kind, ...found };
}

/** The step when there are no arguments. */
export function alone(rest: string, step: Step): Step | undefined {
  return rest.trim() === '' ? step : undefined;
}

/** Reads the form of `ask`. */
export function ask(rest: string): Step | undefined {
  switch (rest.trim().toLowerCase()) {
    case '':
      return { kind: 'ask', form: 'plain' };
    case 'options':
      return { kind: 'ask', form: 'options' };
    case 'always':
      return { kind: 'ask', form: 'always' };
    case 'edit':
      return { kind: 'ask', form: 'edit' };
    case 'twice':
      return { kind: 'ask', form: 'twice' };
    case 'result':
      return { kind: 'ask', form: 'result' };
    default:
      return undefined;
  }
}
