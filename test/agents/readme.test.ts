import { readFileSync } from 'node:fs';
import { ACP_CATALOGUE } from '@agenthost/agents';
import { expect, test } from 'vitest';
import { agentTable } from './agent-abilities.ts';
import { agentPackages } from './agent-packages.ts';

test('docs/agents.md shows the tested abilities of each agent', () => {
  const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8');
  expect(page).toContain(agentTable());
});

test('each known agent names the package that the tests install', () => {
  const installs = ACP_CATALOGUE.map(({ id, install }) => [id, install]);
  expect(Object.fromEntries(installs)).toEqual(
    Object.fromEntries(agentPackages.map(({ id, packageName }) => [id, `npm install -g ${packageName}`])),
  );
});
