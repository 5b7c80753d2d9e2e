import { type ChangesetOperation, invalidParam } from '@agenthost/protocol';

/** The checked values of an operation. */
export interface OperationInputs {
  /** The text under a name. `undefined`: absent, or empty. */
  text(name: string): string | undefined;
  /** The boolean under a name. `undefined`: absent. */
  flag(name: string): boolean | undefined;
}

/**
 * Checks the values for an operation [CS-4]. Throws `-32602` that names the value: unknown, of a wrong type, missing, or a text with control
 * characters. Defaults are not filled in.
 */
export function checkInputs(
  { id, 'x-inputs': inputs = [] }: ChangesetOperation,
  given: Readonly<Record<string, string | boolean>> = {},
): OperationInputs {
  const values = new Map(Object.entries(given));
  for (const [name, value] of values) {
    const at = `x-input.${name.slice(0, 100)}`;
    const input = inputs.find((each) => each.name === name);
    if (input === undefined) {
      const known =
        inputs.length === 0 ? 'takes no values' : `takes ${inputs.map((each) => each.name).join(', ')}`;
      throw invalidParam(at, `the operation ${id} ${known}`);
    }
    if (typeof value !== input.type)
      throw invalidParam(at, `expected a ${input.type}, got a ${typeof value}`);
    if (typeof value === 'string' && hasControls(value, input.isLong === true))
      throw invalidParam(
        at,
        `expected ${input.isLong === true ? 'text' : 'one line of text'} without control characters`,
      );
  }
  for (const { name, isRequired } of inputs) {
    const value = values.get(name);
    if (isRequired === true && (value === undefined || (typeof value === 'string' && value.trim() === '')))
      throw invalidParam(`x-input.${name}`, 'expected a value, got none');
  }
  return {
    text: (name) => {
      const value = values.get(name);
      return typeof value === 'string' && value.trim() !== '' ? value : undefined;
    },
    flag: (name) => {
      const value = values.get(name);
      return typeof value === 'boolean' ? value : undefined;
    },
  };
}

const hasControls = (text: string, isLong: boolean): boolean =>
  /\p{Cc}/u.test(isLong ? text.replace(/[\n\r\t]/g, '') : text);
