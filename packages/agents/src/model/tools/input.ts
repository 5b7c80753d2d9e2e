import { isObject, type JsonObject } from '../../acp/json.ts';
import { ToolFailure } from './tool.ts';

/** A required text of a tool's input. Throws `ToolFailure`. */
export function textIn(input: JsonObject, key: string): string {
  const value = optionalText(input, key);
  if (value === undefined) throw wrong(key, 'a string', undefined);
  return value;
}

/** An optional text. `null` counts as absent, because models send it. Throws `ToolFailure`. */
export function optionalText(input: JsonObject, key: string): string | undefined {
  const value = input[key] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw wrong(key, 'a string', value);
}

/** An optional whole number from `least`. Throws `ToolFailure`. */
export function optionalCount(input: JsonObject, key: string, least = 1): number | undefined {
  const value = input[key] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least) return value;
  throw wrong(key, `a whole number from ${least}`, value);
}

/** An optional flag; false when absent. Throws `ToolFailure`. */
export function flagIn(input: JsonObject, key: string): boolean {
  const value = input[key] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw wrong(key, 'true or false', value);
}

/** A list of objects. Throws `ToolFailure`. */
export function listIn(input: JsonObject, key: string): readonly JsonObject[] {
  const value = input[key];
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw wrong(key, 'a list of objects', value);
}

/** Parses an input that a person edited. Throws `ToolFailure`. */
export function parseEdited(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw new ToolFailure(`The edited input is not a JSON object: ${text.slice(0, 80)}`);
}

function wrong(key: string, expected: string, got: unknown): ToolFailure {
  const shown = got === undefined ? 'nothing' : JSON.stringify(got).slice(0, 80);
  return new ToolFailure(`"${key}": expected ${expected}, got ${shown}`);
}
