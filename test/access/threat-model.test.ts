import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../source-graph.ts';

test('every test and folder that the threat model rests on is there', () => {
  const text = readFileSync(join(root, 'THREAT_MODEL.md'), 'utf8');
  const named = [...text.matchAll(/`((?:packages|test)\/[^`\s]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
