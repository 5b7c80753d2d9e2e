import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine, type RunningCli } from './cli-process.ts';

const machine = new Machine();
let url = '';
beforeAll(async () => {
  ({
    line: { url },
  } = await machine.serve());
});
afterAll(() => machine.dispose());

const idOf = (uri: unknown): string => String(uri).replace(/^ahp-\w+:\//, '');

/** A session with one prompt. */
async function said(prompt = 'say first'): Promise<string> {
  const [head] = jsonLines((await machine.run(['run', '--json', prompt])).out);
  return idOf(head?.['session']);
}

/** Starts a chat besides the default one that asks for approval. */
async function asking(session: string): Promise<RunningCli> {
  const run = machine.start(['run', '--session', session, '--new-chat', 'ask']);
  await run.until('waiting for another client');
  return run;
}

describe('agenthost watch', () => {
  test('[CHAT-10] names the chat that asks if it is not the default one', async () => {
    const session = await said();
    const other = await asking(session);
    const watcher = machine.start(['watch', session]);
    await watcher.until('1) Allow');
    await watcher.until('chat "ask" waits for an answer');
    expect(watcher.err).not.toContain('idle; nothing waits');
    watcher.type('a\n');
    expect((await other.ended).code).toBe(0);
    watcher.type('q\n');
    expect((await watcher.ended).code).toBe(0);
  });

  test('shows the choices of a question one to a line, and reports when nothing waits any more', async () => {
    const session = await said();
    const other = await asking(session);
    const watcher = machine.start(['watch', session]);
    await watcher.until('d or n: no');
    expect(watcher.err).toMatch(/(?:\n {6}\d\) \S[^\n]*){4}\n {4}a or y: yes, once; d or n: no\n/);
    watcher.type('7\n');
    await watcher.until('type a number from 1 to 4');
    watcher.type('a\n');
    await other.ended;
    await watcher.until('idle; nothing waits for an answer');
    watcher.type('q\n');
    expect((await watcher.ended).err.split('nothing waits for an answer')).toHaveLength(2);
  });

  test('reports a failed session with the reason', async () => {
    const agents = { broken: { command: 'false', displayName: 'Broken' } };
    const other = new Machine();
    try {
      mkdirSync(join(other.home, '.config/agenthost'), { recursive: true });
      writeFileSync(join(other.home, '.config/agenthost/agenthost.json'), JSON.stringify({ agents }));
      await other.serve();
      const { code } = await other.run(['run', '--agent', 'broken', 'hello']);
      expect(code).toBe(1);
      const { out } = await other.run(['sessions']);
      expect(out).toMatch(/^\w{8} {2}failed /);
      const watcher = other.start(['watch', out.slice(0, 8)]);
      await watcher.until('nothing waits for an answer');
      expect(watcher.err).toMatch(/^failed: .*Broken.*; nothing waits for an answer$/m);
      watcher.type('q\n');
      await watcher.ended;
    } finally {
      await other.dispose();
    }
  });

  test('names the chat that works if it is not the default one', async () => {
    const session = await said();
    const other = machine.start(['run', '--session', session, '--new-chat', 'say ready; hang']);
    await other.until('ready');
    const watcher = machine.start(['watch', session]);
    await watcher.until('" works; nothing waits for an answer');
    expect(watcher.err).not.toContain('idle; nothing waits');
    watcher.type('q\n');
    await watcher.ended;
    other.kill('SIGINT');
    await other.ended;
  });

  test('continues after the end of piped input, and reports once that nothing can be answered any more', async () => {
    const session = await said();
    const watcher = machine.start(['watch', session]);
    watcher.type('say say second\n');
    watcher.endInput();
    await watcher.until('no more commands are read');
    await watcher.until('second\n');
    const next = await machine.run(['run', '--session', session, 'say third']);
    expect(next.code).toBe(0);
    await watcher.until('third\n');
    watcher.kill('SIGINT');
    const { code, err } = await watcher.ended;
    expect(code).toBe(130);
    expect(err.split('no more commands are read')).toHaveLength(2);
  });
});

test('[AUTH-1] the suggested command for an answer names the host as on this command line, without its token', async () => {
  const { token } = machine.hosts()[0] ?? { token: '' };
  const run = machine.start(['run', '--url', `${url}/?token=${token}`, 'ask']);
  await run.until('waiting for another client to answer: agenthost watch ');
  expect(run.err).toMatch(new RegExp(`agenthost watch [0-9a-f]{8} --url ${url}\\n`));
  expect(run.err).not.toContain(token);
  run.kill('SIGINT');
  await run.ended;
});
