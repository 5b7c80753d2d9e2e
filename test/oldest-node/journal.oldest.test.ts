// SQLite comes with Node, so an older Node is another database: the whole contract, on the journal that is published.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteJournal } from '@agenthost/host';
import { expect, test } from 'vitest';
import { journalContract } from '../../packages/host/src/journal/journal-contract.ts';
import { root } from '../source-graph.ts';

test('this is the oldest Node that the packages promise, and the published build', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [major, minor, patch] = process.versions.node.split('.');
  expect([engines.node, patch]).toEqual([`>=${major}.${minor}`, '0']);
  expect(import.meta.resolve('@agenthost/host')).toMatch(/\/dist\/index\.js$/);
});

journalContract('the published SqliteJournal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-oldest-journal-'));
  return {
    create: () => new SqliteJournal({ folder }),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
});
