import { spawn } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { hasExited } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { quickly, seen, shows } from '../terminals/stage.ts';
import { begin, clientOf, hostOn, logOf, temporaryFolder } from './stage.ts';

const ROUNDS = 20;
const RACER_ARGUMENTS = ['-C', '@agenthost/source', '--input-type=module', '-e'];

/** Opens a journal at the time in each line, prints the result, and keeps the journal open until the next line. */
const racer = `
import { SqliteJournal } from ${JSON.stringify(new URL('../../packages/host/src/journal/sqlite/sqlite-journal.ts', import.meta.url).href)};
import { createInterface } from 'node:readline';
const [folder] = process.argv.slice(1);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
process.stdout.write('ready\\n');
for (let line = await lines.next(), round = 0; !line.done; line = await lines.next(), round += 1) {
  while (Date.now() < Number(line.value));
  const journal = new SqliteJournal({ folder: folder + '/' + round });
  process.stdout.write((await journal.open().then(() => 'opened', ({ code }) => code)) + '\\n');
  await lines.next();
  await journal.close();
}
`;

describe('two hosts on one data folder', () => {
  test(`exactly one of two simultaneous starts succeeds, ${ROUNDS} times out of ${ROUNDS}`, async () => {
    const folder = await temporaryFolder();
    const racers = [0, 1].map(() => {
      const child = spawn(process.execPath, [...RACER_ARGUMENTS, racer, folder], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
    });
    const tell = (line: string): void => racers.forEach(({ child }) => void child.stdin.write(`${line}\n`));
    const hear = (): Promise<string[]> =>
      Promise.all(racers.map(async ({ lines }) => String((await lines.next()).value)));
    expect(await hear()).toEqual(['ready', 'ready']);
    const rounds: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      tell(`${Date.now() + 20}`);
      rounds.push((await hear()).toSorted().join(' and '));
      tell('close');
    }
    for (const { child } of racers) child.stdin.end();
    expect(rounds).toEqual(Array.from({ length: ROUNDS }, () => 'locked and opened'));
  }, 60_000);

  test('the slower host is refused until the faster one is killed, and then starts', async () => {
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
  test('belongs to another host: its start ends nothing of the first host, and both go on', async () => {
    const folder = await temporaryFolder();
    const dataDir = join(folder, 'data');
    const host = hostOn(dataDir, folder);
    const { client, session } = await begin(host, folder);
    await session.prompt(quickly('say before')).result;
    const terminal = await client.createTerminal({ command: ['/bin/cat'] });
    await terminal.input('first\n');
    await shows(terminal, /first\s+first/);
    const copyDir = join(folder, 'copy');
    // A copy as a user makes it; sockets cannot be copied.
    await cp(dataDir, copyDir, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    const copy = hostOn(copyDir, folder);
    await copy.start();
    const visitor = await clientOf(copy, 'visitor');
    const copied = await visitor.sessions.open(session.uri);
    expect(copied.chat.mirror.confirmed.turns).toHaveLength(1);
    const ended = await visitor.terminal(terminal.uri);
    await seen(ended.mirror, (state) => hasExited(state) || undefined);
    await terminal.input('second\n');
    await shows(terminal, /second\s+second/);
    expect(hasExited(terminal.mirror.confirmed)).toBe(false);
    await copied.prompt(quickly('say in the copy')).result;
    await session.prompt(quickly('say in the first')).result;
    expect(session.chat.mirror.confirmed.turns).toHaveLength(2);
    expect((await logOf(copyDir)).filter(({ level }) => level === 'error')).toEqual([]);
  }, 60_000);
});
