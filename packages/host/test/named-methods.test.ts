import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENT_REQUEST_METHODS, ErrorCodes } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { startHost } from './host-fixture.ts';

const sources = globSync('packages/{host,protocol}/src/**/*.ts', {
  cwd: join(import.meta.dirname, '../../..'),
}).filter((path) => !path.endsWith('.test.ts'));

/** Sentences in the sources: strings with a space, without comments. */
function sentencesOf(path: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
  const code = text.replace(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
  return [...code.matchAll(/'([^'\n]* [^'\n]*)'|"([^"\n]* [^"\n]*)"|`([^`]* [^`]*)`/g)].map(
    ([, single, double, template]) => single ?? double ?? template ?? '',
  );
}

test('no text of the host advises an unknown method', async () => {
  const host = await startHost();
  const client = await host.client();
  const missing: string[] = [];
  for (const method of CLIENT_REQUEST_METHODS) {
    const error: unknown = await client
      .raw(method, { channel: 'ahp-root://' })
      .catch((cause: unknown) => cause);
    if (error instanceof Error && 'code' in error && error.code === ErrorCodes.MethodNotFound)
      missing.push(method);
  }
  expect(missing).toContain('invokeChangesetOperation');
  expect(sources.length).toBeGreaterThan(100);
  const advised = sources.flatMap((path) =>
    sentencesOf(path).flatMap((sentence) =>
      missing
        .filter((method) => new RegExp(`(?<![\\w-])${method}(?![\\w-])`).test(sentence))
        .map((method) => `${path}: ${method}`),
    ),
  );
  expect(advised).toEqual([]);
});
