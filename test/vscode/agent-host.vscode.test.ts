// The conformance kit against the agent host of a real VS Code: the failures are those that `docs/conformance.md` explains.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkHost } from '@agenthost/conformance';
import { expect, test } from 'vitest';
import { installEditor } from '../../scripts/install-vscode.ts';
import { present } from '../agents/chat-reading.ts';
import { startAgentHost } from './agent-host.ts';

const { command, reason } = await installEditor();
if (command === undefined && process.env['REQUIRE_ALL'] === '1')
  throw new Error(`VS Code is required, but it could not be installed: ${reason}`);

/** Rules and titles of the table in the page. */
async function explained(): Promise<string[]> {
  const page = await readFile(join(import.meta.dirname, '..', '..', 'docs/conformance.md'), 'utf8');
  const table = page.slice(page.indexOf('## The host of VS Code'));
  return [...table.matchAll(/^\| ((?:[A-Z]+-\d+ ?)+) \| (.+) \| .+ \|$/gm)].map(
    ([, rules = '', title = '']) => `${rules}: ${title}`,
  );
}

test.skipIf(command === undefined)(
  'the host of VS Code fails the checks that the page lists, and no other',
  { timeout: 300_000 },
  async () => {
    const host = await startAgentHost(present(command));
    try {
      const { versions, results } = await checkHost({
        open: (signal) => host.open(signal),
        folder: host.folder,
        signal: AbortSignal.timeout(240_000),
        patienceMs: 4_000,
      });
      expect(versions).toEqual(['0.9.0']);
      const failed = results.filter(({ verdict }) => verdict === 'failed');
      const listed = failed.map(({ rules, title }) => `${rules.join(' ')}: ${title}`);
      expect(listed.toSorted()).toEqual((await explained()).toSorted());
      expect(results.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(35);
    } finally {
      await host.stop();
    }
  },
);
