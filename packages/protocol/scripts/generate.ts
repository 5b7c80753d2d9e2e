/**
 * Writes the published schemas and the compiled checks from the wire types, and the page of limits from its
 * table. With `--check` it writes nothing, lists stale files and exits with 1.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compiledFiles } from './compile.ts';
import { limitsPage } from './limits-page.ts';
import { publishedFiles } from './published.ts';
import { readVocabulary } from './vocabulary.ts';

const folders = { schema: '../schema/', compiled: '../src/validate/generated/' };

function existing(folder: string): Map<string, string> {
  mkdirSync(folder, { recursive: true });
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(folder + name, 'utf8')]));
}

const vocabulary = readVocabulary();
const isCheck = process.argv.includes('--check');
const stale: string[] = [];

for (const [relative, files] of [
  [folders.schema, publishedFiles(vocabulary)],
  [folders.compiled, compiledFiles(vocabulary)],
] as const) {
  const folder = fileURLToPath(new URL(relative, import.meta.url));
  const before = existing(folder);
  for (const name of new Set([...before.keys(), ...files.keys()])) {
    const content = files.get(name);
    if (before.get(name) === content) continue;
    stale.push(folder + name);
    if (isCheck) continue;
    if (content === undefined) rmSync(folder + name);
    else writeFileSync(folder + name, content);
  }
}

const page = fileURLToPath(new URL('../../../docs/limits.md', import.meta.url));
if (!existsSync(page) || readFileSync(page, 'utf8') !== limitsPage()) {
  stale.push(page);
  if (!isCheck) writeFileSync(page, limitsPage());
}

if (isCheck && stale.length > 0) {
  console.error(
    `These differ from the wire types; run npm run generate -w @agenthost/protocol:\n${stale.join('\n')}`,
  );
  process.exitCode = 1;
} else {
  console.log(stale.length === 0 ? 'Nothing to change.' : `Wrote ${stale.length} files.`);
}
