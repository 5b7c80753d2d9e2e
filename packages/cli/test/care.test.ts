import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const machine = new Machine();
afterAll(() => machine.dispose());

const at = (name: string): string => join(machine.home, name);

/** The state of each check of `doctor --json`. */
const states = (out: string): Record<string, unknown> =>
  Object.fromEntries(jsonLines(out).map(({ check, state }) => [String(check), state]));

describe('backup, restore and doctor', () => {
  test('a backup of a running host and one of a stopped host are restored; doctor checks the host and the folder', async () => {
    const { host, line } = await machine.serve();
    const [asked] = jsonLines((await machine.run(['run', '--json', 'hello'])).out);
    const continued = await machine.run(['run', '--continue', '--json', 'again']);
    expect(jsonLines(continued.out)[0]?.['session'], 'the newest session of this folder').toBe(
      asked?.['session'],
    );
    expect(await machine.run(['run', '--continue', '--cwd', '/', 'again'])).toMatchObject({
      code: 1,
      err: 'agenthost: no session of / to continue: remove --continue to start one\n',
    });
    const id = String(asked?.['session']).slice('ahp-session:/'.length);
    const turns = await machine.run(['sessions', 'turns', id.slice(0, 8)]);
    expect(turns.out).toMatch(/^[\w-]+ +complete .* hello\n[\w-]+ +complete .* again\n$/);
    const words = await machine.run(['completion', 'words', '--', 'sessions', 'show', '']);
    expect(words.out).toMatch(new RegExp(`^${id.slice(0, 8)}\t`));

    const written = await machine.run(['backup', 'live.tar.gz']);
    expect(written).toMatchObject({
      code: 0,
      out: expect.stringMatching(/live\.tar\.gz {2}[\d.]+ KiB {2}\(the database: /),
    });
    expect(statSync(at('live.tar.gz')).mode & 0o777).toBe(0o600);
    expect(await machine.run(['backup', 'live.tar.gz'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('the file exists; add --force to replace it'),
    });
    expect((await machine.run(['backup', '--force', 'live.tar.gz'])).code).toBe(0);
    const healthy = await machine.run(['doctor', '--json']);
    expect(states(healthy.out)).toMatchObject({
      node: 'ok',
      folder: 'ok',
      host: 'ok',
      database: 'ok',
      clock: 'ok',
      agents: 'ok',
    });
    expect(healthy.code).toBe(0);
    expect(await machine.run(['backup', 'restore', 'live.tar.gz'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('stop the host first'),
    });
    host.kill('SIGTERM');
    await host.ended;

    expect((await machine.run(['backup', 'stopped.tar.gz', '--json'])).code).toBe(0);
    const raiseVersion = (by: number): void => {
      const database = new DatabaseSync(join(machine.dataFolder, 'journal.db'));
      const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
      database.exec(`PRAGMA user_version = ${version + by}`);
      database.close();
    };
    raiseVersion(1);
    const refused = await machine.run(['serve', '--port', '0']);
    expect(refused.code, 'an older agenthost refuses the data of a newer one').toBe(1);
    expect(refused.err).toMatch(
      /^agenthost: \S+journal\.db has version \d+, and this host knows versions up to \d+: install a newer agenthost, restore a backup .*\n$/,
    );
    raiseVersion(-1);
    const { port } = new URL(line.url);
    expect(states((await machine.run(['doctor', '--json', '--port', port])).out)).toMatchObject({
      port: 'ok',
      database: 'ok',
    });
    const damaged = readFileSync(join(machine.dataFolder, 'journal.db')).fill(7, 4_096, 40_960);
    writeFileSync(join(machine.dataFolder, 'journal.db'), damaged);
    const ill = await machine.run(['doctor']);
    expect(ill).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^fault {4}database {2}damaged: .*\n +restore a backup/m),
    });

    const restored = await machine.run(['backup', 'restore', 'stopped.tar.gz', '--json']);
    const [facts] = jsonLines(restored.out);
    expect(existsSync(join(String(facts?.['setAside']), 'journal.db'))).toBe(true);
    await machine.serve();
    expect((await machine.run(['sessions'])).out).toContain(id.slice(0, 8));
  });

  test('mistakes are told in one line', async () => {
    const missing = await machine.run(['backup', 'restore', 'none.tar.gz', '--data', at('other')]);
    expect(missing).toMatchObject({ code: 2, err: `agenthost: ${at('none.tar.gz')} does not exist\n` });
    const empty = await machine.run(['backup', 'x.tar.gz', '--data', at('other')]);
    expect(empty).toMatchObject({ code: 1, err: `agenthost: ${at('other')} does not exist\n` });
  });
});
