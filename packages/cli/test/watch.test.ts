import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine, type RunningCli } from './cli-process.ts';

const machine = new Machine();
let url = '';
beforeAll(async () => {
  ({
    line: { url },
  } = await machine.serve());
}, 30_000);
afterAll(() => machine.dispose());

const idOf = (uri: unknown): string => String(uri).replace(/^ahp-\w+:\//, '');

/** A session in which something was said. */
async function said(prompt = 'say first'): Promise<string> {
  const [head] = jsonLines((await machine.run(['run', '--json', prompt])).out);
  return idOf(head?.['session']);
}

/** A chat besides the default one that asks for approval. */
async function asking(session: string): Promise<RunningCli> {
  const run = machine.start(['run', '--session', session, '--new-chat', 'ask']);
  await run.until('waiting for another client');
  return run;
}

describe('agenthost watch', () => {
  test('[CHAT-10] says which chat asks, where it is not the default one', async () => {
    const session = await said();
    const other = await asking(session);
    const watcher = machine.start(['watch', session]);
    await watcher.until('1) Allow');
    await watcher.until('chat "ask" waits for an answer');
    expect(watcher.err).not.toContain('idle; waiting');
    watcher.type('a\n');
    expect((await other.ended).code).toBe(0);
    watcher.type('q\n');
    expect((await watcher.ended).code).toBe(0);
  });

  test('says which chat works, where it is not the default one', async () => {
    const session = await said();
    const other = machine.start(['run', '--session', session, '--new-chat', 'say ready; hang']);
    await other.until('ready');
    const watcher = machine.start(['watch', session]);
    await watcher.until('" works; waiting for what comes');
    expect(watcher.err).not.toContain('idle; waiting');
    watcher.type('q\n');
    await watcher.ended;
    other.kill('SIGINT');
    await other.ended;
  });

  test('goes on after the end of what is piped in, and says once that nothing can be answered any more', async () => {
    const session = await said();
    const watcher = machine.start(['watch', session]);
    watcher.type('say say second\n');
    watcher.endInput();
    await watcher.until('nothing more can be typed');
    await watcher.until('second\n');
    const next = await machine.run(['run', '--session', session, 'say third']);
    expect(next.code).toBe(0);
    await watcher.until('third\n');
    watcher.kill('SIGINT');
    const { code, err } = await watcher.ended;
    expect(code).toBe(130);
    expect(err.split('nothing more can be typed')).toHaveLength(2);
  });
});

test('[AUTH-1] the command that answers elsewhere names the host as it was named here, without its token', async () => {
  const { token } = machine.hosts()[0] ?? { token: '' };
  const run = machine.start(['run', '--url', `${url}/?token=${token}`, 'ask']);
  await run.until('waiting for another client to answer: agenthost watch ');
  expect(run.err).toMatch(new RegExp(`agenthost watch [0-9a-f]{8} --url ${url}\\n`));
  expect(run.err).not.toContain(token);
  run.kill('SIGINT');
  await run.ended;
});
