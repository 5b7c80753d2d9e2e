import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const machine = new Machine();
beforeAll(async () => {
  await machine.serve();
});
afterAll(() => machine.dispose());

/** Id of the newest session. */
async function newest(): Promise<string> {
  const { out } = await machine.run(['sessions', '--json', '--limit', '1']);
  return String(jsonLines(out)[0]?.['resource']).replace('ahp-session:/', '');
}

describe('workers of an agent', () => {
  test('[CHAT-2] run --approve answers their questions', async () => {
    const { code, out } = await machine.run(['run', '--approve', 'all', 'delegate 2 ask']);
    expect({ code, out }).toEqual({ code: 0, out: 'All 2 workers are done.\n' });
  });

  test('[CHAT-2] run --json names the chat in which they ask', async () => {
    const { code, out } = await machine.run(['run', '--approve', 'none', '--json', 'delegate ask']);
    const lines = jsonLines(out);
    const main = lines.find(({ type }) => type === 'session')?.['chat'];
    const asked = lines.filter(({ type }) => type === 'confirmation');
    expect(asked).toHaveLength(1);
    expect(asked[0]?.['chat']).toMatch(/^ahp-chat:\//);
    expect(asked[0]?.['chat']).not.toBe(main);
    expect(code).toBe(3);
    expect(lines.at(-1)).toMatchObject({ type: 'ended', exitCode: 3 });
  });

  test('[CHAT-2] watch shows their work, and approves', async () => {
    const watched = machine.start(['run', 'wait 500; say ready\ndelegate say I am at it; ask; say and done']);
    await watched.until('session ');
    const watcher = machine.start(['watch', await newest()]);
    await watcher.until('-- Worker 1: ');
    await watcher.until('at it');
    await watcher.until('Ponder about everything');
    watcher.type('a\n');
    await watcher.until('and done');
    await watcher.until('The worker is done');
    watcher.type('q\n');
    expect((await watcher.ended).code).toBe(0);
    expect((await watched.ended).code).toBe(0);
  });

  test('[CHAT-2] watch leaves out those that had finished before', async () => {
    await machine.run(['run', 'delegate say long ago\nsay over']);
    const watcher = machine.start(['watch', await newest()]);
    await watcher.until('idle; nothing waits');
    await watcher.until('over');
    watcher.type('q\n');
    const { out, err } = await watcher.ended;
    expect(`${out}${err}`).not.toContain('-- Worker');
  });
});

describe('agenthost sessions fork', () => {
  test('[SESS-12] makes a copy up to the last turn, or up to a named one', async () => {
    await machine.run(['run', 'say first']);
    const source = await newest();
    const watcher = machine.start(['watch', source]);
    await watcher.until('idle; nothing waits');
    watcher.type('say say second\n');
    await watcher.until('second\n');
    watcher.type('q\n');
    await watcher.ended;
    const { code, out } = await machine.run(['sessions', 'fork', source]);
    expect(code).toBe(0);
    expect(out).toMatch(/^[0-9a-f]{8} {2}say first \(fork\)\n$/);
    const shown = machine.start(['watch', out.slice(0, 8), '--json', '--turns', '5']);
    await shown.until('say second');
    shown.type('q\n');
    await shown.ended;
    const turns = jsonLines(shown.out).filter(({ type }) => type === 'turn');
    expect(turns.map(({ message }) => (message as { text: string }).text)).toEqual([
      'say first',
      'say second',
    ]);
    const at = await machine.run([
      'sessions',
      'fork',
      source,
      '--json',
      '--at',
      String(turns[0]?.['turnId']),
    ]);
    const [forked] = jsonLines(at.out);
    expect(forked).toMatchObject({
      type: 'forked',
      from: `ahp-session:/${source}`,
      turnId: turns[0]?.['turnId'],
    });
    const unknown = await machine.run(['sessions', 'fork', source, '--at', 'none']);
    expect(unknown.code).toBe(1);
    expect(unknown.err).toContain('has no turn none');
  });
});
