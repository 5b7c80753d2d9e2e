import { InvalidArgumentError } from 'commander';
import type { OptionSpec } from './option-spec.ts';

/** The number that was given for an option. Throws what the parser shows when it is none, or out of range. */
export function readNumber(text: string, spec: OptionSpec & { type: 'number' }): number {
  const value = Number(text);
  const isRight =
    text.trim() !== '' &&
    value >= spec.min &&
    value <= spec.max &&
    (!spec.isInteger || Number.isInteger(value));
  if (isRight) return value;
  const kind = spec.isInteger ? 'a whole number' : 'a number';
  const range =
    spec.max === Number.MAX_SAFE_INTEGER ? `of at least ${spec.min}` : `from ${spec.min} to ${spec.max}`;
  throw new InvalidArgumentError(`Expected ${kind} ${range}.`);
}
