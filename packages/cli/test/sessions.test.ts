import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const machine = new Machine();
let ids: string[] = [];
beforeAll(async () => {
  await machine.serve();
  for (const prompt of ['say one', 'say two', 'say three']) await machine.run(['run', prompt]);
  const { out } = await machine.run(['sessions', '--json']);
  ids = jsonLines(out).map(({ resource }) => String(resource).replace('ahp-session:/', ''));
});
afterAll(() => machine.dispose());

/** The shortest prefix of an id that no other id has. */
function prefixOf(id: string): string {
  for (let length = 4; length < id.length; length += 1) {
    const prefix = id.slice(0, length);
    if (ids.filter((other) => other.startsWith(prefix)).length === 1) return prefix;
  }
  return id;
}

describe('agenthost sessions', () => {
  test('lists one line each, the last modified first', async () => {
    const { code, out } = await machine.run(['sessions']);
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^[0-9a-f]{8} {2}idle {5}demo {6,}\d+ s {2}say three {2}~$/);
    expect(lines[2]).toContain('say one');
    expect((await machine.run(['sessions', '--limit', '1'])).out.split('\n')).toHaveLength(2);
  });

  test('shows one by a prefix of its id, disk use included', async () => {
    const { code, out } = await machine.run(['sessions', 'show', prefixOf(ids[0] ?? '')]);
    expect(code).toBe(0);
    expect(out).toContain(`session   ahp-session:/${ids[0]}`);
    expect(out).toMatch(/title {5}say three\n/);
    expect(out).toMatch(/on disk {3}[\d.]+ (?:B|KiB)\n/);
    const shown = await machine.run(['sessions', 'show', ids[0] ?? '', '--json']);
    const [session] = jsonLines(shown.out);
    expect(session?.['diskUse']).toMatchObject({ turnsBytes: expect.any(Number) });
  });

  test('refuses an unknown and an ambiguous prefix', async () => {
    const unknown = await machine.run(['sessions', 'show', 'zzz']);
    expect(unknown).toMatchObject({
      code: 1,
      err: 'agenthost: no session is called zzz; `agenthost sessions` lists them\n',
    });
    const first = ids.find((id) => ids.some((other) => other !== id && other[0] === id[0]));
    if (first !== undefined) expect((await machine.run(['watch', first.slice(0, 1)])).code).toBe(2);
    expect((await machine.run(['sessions', 'rm'])).code).toBe(2);
  });

  test('finds words in titles, messages and answers, and shows them in their context', async () => {
    const { code, out } = await machine.run(['sessions', '--search', 'two']);
    expect(code).toBe(0);
    const [session, ...places] = out.trimEnd().split('\n');
    expect(session).toMatch(/^[0-9a-f]{8} {2}idle .* say two {2}~$/);
    expect(places).toEqual(['  title   say two', '  asked   say two']);
    const found = jsonLines(
      (await machine.run(['sessions', '--search', 'say', '--limit', '5', '--json'])).out,
    );
    expect(found).toHaveLength(5);
    expect(found[0]).toMatchObject({ field: 'title', snippet: 'say three', matches: [[0, 3]] });
    const none = await machine.run(['sessions', '--search', '"two say"']);
    expect(none).toMatchObject({ code: 0, out: '', err: 'no matches\n' });
    const long = await machine.run(['sessions', '--search', 'x'.repeat(1_001)]);
    expect(long).toMatchObject({
      code: 1,
      err: expect.stringContaining('--search: at most 1,000 characters, got 1,001'),
    });
  });

  test('removes none if one of several ids is unknown, otherwise all', async () => {
    const [last = ''] = ids.slice(-1);
    expect((await machine.run(['sessions', 'rm', last, 'zzz'])).code).toBe(1);
    expect((await machine.run(['sessions', 'show', last])).code).toBe(0);
    const { code, out } = await machine.run(['sessions', 'rm', prefixOf(last)]);
    expect({ code, out }).toEqual({ code: 0, out: `removed ${last.slice(0, 8)}  say one\n` });
    expect((await machine.run(['sessions', 'show', last])).code).toBe(1);
  });
});

describe('agenthost watch', () => {
  test('shows the past, and takes messages', async () => {
    const watcher = machine.start(['watch', prefixOf(ids[0] ?? '')]);
    await watcher.until('idle; nothing waits');
    await watcher.until('three\n');
    watcher.type('say say and more\n');
    await watcher.until('and more\n');
    watcher.type('q\n');
    expect((await watcher.ended).code).toBe(0);
  });

  test('acknowledges a queued message, and reports that it still waits after a cancellation', async () => {
    const watcher = machine.start(['watch', ids[0] ?? '']);
    await watcher.until('idle; nothing waits');
    watcher.type('say hang\n');
    await watcher.until('you: hang');
    watcher.type('say say later\n');
    await watcher.until('queued: say later\n');
    watcher.type('c\n');
    await watcher.until('1 queued message; the next "say <text>" restarts the queue\n');
    expect((await machine.run(['sessions', 'show', ids[0] ?? ''])).out).toMatch(/^waits {5}1 message$/m);
    watcher.type('say say at last; wait 1\n');
    await watcher.until('at last\n');
    expect(watcher.out).toMatch(/later\n[^]*at last\n/);
    watcher.type('q\n');
    expect((await watcher.ended).code).toBe(0);
    expect((await machine.run(['sessions', 'show', ids[0] ?? ''])).out).not.toContain('waits');
  });

  test('prints events with --json, one object a line', async () => {
    const watcher = machine.start(['watch', ids[0] ?? '', '--json', '--turns', '1']);
    await watcher.until('"ended"');
    watcher.kill('SIGINT');
    const { code, out } = await watcher.ended;
    expect(code).toBe(130);
    expect(jsonLines(out).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['session', 'turn', 'ended']),
    );
  });

  test('ends with 1 when the session is removed', async () => {
    const [, id = ''] = ids;
    const watcher = machine.start(['watch', id]);
    await watcher.until('idle; nothing waits');
    await machine.run(['sessions', 'rm', id]);
    const { code, err } = await watcher.ended;
    expect(code).toBe(1);
    expect(err).toContain('agenthost: the session was removed');
  });
});

describe('agenthost agents', () => {
  test('lists available agents, and why others are not, with and without a host', async () => {
    const other = new Machine();
    try {
      for (const where of [machine, other]) {
        const { code, out } = await where.run(['agents']);
        expect(code).toBe(0);
        expect(out).toMatch(/^✓ demo .*\(default\)$/m);
        expect(out).toMatch(
          /^✗ gemini .*no command gemini on the PATH of the host\n +install: agenthost agents install gemini$/m,
        );
      }
      const { out } = await machine.run(['agents', '--json']);
      expect(jsonLines(out)).toContainEqual(
        expect.objectContaining({ id: 'demo', available: true, models: ['demo', 'demo-fast'] }),
      );
    } finally {
      await other.dispose();
    }
  });

  test('asks the host alone with --url', async () => {
    const [host] = machine.hosts();
    const { out } = await machine.run(['agents', '--json', '--url', host?.url ?? '']);
    expect(jsonLines(out).map(({ id }) => id)).toEqual(['demo']);
    const shown = await machine.run(['agents', '--url', host?.url ?? '']);
    expect(shown.out).toMatch(/^✓ demo .*\S  \(default\)\n +models: demo, demo-fast\n$/);
  });
});

test('agenthost --version prints the version', async () => {
  expect(await machine.run(['--version'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});
