import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../packages/cli/src/serve/config.ts';
import { stalePages } from '../scripts/docs.ts';
import { root } from './source-graph.ts';

test.each(['THREAT_MODEL.md', 'RELIABILITY.md', 'ARCHITECTURE.md'])(
  'every file and folder that %s names in full is there',
  (document) => {
    const text = readFileSync(join(root, document), 'utf8');
    const named = [...text.matchAll(/`((?:packages|test)\/[^`\s]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  },
);

test('every command that RELIABILITY.md names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = [...readFileSync(join(root, 'RELIABILITY.md'), 'utf8').matchAll(/`npm (?:run )?([\w:]+)/g)];
  expect(named.length).toBeGreaterThan(5);
  expect(named.flatMap(([, name = '']) => (name in scripts ? [] : [name]))).toEqual([]);
});

const documents = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md'], { cwd: root });

/** The anchors of a document's headings, as they appear in links. */
const anchorsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

test.each(documents)('every link of %s leads to an existing file and heading', (document) => {
  const text = readFileSync(join(root, document), 'utf8').replace(/^ *(`{3,})[^\n]*\n[^]*?\n *\1 *$/gm, '');
  const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^https?:/.test(link)) return [];
    const [file = '', anchor] = link.split('#');
    const path = file === '' ? join(root, document) : join(root, dirname(document), file);
    const isThere = existsSync(path) && (anchor === undefined || anchorsOf(path).includes(anchor));
    return isThere ? [] : [link];
  });
  expect(broken).toEqual([]);
});

test('the pages of command line, settings and errors match the sources', () => {
  expect(stalePages(), '`npm run docs` writes them').toEqual([]);
});

test('docs/configuration.md has every key of the config file', () => {
  let keys = '';
  try {
    parseConfig({ unknown: 1 }, 'file');
  } catch (error) {
    keys = /expected one of (.*)/.exec(String(error))?.[1] ?? '';
  }
  const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8');
  const section = page.slice(0, page.indexOf('```json'));
  const listed = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key);
  expect(listed).toEqual(keys.split(', '));
});

const internals = globSync('docs/internals/*.md', { cwd: root });

test.each(internals)('every source that %s names exists', (document) => {
  const text = readFileSync(join(root, document), 'utf8');
  const named = [...text.matchAll(/`([\w-]+(?:\/[\w.-]+)*(?:\/|\.ts))`/g)].map(([, path = '']) => path);
  const roots = [
    '.',
    'packages/host/src',
    'packages/host/src/terminals',
    'packages/cli/src/chat',
    'packages/web/src',
    'packages/testkit/src/sim',
  ];
  const missing = named.filter((path) => !roots.some((folder) => existsSync(join(root, folder, path))));
  expect(missing).toEqual([]);
});

test('README.md has at most 200 lines', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(200);
});
