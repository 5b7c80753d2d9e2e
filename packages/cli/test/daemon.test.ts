import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { askingTurn } from './asking-turn.ts';
import { jsonLines, Machine } from './cli-process.ts';

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.dispose());

const serveLog = (): string => readFileSync(join(machine.dataFolder, 'serve.log'), 'utf8');

async function untilLogged(text: string): Promise<void> {
  while (!serveLog().includes(text)) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('start, status, restart and stop', () => {
  test('a standby that waits is started, shown and stopped', async () => {
    const args = [
      'start',
      '--standby',
      '--journal',
      'postgres://nobody@127.0.0.1:1/none',
      '--port',
      '0',
      '--json',
    ];
    const { code, out } = await machine.run(args);
    expect(code).toBe(0);
    const [started] = jsonLines(out);
    expect(started).toMatchObject({
      isNew: true,
      waiting: expect.stringMatching(/^no answer from PostgreSQL at 127.0.0.1:1 /),
    });
    const { waiting } = started ?? {};
    const pid = Number(started?.['pid']);
    const status = await machine.run(['status', '--json', '--no-update-check']);
    expect(status.code).toBe(0);
    const facts = { version: expect.any(String), pid, dataDir: machine.dataFolder };
    expect(jsonLines(status.out)).toEqual([
      { ...facts, state: 'waiting', cell: 'main', problem: waiting, waitingSince: expect.any(String) },
    ]);
    expect(jsonLines((await machine.run(args)).out)).toMatchObject([{ pid, isNew: false }]);
    const doctor = jsonLines((await machine.run(['doctor', '--json'])).out);
    const details = doctor.map(({ detail }) => String(detail));
    expect(details).toContainEqual(
      expect.stringMatching(
        new RegExp(`^a standby \\(pid ${pid}, .*\\) waits for cell main: no answer from`),
      ),
    );
    expect(details).toContain(
      'not checked: the sessions are in PostgreSQL at 127.0.0.1:1/none, in cell main',
    );
    const stop = await machine.run(['stop']);
    expect(stop).toMatchObject({ code: 0, err: `stopped the standby of cell main (pid ${pid})\n` });
    expect(machine.hosts()).toEqual([]);
  }, 120_000);

  test('run a host in the background, and a restart loses no turn and keeps address and options', async () => {
    const none = await machine.run(['status']);
    expect(none.code).toBe(4);
    expect(none.err).toContain('no host is running: start one with `agenthost start`');
    expect((await machine.run(['stop'])).code).toBe(4);

    const args = ['--port', '0', '--root', '.', '--json'];
    const [first] = jsonLines((await machine.run(['start', ...args])).out);
    expect(first).toMatchObject({ isNew: true, dataDir: machine.dataFolder });
    const again = await machine.run(['serve', '--detach', ...args]);
    expect(again.code).toBe(0);
    expect(jsonLines(again.out)).toEqual([{ ...first, isNew: false }]);

    const known = { checkedAt: Date.now(), latest: '9.9.9' };
    writeFileSync(join(machine.hostsFolder, '../update-check.json'), JSON.stringify(known));
    const { approveAndEnd, client, session } = await askingTurn(machine);
    const json = await machine.run(['status', '--json', '--no-update-check']);
    expect(json.code).toBe(0);
    expect(jsonLines(json.out)).toEqual([
      {
        version: expect.any(String),
        url: first?.['url'],
        pid: first?.['pid'],
        startedAt: expect.any(String),
        uptimeSeconds: expect.any(Number),
        dataDir: machine.dataFolder,
        sessionCount: 1,
        running: [],
        waiting: [{ resource: session.uri, title: 'ask', provider: 'demo' }],
        terminalCount: 0,
      },
    ]);
    const shown = await machine.run(['status']);
    expect(shown.out).toMatch(/^ {2}sessions +1: 0 run, 1 waits for you$/m);
    expect(shown.err).toMatch(/^version 9\.9\.9 is available; this program is version \d/m);
    expect(json.out + shown.out).not.toContain(machine.hosts()[0]?.token);

    const restarting = machine.start(['restart', '--drain', '600', '--json']);
    await untilLogged('waiting up to 600 s for 1 running turn; new turns do not start');
    await expect(session.chat.prompt('say hi').result).rejects.toMatchObject({ code: 'draining' });
    expect(await approveAndEnd()).toBe('complete');
    client.close();
    const { code, out } = await restarting.ended;
    expect(code).toBe(0);
    const [next] = jsonLines(out);
    expect(next).toMatchObject({ isNew: true, url: first?.['url'], dataDir: machine.dataFolder });
    expect(next?.['pid']).not.toBe(first?.['pid']);
    const [file = ''] = readdirSync(machine.hostsFolder);
    const record = JSON.parse(readFileSync(join(machine.hostsFolder, file), 'utf8'));
    expect(record.args.join(' ')).toMatch(
      new RegExp(`^--port \\d+ --host 127.0.0.1 --data ${machine.dataFolder} --root ${machine.home}$`),
    );

    const stopped = await machine.run(['stop']);
    expect(stopped).toMatchObject({ code: 0, err: expect.stringContaining('stopped the host on http') });
    // Init may take its time to collect an ended process.
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(next?.['pid'])], { encoding: 'utf8' });
    expect(stdout).toMatch(/^(?:Z.*\n)?$/);
    expect(readdirSync(machine.hostsFolder)).toEqual([]);
  }, 120_000);

  test('two restarts at once leave one host, and both say which', async () => {
    await machine.run(['start', '--port', '0']);
    const [before] = machine.hosts();
    const { approveAndEnd, client } = await askingTurn(machine);
    const restarts = [
      machine.start(['restart', '--drain', '600']),
      machine.start(['restart', '--drain', '600']),
    ];
    await untilLogged('waiting up to 600 s for 1 running turn');
    expect(await approveAndEnd()).toBe('complete');
    client.close();
    const ended = await Promise.all(restarts.map((restart) => restart.ended));
    const [host, ...others] = machine.hosts();
    expect(others).toEqual([]);
    expect(host).toMatchObject({ url: before?.url, dataDir: before?.dataDir });
    expect(host?.pid).not.toBe(before?.pid);
    for (const { code, err } of ended) {
      expect(code).toBe(0);
      expect(err).toContain(`host on ${host?.url} (pid ${host?.pid})`);
      expect(err).not.toContain('cannot ask the host');
    }
  }, 300_000);

  test('tell that the database was damaged, for as long as the damaged file is kept', async () => {
    mkdirSync(machine.dataFolder, { recursive: true, mode: 0o700 });
    writeFileSync(join(machine.dataFolder, 'journal.db'), 'garbage'.repeat(100));
    const started = await machine.run(['start', '--port', '0']);
    const told = /^the database was damaged \(file is not a database\).* restore a backup .*; delete .*$/m;
    expect(started).toMatchObject({ code: 0, err: expect.stringMatching(told) });
    const [file = ''] = readdirSync(machine.dataFolder).filter((name) => name.includes('.damaged-'));
    const status = await machine.run(['status', '--no-update-check']);
    expect(status.out).toContain(`${file}\n             restore a backup`);
    const doctor = await machine.run(['doctor', '--json']);
    expect(jsonLines(doctor.out)).toContainEqual(
      expect.objectContaining({ state: 'warning', detail: expect.stringContaining(file) }),
    );
  }, 120_000);

  test('choose one of several hosts by its data folder or its address', async () => {
    const { line: one } = await machine.serve();
    const other = join(machine.home, 'other');
    await machine.serve('--data', other);
    const { code, err } = await machine.run(['stop']);
    expect(code).toBe(2);
    expect(err).toContain(`2 hosts are running; choose one with --data or --url:\n`);
    expect(err).toContain(`  --data ${other}  (http`);
    expect(jsonLines((await machine.run(['status', '--json', '--no-update-check'])).out)).toHaveLength(2);
    expect((await machine.run(['stop', '--url', one.url])).code).toBe(0);
    expect((await machine.run(['stop', '--data', 'other', '--drain', '5'])).code).toBe(0);
    expect((await machine.run(['status', '--data', other])).code).toBe(4);
  });

  test('restart keeps a token of the environment, and start tells why a host does not start', async () => {
    const AGENTHOST_TOKEN = 'a-token-that-is-long-enough-to-be-one';
    await machine.run(['start', '--port', '0'], { AGENTHOST_TOKEN });
    expect((await machine.run(['restart'])).code).toBe(0);
    expect(machine.hosts().map(({ token }) => token)).toEqual([AGENTHOST_TOKEN]);
    expect(existsSync(join(machine.dataFolder, 'owner-token'))).toBe(false);
    const { port } = new URL(machine.hosts()[0]?.url ?? '');
    const failed = await machine.run(['start', '--port', port, '--data', 'second']);
    expect(failed.code).toBe(4);
    expect(failed.err).toMatch(/the host could not start: .*in use/);
  });

  test.runIf(existsSync('/proc/self'))('start ends at once where no folder can be created', async () => {
    const { code, err } = await machine.run(['start', '--port', '0', '--data', '/proc/none/below']);
    expect(code).toBe(1);
    expect(err).toContain('the data folder /proc/none/below cannot be created (ENOENT');
  });
});

describe('serve --drain', () => {
  test('waits at SIGTERM for turns that run, and says so', async () => {
    const { host } = await machine.serve('--drain', '600');
    const { approveAndEnd, client } = await askingTurn(machine);
    host.kill('SIGTERM');
    await host.until('waiting up to 600 s for 1 running turn; new turns do not start');
    // The terminal closes, and somebody else stops the host too: neither ends the turn.
    host.kill('SIGHUP');
    const other = machine.start(['stop']);
    await other.until('is already stopping');
    expect(await approveAndEnd()).toBe('complete');
    client.close();
    expect((await host.ended).code).toBe(0);
    expect((await other.ended).code).toBe(0);
    expect(readdirSync(machine.hostsFolder)).toEqual([]);
  });

  test('ends at once at a second signal', async () => {
    const { host } = await machine.serve('--drain', '600');
    const { client } = await askingTurn(machine);
    host.kill('SIGTERM');
    await host.until('waiting up to 600 s');
    host.kill('SIGTERM');
    expect((await host.ended).code).toBe(1);
    client.close();
  });
});
