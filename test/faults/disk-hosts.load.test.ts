import { spawn } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { quickly, seen, shows } from '../terminals/stage.ts';
import { begin, clientOf, hostOn, logOf, temporaryFolder } from './stage.ts';

const ROUNDS = 20;
const ROUND_MS = 350;

/** Opens a journal in each round at the same moment as its twin, and says how that went; who gets it holds it for a while. */
const racer = `
import { SqliteJournal } from ${JSON.stringify(new URL('../../packages/host/src/journal/sqlite-journal.ts', import.meta.url).href)};
import { once } from 'node:events';
const [folder] = process.argv.slice(1);
process.stdout.write('ready\\n');
const begin = Number(String((await once(process.stdin, 'data'))[0]));
process.stdin.destroy();
const until = (time) => new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now())));
for (let round = 0; round < ${ROUNDS}; round++) {
  const at = begin + round * ${ROUND_MS};
  await until(at - 5);
  while (Date.now() < at);
  const journal = new SqliteJournal({ folder: folder + '/' + round });
  const outcome = await journal.open().then(() => 'opened', ({ code }) => code);
  process.stdout.write(outcome + '\\n');
  await until(at + ${ROUND_MS} * 0.9);
  await journal.close();
}
`;

describe('two hosts on one data folder', () => {
  test(`of two that start at the same moment one gets it, ${ROUNDS} times out of ${ROUNDS}`, async () => {
    const folder = await temporaryFolder();
    const ready = { count: 0, ...Promise.withResolvers<void>() };
    const racers = [0, 1].map(() =>
      spawn(process.execPath, ['-C', '@agenthost/source', '--input-type=module', '-e', racer, folder], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    const outcomes = racers.map(async (child) => {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      await lines.next();
      ready.count += 1;
      if (ready.count === racers.length) ready.resolve();
      const said: string[] = [];
      for (let line = await lines.next(); line.done !== true; line = await lines.next())
        said.push(line.value);
      return said;
    });
    await ready.promise;
    const begin = Date.now() + 100;
    for (const child of racers) child.stdin.end(`${begin}`);
    const [mine = [], other = []] = await Promise.all(outcomes);
    const rounds = mine.map((outcome, round) => [outcome, other[round]].toSorted().join(' and '));
    expect(rounds).toEqual(Array.from({ length: ROUNDS }, () => 'locked and opened'));
  }, 60_000);

  test('a second one is refused, whoever it is, until the first was killed; then nothing is in its way', async () => {
    const folder = await temporaryFolder();
    const dataDir = join(folder, 'data');
    const first = hostOn(dataDir, folder);
    const second = hostOn(dataDir, folder);
    const starts = await Promise.allSettled([first.start(), second.start()]);
    const reasons = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []));
    expect(reasons).toEqual([expect.stringMatching(/in use by (?:another|the) host/)]);
    const [winner, loser] = starts[0].status === 'fulfilled' ? [first, second] : [second, first];
    await winner.kill();
    await loser.start();
    expect((await fetch(new URL('/readyz', loser.address.url))).status).toBe(200);
  }, 60_000);
});

describe('a copied data folder', () => {
  test('is another host’s: its start ends nothing that belongs to the first, and both go on', async () => {
    const folder = await temporaryFolder();
    const dataDir = join(folder, 'data');
    const host = hostOn(dataDir, folder);
    const { client, session } = await begin(host, folder);
    await session.prompt(quickly('say before')).result;
    const terminal = await client.createTerminal({ command: ['/bin/cat'] });
    await terminal.input('first\n');
    await shows(terminal, /first\s+first/);
    const copyDir = join(folder, 'copy');
    // As somebody would who wants a look at it: sockets cannot be copied.
    await cp(dataDir, copyDir, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    const copy = hostOn(copyDir, folder);
    await copy.start();
    const visitor = await clientOf(copy, 'visitor');
    const copied = await visitor.sessions.open(session.uri);
    expect(copied.chat.mirror.confirmed.turns).toHaveLength(1);
    const ended = await visitor.terminal(terminal.uri);
    await seen(ended.mirror, ({ exitCode }) => exitCode);
    await terminal.input('second\n');
    await shows(terminal, /second\s+second/);
    expect(terminal.mirror.confirmed.exitCode).toBeUndefined();
    await copied.prompt(quickly('say in the copy')).result;
    await session.prompt(quickly('say in the first')).result;
    expect(session.chat.mirror.confirmed.turns).toHaveLength(2);
    expect((await logOf(copyDir)).filter(({ level }) => level === 'error')).toEqual([]);
  }, 60_000);
});
