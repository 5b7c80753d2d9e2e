import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { Machine } from './cli-process.ts';

const machine = new Machine();
const scripts = new Set<ChildProcess>();
afterAll(async () => {
  for (const script of scripts) script.kill('SIGKILL');
  await machine.dispose();
});

const library = fileURLToPath(new URL('../../client/src/index.ts', import.meta.url));

/** The examples of `docs/programs.md` for a connection and a tool, as one program that prints its session and keeps running. */
function example(wsUrl: string): string {
  const page = readFileSync(new URL('../../../docs/programs.md', import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, code]) => code ?? '');
  const connecting = blocks.find((code) => code.includes('client.sessions.create')) ?? '';
  const offering = blocks.find((code) => code.includes('offerTools')) ?? '';
  expect(offering.trim().split('\n').length).toBeLessThanOrEqual(5);
  return [
    ...connecting.split('\n').slice(0, 4),
    offering,
    `await session.offerTools([{ name: 'slow', run: () => new Promise(() => {}) }]);`,
    'console.log(session.uri);',
  ]
    .join('\n')
    .replace("'@agenthost/client'", JSON.stringify(library))
    .replace('ws://127.0.0.1:4711/ahp', wsUrl)
    .replace('{ token:', "{ clientId: 'script', token:");
}

/** Runs a program. Resolves with its first line. */
async function run(name: string, code: string, token: string): Promise<{ line: string; kill(): void }> {
  const file = join(machine.home, name);
  writeFileSync(file, code);
  const child = spawn(process.execPath, ['-C', '@agenthost/source', file], {
    env: { ...machine.environment, AGENTHOST_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  scripts.add(child);
  let out = '';
  const line = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code_) => reject(new Error(`${name} ended with ${code_}: ${out}`)));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (out.includes('\n')) resolve(out.trim());
    });
  });
  return { line, kill: () => child.kill('SIGKILL') };
}

test('[SESS-8] [CHAT-9] the program of docs/programs.md runs a tool for a prompt of another client; a call fails when the program is killed during it', async () => {
  const { line: host } = await machine.serve();
  const program = example(host.wsUrl);
  const script = await run('example.ts', program, host.token);
  const id = script.line.split('/').at(-1) ?? '';

  const watcher = machine.start(['watch', id]);
  await watcher.until('idle; nothing waits');
  watcher.type('say tool clock\n');
  await watcher.until(`\`clock\` answered: ${new Date().getFullYear()}-`);

  watcher.type('say tool slow\n');
  await watcher.until('→ Run slow on script');
  script.kill();
  // The same client again without knowledge of that session: its call there has failed.
  await run('again.ts', program, host.token);
  await watcher.until('`slow` failed: The client that runs this tool has left the session');
  watcher.type('q\n');
  expect((await watcher.ended).code).toBe(0);
});
