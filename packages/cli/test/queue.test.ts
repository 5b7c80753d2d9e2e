import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const machine = new Machine();
beforeAll(async () => {
  await machine.serve();
});
afterAll(() => machine.dispose());

/** A session whose agent hangs in a turn. */
async function hanging(prompt = 'say ready; hang'): Promise<{ session: string; end: () => void }> {
  const run = machine.start(['run', '--json', prompt]);
  await run.until('ready');
  const [first] = jsonLines(run.out);
  const session = String(first?.['session']).replace('ahp-session:/', '');
  return { session, end: () => run.kill('SIGINT') };
}

const queue = (...args: string[]) => machine.run(['queue', ...args]);
/** Texts of the queued messages, the next one first. */
const texts = async (session: string): Promise<string[]> =>
  (await queue('list', session)).out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(17));

describe('agenthost queue', () => {
  test('[CHAT-11] adds, edits, reorders and removes queued messages, and shows them', async () => {
    const { session, end } = await hanging();
    expect(await queue('list', session)).toMatchObject({ code: 0, out: '', err: 'the queue is empty\n' });
    for (const text of ['say one', 'say two', 'say three']) await queue('add', session, text);
    const { out, code } = await queue('edit', session, '2', 'say', 'second');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^1 {6}\S{8} {2}say one\n2 {6}\S{8} {2}say second\n3 {6}\S{8} {2}say three\n$/),
    ]);
    await queue('order', session, '3', '1');
    expect(await texts(session)).toEqual(['say three', 'say one', 'say second']);
    await queue('rm', session, '1');
    const [shown] = jsonLines((await queue('list', session, '--json')).out);
    expect(shown).toMatchObject({ type: 'queue', queued: [{ message: { text: 'say one' } }, {}] });
    expect(await queue('rm', session, 'nobody')).toMatchObject({
      code: 1,
      err: 'agenthost: no queued message nobody; `queue list` lists them\n',
    });
    end();
    // Twelve processes, which took half a minute on a busy machine.
  }, 120_000);

  test('[CHAT-12] steers the running turn, and queues a message that the agent refuses', async () => {
    const { session, end } = await hanging('say ready; hang; deaf');
    expect((await queue('steer', session, 'say no')).out).toMatch(/^(?:steer|1 {4}) /);
    expect(await texts(session)).toEqual(['say no']);
    end();
    const { session: other } = await hanging();
    expect((await queue('steer', other, 'say yes')).err).not.toContain('the queue is empty');
    const watch = machine.start(['watch', other, '--json', '--turns', '5']);
    await watch.until('Steering message: say yes');
    watch.kill('SIGINT');
    await watch.ended;
  });

  test('[CHAT-12] starts a steering message if no turn runs, and reports that', async () => {
    const { out } = await machine.run(['run', '--json', 'say over']);
    const session = String(jsonLines(out)[0]?.['session']).replace('ahp-session:/', '');
    expect(await queue('steer', session, '1')).toMatchObject({
      code: 1,
      err: 'agenthost: no turn is running that could be steered\n',
    });
    expect(await queue('steer', session, 'say anew')).toMatchObject({
      code: 0,
      err: 'started at once: say anew\n',
    });
  });

  test('[CHAT-12] steers with a queued message by its position', async () => {
    const { session, end } = await hanging('say ready; hang; deaf');
    await queue('add', session, 'say one');
    await queue('add', session, 'say two');
    expect(await queue('steer', session, '7')).toMatchObject({
      code: 1,
      err: 'agenthost: no queued message 7; `queue list` lists them\n',
    });
    const { out } = await queue('steer', session, '2');
    expect(out).toMatch(/^(?:steer|1 {4}) {2}\S{8} {2}say two$/m);
    expect((await texts(session)).toSorted()).toEqual(['say one', 'say two']);
    end();
  });

  test('[CHAT-12] releases a queue that a cancel has stopped', async () => {
    const { session, end } = await hanging();
    for (const text of ['say one', 'hang']) await queue('add', session, text);
    end();
    const watch = machine.start(['watch', session, '--json', '--turns', '5']);
    await watch.until('cancelled');
    const held = await queue('list', session);
    expect(held.err).toContain(`agenthost queue go ${session.slice(0, 8)}`);
    expect((await queue('go', session)).err).toContain('started at once: say one\n');
    await watch.until('one');
    watch.kill('SIGINT');
    await watch.ended;
  });

  test('[CHAT-12] reports that a message without a turn before it was started, not that the queue is empty', async () => {
    const ran = await machine.run(['run', '--json', 'say ready']);
    const session = String(jsonLines(ran.out)[0]?.['session']).replace('ahp-session:/', '');
    expect(await queue('add', session, 'say', 'more')).toMatchObject({
      code: 0,
      out: '',
      err: 'started at once: say more\n',
    });
    const watch = machine.start(['watch', session, '--json', '--turns', '5']);
    await watch.until('more');
    watch.kill('SIGINT');
    await watch.ended;
  });

  test('[CHAT-12] prints the started turns with --json', async () => {
    const ran = await machine.run(['run', '--json', 'say ready']);
    const session = String(jsonLines(ran.out)[0]?.['session']).replace('ahp-session:/', '');
    const [first] = jsonLines((await queue('add', session, '--json', 'hang')).out);
    expect(first).toMatchObject({ type: 'queue', queued: [], started: [expect.any(String)] });
    const [second] = jsonLines((await queue('add', session, '--json', 'say more')).out);
    expect(second).toMatchObject({ queued: [{ message: { text: 'say more' } }] });
    expect(second).not.toHaveProperty('started');
  });
});
