import type { TextRange } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import type { ParseFault } from './front-matter.ts';

/** A JSON file with the positions of its values. */
export interface JsonFile {
  readonly value: Readonly<Record<string, unknown>>;
  /** The range of the value at a path of keys; `undefined` if there is none. */
  rangeOf(keys: readonly (string | number)[]): TextRange | undefined;
  /** A fault at the value of a path of keys, or at the nearest one above it. */
  faultAt(keys: readonly (string | number)[], message: string): ParseFault;
}

/** Reads a JSON object. The result is a fault with its position if the text is something else. */
export async function parseJsonFile(text: string): Promise<JsonFile | ParseFault> {
  const { LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const message = errorText(error);
    const plain = message.replace(/ in JSON at position \d+.*$/s, '').replace(/\s+/g, ' ');
    // V8 gives no position for an unexpected token.
    const given = /position (\d+)/.exec(message)?.[1];
    const offset = given === undefined ? parseDocument(text).errors[0]?.pos[0] : Number(given);
    return offset === undefined ? { message: plain } : { ...placeOf(text, offset), message: plain };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { line: 1, column: 1, message: 'expected a JSON object' };
  // JSON is YAML, whose parser keeps positions.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const rangeOf: JsonFile['rangeOf'] = (keys) => {
    const node: unknown = keys.length === 0 ? document.contents : document.getIn(keys, true);
    if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range))
      return undefined;
    const [start, end]: unknown[] = node.range;
    if (typeof start !== 'number' || typeof end !== 'number') return undefined;
    const [from, to] = [lines.linePos(start), lines.linePos(end)];
    return {
      start: { line: from.line - 1, character: from.col - 1 },
      end: { line: to.line - 1, character: to.col - 1 },
    };
  };
  return {
    value: Object.fromEntries(Object.entries(value)),
    rangeOf,
    faultAt: (keys, message) => {
      for (let length = keys.length; length >= 0; length -= 1) {
        const range = rangeOf(keys.slice(0, length));
        if (range !== undefined)
          return { line: range.start.line + 1, column: range.start.character + 1, message };
      }
      return { message };
    },
  };
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}
