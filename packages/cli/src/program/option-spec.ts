import { InvalidArgumentError, Option } from 'commander';

interface OptionFields {
  readonly flags: string;
  readonly description: string;
  /** Read when the option is not given. */
  readonly env?: string;
  /** Works, and is in no help: another name of an option that is. */
  readonly isHidden?: true;
  /** Description of a default that is not one fixed value. */
  readonly defaultText?: string;
}

/** One option: all that there is to say about it, for parsing and for help alike. */
export type OptionSpec = OptionFields &
  (
    | { readonly type: 'flag' | 'text' | 'list'; readonly default?: string }
    | {
        readonly type: 'number';
        readonly default?: number;
        readonly unit?: string;
        readonly min: number;
        readonly max: number;
        readonly isInteger: boolean;
      }
    | { readonly type: 'choice'; readonly choices: readonly string[]; readonly default: string }
  );

/** The number that was given for an option. Throws what the parser shows when it is none, or out of range. */
function readNumber(text: string, spec: OptionSpec & { type: 'number' }): number {
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

/** An option for the parser. A variable of `env` that is empty counts as absent. */
export function toOption(spec: OptionSpec, env: Readonly<Record<string, string | undefined>>): Option {
  const unit = spec.type === 'number' && spec.unit !== undefined ? ` ${spec.unit}` : '';
  const described = spec.defaultText === undefined ? '' : ` (default: ${spec.defaultText})`;
  const option = new Option(spec.flags, `${spec.description}${described}`);
  if (spec.isHidden === true) option.hideHelp();
  if (spec.env !== undefined && env[spec.env] !== '') option.env(spec.env);
  switch (spec.type) {
    case 'choice':
      option.choices(spec.choices);
      break;
    case 'number':
      option.argParser((text) => readNumber(text, spec));
      break;
    case 'list':
      option.argParser((text, before: readonly string[] | undefined) => [...(before ?? []), text]);
      break;
    case 'flag':
    case 'text':
      break;
  }
  if (spec.default !== undefined)
    option.default(spec.default, unit === '' ? undefined : `${spec.default}${unit}`);
  return option;
}
