import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readHostTokens } from './host-tokens.ts';

test('[AUTH-1] a file of host tokens that others can read is made private, with a warning', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-host-tokens-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'tokens.json');
  writeFileSync(file, '{ "team-a": "secret" }');
  chmodSync(file, 0o644);
  const tokens = { 'team-a': 'secret' };
  const warning = expect.stringContaining(
    `${file} could be read by others until now: give the hosts new tokens`,
  );
  expect(readHostTokens(file)).toEqual({ tokens, warnings: [warning] });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readHostTokens(file)).toEqual({ tokens, warnings: [] });
});
