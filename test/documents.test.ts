import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './source-graph.ts';

test.each(['THREAT_MODEL.md', 'RELIABILITY.md'])(
  'every test and folder that %s rests on is there',
  (document) => {
    const text = readFileSync(join(root, document), 'utf8');
    const named = [...text.matchAll(/`((?:packages|test)\/[^`\s]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  },
);

test('every command that RELIABILITY.md names is there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = [...readFileSync(join(root, 'RELIABILITY.md'), 'utf8').matchAll(/`npm (?:run )?([\w:]+)/g)];
  expect(named.length).toBeGreaterThan(5);
  expect(named.flatMap(([, name = '']) => (name in scripts ? [] : [name]))).toEqual([]);
});
