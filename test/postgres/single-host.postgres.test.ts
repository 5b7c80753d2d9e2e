import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@agenthost/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  findPrograms,
  TestServer,
} from '../../packages/host/src/journal/postgres/postgres-server-fixture.ts';
import { ProgramProcess } from './program-process.ts';

const programs = findPrograms();
const token = 'a-token-of-32-characters-or-more-0123456789';

describe.skipIf(programs === undefined)('the program with a host in PostgreSQL', () => {
  let server: TestServer;
  beforeAll(async () => {
    if (programs !== undefined) server = await TestServer.start(programs);
  }, 120_000);
  afterAll(() => server?.stop());

  test('terminals do not get the password, backups are refused with advice, and no other host uses its folder', async () => {
    const home = mkdtempSync(join(tmpdir(), 'agenthost-single-'));
    const started: ProgramProcess[] = [];
    onTestFinished(async () => {
      for (const program of started) await program.end('SIGKILL');
      rmSync(home, { recursive: true, force: true });
    });
    let url = '';
    const run = (...args: string[]): ProgramProcess => {
      const env = { PGPASSWORD: 'secret', AGENTHOST_TOKEN: token, AGENTHOST_JOURNAL: url };
      const program = new ProgramProcess(home, args, env);
      started.push(program);
      return program;
    };
    const data = ['--data', join(home, 'data')];
    const serve = ['serve', '--json', '--port', '0', '--root', home, ...data, '--no-keeper'];
    const host = run(...serve, '--journal', server.url);
    const { wsUrl } = await host.ready;
    const client = await connect(wsUrl, { token });
    const terminal = await client.createTerminal({ command: ['sh', '-c', 'echo "[$PGPASSWORD]"'] });
    await terminal.exited;
    await expect.poll(() => JSON.stringify(terminal.state), { timeout: 60_000 }).toContain('[]');
    expect(JSON.stringify(terminal.state)).not.toContain('secret');
    client.close();

    const file = join(home, 'backup.tar.gz');
    const advice = /sessions are in PostgreSQL: back up that database with pg_dump/;
    const refused = await run('backup', file, ...data).ended();
    expect(refused.output).toMatch(advice);
    expect(refused.code).not.toBe(0);
    const diagnosis = async (): Promise<string | undefined> =>
      /^\w+ +database .*$/m.exec((await run('doctor', ...data).ended()).output)?.[0];
    const sound =
      /^ok +database +PostgreSQL \S+ answers, its tables have version \d+, and the host holds cell main$/;
    expect(await diagnosis()).toMatch(sound);
    await server.kill();
    expect(await diagnosis()).toMatch(/^fault +database +The database of the host does not answer/);
    await server.start();
    const second = await run(...serve).ended();
    expect(second.output).toContain('in use by');
    expect(second.code).not.toBe(0);

    await host.end();
    expect((await run('backup', file, ...data).ended()).output).toMatch(
      /keeps its sessions in PostgreSQL: back up/,
    );
    expect(await diagnosis()).toMatch(/^warning +database +not checked: .* in PostgreSQL, in cell main$/);
    url = server.url;
    expect(await diagnosis()).toMatch(
      /^ok +database +PostgreSQL \S+ answers, .* and no host holds cell main$/,
    );
    await server.kill();
    expect(await diagnosis()).toMatch(/^fault +database +no answer from PostgreSQL at /);
  }, 240_000);
});
