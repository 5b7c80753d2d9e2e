import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const program = `
  import { createHost } from '@agenthost/host';
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const host = createHost({ agents: [], listen: { port: 0 }, dataDir: process.argv[1], log });
  await host.start();
  console.log(JSON.stringify(process.moduleLoadList));
  await host.stop();
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-loaded-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

it("does not load Node's HTTP client, which takes 5 MB and which a host does not use", () => {
  const args = ['-C', '@agenthost/source', '--input-type=module', '-e', program, folder];
  const output = execFileSync(process.execPath, args, { encoding: 'utf8', cwd: import.meta.dirname });
  const loaded: string[] = JSON.parse(output);
  expect(loaded).toContain('NativeModule http');
  expect(loaded.filter((name) => name.includes('undici'))).toEqual([]);
});
