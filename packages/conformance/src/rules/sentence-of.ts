import { readFileSync } from 'node:fs';
import { isObject } from '../recording/entry.ts';

let sentences: Readonly<Record<string, unknown>> | undefined;

/** The sentence of a rule in `docs/rules.md`; `undefined` for an id that the page does not have. */
export function sentenceOf(rule: string): string | undefined {
  if (sentences === undefined) {
    const read: unknown = JSON.parse(readFileSync(new URL('./sentences.json', import.meta.url), 'utf8'));
    sentences = isObject(read) ? read : {};
  }
  const found = Object.hasOwn(sentences, rule) ? sentences[rule] : undefined;
  return typeof found === 'string' ? found : undefined;
}
