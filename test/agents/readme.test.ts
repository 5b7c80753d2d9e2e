import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { agentTable } from './agent-abilities.ts';

test('the README shows what the tests hold of each agent', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(agentTable());
});
