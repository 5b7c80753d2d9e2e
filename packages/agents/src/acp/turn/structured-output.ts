import type { ToolResultContent } from '@agenthost/protocol';
import { isObject, type JsonObject } from '../json.ts';

/** Shorter texts are kept: they are cheap and may be values for programs. */
const MIN_REPEATED_LENGTH = 256;

/**
 * An agent's raw output without long texts that the content of the call already shows. `undefined` when
 * nothing is left or when it is not an object.
 */
export function structuredOutput(
  rawOutput: unknown,
  content: readonly ToolResultContent[],
): Record<string, unknown> | undefined {
  if (!isObject(rawOutput)) return undefined;
  const shown = new Set(content.map(textIn));
  if (shown.has(JSON.stringify(rawOutput).trim())) return undefined;
  const rest = withoutRepeated(rawOutput, shown);
  return Object.keys(rest).length === 0 && Object.keys(rawOutput).length > 0 ? undefined : rest;
}

function withoutRepeated(object: JsonObject, shown: ReadonlySet<string>): Record<string, unknown> {
  const kept = Object.entries(object).filter(([, value]) => !isRepeated(value, shown));
  return Object.fromEntries(kept.map(([name, value]) => [name, strip(value, shown)]));
}

function strip(value: unknown, shown: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => strip(each, shown));
  return isObject(value) ? withoutRepeated(value, shown) : value;
}

function isRepeated(value: unknown, shown: ReadonlySet<string>): boolean {
  return typeof value === 'string' && value.length >= MIN_REPEATED_LENGTH && shown.has(value.trim());
}

function textIn(block: ToolResultContent): string {
  if (block.type === 'text') return block.text.trim();
  return block.type === 'terminal' ? (block.result?.preview ?? '').trim() : '';
}
