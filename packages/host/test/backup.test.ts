import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ControlledNetwork, turnStarted } from '@agenthost/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { backUpFolder } from '../src/journal/sqlite/backup/back-up-folder.ts';
import { checkDataFolder } from '../src/journal/sqlite/backup/check-folder.ts';
import { type Rename, undoInterrupted } from '../src/journal/sqlite/backup/exchange.ts';
import { restoreBackup } from '../src/journal/sqlite/backup/restore-backup.ts';
import { holdRestoreLock, removeLeftStaging } from '../src/journal/sqlite/backup/staging.ts';
import { SqliteJournal } from '../src/journal/sqlite/sqlite-journal.ts';
import { createHost, type Host } from '../src/main/create-host.ts';
import { ROOT, SESSION, startHost } from './host-fixture.ts';
import { PuppetAgent } from './puppet-agent.ts';
import { RawClient } from './raw-client.ts';

let root: string;
let dataDir: string;
let file: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agenthost-backup-'));
  dataDir = join(root, 'data');
  file = join(root, 'b.tar.gz');
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

const signal = new AbortController().signal;
const request = () => ({ dataDir, file, force: false, version: '1.2.3', now: Date.now(), signal });

/** A host on real time and a real database. */
async function start(folder: string) {
  const network = new ControlledNetwork();
  const agent = new PuppetAgent();
  const host: Host = createHost({
    dataDir: folder,
    agents: [() => agent],
    roots: [root],
    defaultDirectory: root,
    terminals: { keeper: false },
    portScanner: false,
    projectMcpServers: false,
  });
  await host.start();
  onTestFinished(() => host.stop());
  const pump = async (until: () => boolean): Promise<void> => {
    while (!until()) {
      for (const link of network.links) link.deliverAll();
      await nextTurn();
    }
  };
  const connect = (id: string): RawClient => {
    network.accept = (transport) => host.accept(transport, { tokenHash: 'owner', scope: 'admin' });
    return new RawClient(network.connect(), id, pump);
  };
  return { host, agent, connect };
}

/** A data folder with a session and other files, no host. */
async function fill(): Promise<void> {
  const journal = new SqliteJournal({ folder: dataDir });
  await journal.open();
  await journal.reserveSeq(500);
  await journal.commit([{ op: 'envelope', seq: 20, channel: 'ahp-chat:/c', time: 1, json: '{}' }]);
  await journal.close();
  writeFileSync(join(dataDir, 'owner-token'), 'secret', { mode: 0o600 });
  writeFileSync(join(dataDir, 'agenthost.log'), 'a log');
  for (const folder of ['trees/1/objects/pack', 'keepers', 'shells'])
    mkdirSync(join(dataDir, folder), { recursive: true });
  writeFileSync(join(dataDir, 'trees/1/objects/pack/x.pack'), 'pack');
  writeFileSync(join(dataDir, 'trees/1/index.lock'), '');
}

const namesIn = (path: string): string[] =>
  execFileSync('tar', ['-tzf', path], { encoding: 'utf8' }).trim().split('\n').toSorted();

/** A compressed tar of these files, by the system's tar. */
function pack(folder: string, ...args: string[]): void {
  execFileSync('tar', ['-czf', file, '-C', folder, ...args]);
}

describe('a backup of a host under load', () => {
  test('[CONN-4] [CONN-5] is consistent; restored, it reuses no number, and a client that was ahead gets snapshots', async () => {
    const filled = new SqliteJournal({ folder: dataDir });
    await filled.open();
    for (let batch = 0; batch < 8; batch += 1)
      await filled.commit(
        Array.from({ length: 100 }, (_, index) => ({
          op: 'content' as const,
          id: `${batch}-${index}`,
          session: 's',
          contentType: 'a/b',
          data: new Uint8Array(10_000).fill(index),
        })),
      );
    await filled.close();
    const { host, agent, connect } = await start(dataDir);
    const client = connect('ahead');
    await client.initialize();
    await client.request('createSession', { channel: SESSION });
    const { state } = await client.subscribe(SESSION);
    const chat = 'defaultChat' in state ? (state.defaultChat ?? '') : '';
    await client.subscribe(chat);
    await client.act(chat, turnStarted('t1'));
    const highest = (): number => Math.max(...client.envelopes().map(({ serverSeq }) => serverSeq));
    const streaming = new AbortController();
    const stream = (async () => {
      for (let count = 0; !streaming.signal.aborted; count += 1) {
        if (agent.turns.length > 0) void agent.turn.output.markdown(`word ${count} `);
        await nextTurn();
      }
    })();
    const before = highest();
    const written = await client.request('x-backup', { channel: ROOT, file });
    const during = highest();
    expect(during, 'the turn streamed meanwhile').toBeGreaterThan(before + 20);
    await expect(client.request('x-backup', { channel: ROOT, file })).rejects.toThrow(/exists; add --force/);
    expect(await client.request('x-checkHost', { channel: ROOT })).toMatchObject({
      dataDir,
      pid: process.pid,
      database: { bytes: expect.any(Number) },
    });
    streaming.abort();
    await stream;
    await client.ping();
    const ahead = highest();
    expect(statSync(file)).toMatchObject({ size: written.bytes });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('backup-'))).toEqual([]);
    client.link.cut();
    await host.stop();

    const other = join(root, 'other');
    await restoreBackup({ file, dataDir: other, now: Date.now() });
    const copy = new DatabaseSync(join(other, 'journal.db'));
    const last = Number(copy.prepare('SELECT MAX(seq) AS seq FROM envelopes').get()?.['seq']);
    copy.close();
    expect(last).toBeGreaterThanOrEqual(before);
    expect(last).toBeLessThan(ahead);
    const restored = await start(other);
    const back = restored.connect('ahead');
    const result = await back.reconnect(ahead, [SESSION, chat]);
    if (result.type !== 'snapshot') throw new Error('expected snapshots');
    expect(result.snapshots.map(({ resource }) => resource)).toEqual([SESSION, chat]);
    const renamed = await back.act(SESSION, { type: 'session/titleChanged', title: 'after' });
    expect(renamed?.serverSeq).toBeGreaterThan(Number(readFileSync(join(dataDir, 'seq'), 'utf8')));
    await restored.host.stop();
    await expect(backUpFolder({ ...request(), dataDir: other, file: join(other, 'x') })).rejects.toThrow(
      /outside/,
    );
  });
});

describe('a backup of a folder without a host', () => {
  test('has the data and secrets, and no logs and files of processes', async () => {
    await fill();
    await backUpFolder(request());
    expect(namesIn(file)).toEqual([
      'backup.json',
      'journal.db',
      'owner-token',
      'sent',
      'seq',
      'trees/',
      'trees/1/',
      'trees/1/objects/',
      'trees/1/objects/pack/',
      'trees/1/objects/pack/x.pack',
    ]);
    await expect(backUpFolder(request())).rejects.toMatchObject({ code: 'target' });
    await backUpFolder({ ...request(), force: true });
    expect(readdirSync(root).toSorted()).toEqual(['b.tar.gz', 'data']);
  });

  test('leaves room for the host, and has files as they were when a program writes into them meanwhile', async () => {
    await fill();
    const MiB = 1024 * 1024;
    const free = (bytes: number) => ({ ...request(), freeBytes: () => Promise.resolve(bytes) });
    await expect(backUpFolder(free(100 * MiB))).rejects.toMatchObject({
      code: 'full',
      message: expect.stringMatching(/ has 100 MiB free, and needs \d+ MiB and 100 MiB for the host: free/),
    });
    // The copy of the database fits, and then the archive does not.
    let asked = 0;
    const fits = async (): Promise<number> => (++asked === 1 ? 200 : 100) * MiB;
    await expect(backUpFolder({ ...request(), freeBytes: fits })).rejects.toMatchObject({ code: 'full' });
    expect([
      asked,
      readdirSync(root),
      readdirSync(dataDir).filter((name) => name.startsWith('backup')),
    ]).toEqual([2, ['data'], []]);
    const exclude = join(dataDir, 'trees/1/exclude');
    writeFileSync(exclude, 'before');
    const rewrite = async (): Promise<number> => {
      asked += 1;
      // All files are collected at the second call.
      if (asked === 4) writeFileSync(exclude, 'a longer text than before');
      return 300 * MiB;
    };
    await backUpFolder({ ...request(), freeBytes: rewrite });
    execFileSync('tar', ['-xzf', file, '-C', root, 'trees/1/exclude']);
    expect(readFileSync(join(root, 'trees/1/exclude'), 'utf8')).toBe('before');
  });

  test('is refused while a host has the folder, without data, and when it is stopped; nothing is left', async () => {
    await expect(backUpFolder(request())).rejects.toMatchObject({ code: 'noData' });
    await fill();
    const journal = new SqliteJournal({ folder: dataDir });
    await journal.open();
    await expect(backUpFolder(request())).rejects.toMatchObject({ code: 'inUse' });
    const copying = journal.copyTo(join(root, 'copy.db'), signal);
    await expect(journal.copyTo(join(root, 'second.db'), signal)).rejects.toThrow(/copied already/);
    const [copied] = await Promise.allSettled([copying, journal.close()]);
    expect(copied, 'the end of the journal ends the copy').toMatchObject({ reason: { code: 'closed' } });
    rmSync(join(root, 'copy.db'));
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(backUpFolder({ ...request(), signal: stopped })).rejects.toThrow('stopped');
    expect(readdirSync(root)).toEqual(['data']);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('backup-'))).toEqual([]);
  });
});

test('a check tells why the host refuses changes, without a copy of the database', async () => {
  const host = await startHost();
  const client = await host.client();
  const check = () => client.request('x-checkHost', { channel: ROOT, skipDatabase: true });
  expect(await check()).not.toHaveProperty('refusesChanges');
  host.journal.failNextCommits(9);
  await expect(client.request('createSession', { channel: SESSION })).rejects.toThrow(/no room on its disk/);
  expect(await check()).toMatchObject({ refusesChanges: 'there is no room on its disk' });
});

test('the next start deletes the unfinished archive of a killed process', async () => {
  await fill();
  const left = join(root, 'left');
  // At the second call all files are collected, and the archive does not exist yet.
  let asked = 0;
  const freeBytes = async (): Promise<number> => {
    const staging = readdirSync(dataDir).find((name) => name.startsWith('backup-')) ?? '';
    if (++asked === 2) cpSync(join(dataDir, staging), left, { recursive: true });
    return Number.MAX_SAFE_INTEGER;
  };
  await backUpFolder({ ...request(), freeBytes });
  expect(namesIn(file)).not.toContain('unfinished');
  const archive = readFileSync(join(left, 'unfinished'), 'utf8');
  expect(relative(root, archive)).toMatch(/^\.b\.tar\.gz\.[0-9a-f]{8}$/);
  writeFileSync(archive, 'half of a backup');
  renameSync(left, join(dataDir, 'backup-abcdef'));
  await removeLeftStaging(dataDir);
  expect(readdirSync(root).toSorted()).toEqual(['b.tar.gz', 'data']);
});

describe('a restore', () => {
  test('sets the present data aside, and keeps the higher numbers', async () => {
    await fill();
    await backUpFolder(request());
    const before = readFileSync(join(dataDir, 'journal.db'));
    writeFileSync(join(dataDir, 'owner-token'), 'newer');
    const high = Date.now() + 1_000_000;
    writeFileSync(join(dataDir, 'seq'), `${high}\n`);
    writeFileSync(join(dataDir, 'sent'), `${String(70).padStart(16, '0')}\n`);
    const { setAside = '' } = await restoreBackup({ file, dataDir, now: Date.now() });
    expect(readFileSync(join(setAside, 'owner-token'), 'utf8')).toBe('newer');
    expect(readFileSync(join(setAside, 'journal.db')).equals(before)).toBe(true);
    expect(readFileSync(join(dataDir, 'owner-token'), 'utf8')).toBe('secret');
    expect(readFileSync(join(dataDir, 'agenthost.log'), 'utf8')).toBe('a log');
    const journal = new SqliteJournal({ folder: dataDir });
    const start = await journal.open();
    expect(start).toMatchObject({ lastSeq: 20, reservedSeq: high, lost: [{ after: 20, upTo: high }] });
    await expect(restoreBackup({ file, dataDir, now: 1 }), 'a host uses the folder').rejects.toMatchObject({
      code: 'inUse',
    });
    await journal.close();
    const again = await restoreBackup({ file, dataDir, now: Date.now() });
    expect(again.setAside).not.toBe(setAside);
  });

  test('is one at a time, and what killed ones left goes at the start of a host, unless one runs', async () => {
    await fill();
    await backUpFolder(request());
    const names = ['backup-abc123', 'restore-abc123'];
    const left = (): string[] => readdirSync(dataDir).filter((name) => names.includes(name));
    const leave = (): void => {
      for (const name of names) mkdirSync(join(dataDir, name, 'tls'), { recursive: true });
    };
    const lock = holdRestoreLock(dataDir);
    await expect(restoreBackup({ file, dataDir, now: Date.now() })).rejects.toMatchObject({ code: 'inUse' });
    leave();
    const { host } = await start(dataDir);
    await host.stop();
    expect(left(), 'a restore runs').toEqual(['restore-abc123']);
    lock?.release();
    leave();
    await (await start(dataDir)).host.stop();
    expect(left()).toEqual([]);
    leave();
    await restoreBackup({ file, dataDir, now: Date.now() });
    await backUpFolder({ ...request(), force: true });
    expect(left()).toEqual([]);
    expect(readdirSync(dataDir)).not.toContain('restore.lock');
  });

  /** Files of the data folder with their content; of the database, its newest number. */
  const contentOf = (): Record<string, string> =>
    Object.fromEntries(
      readdirSync(dataDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== 'seq')
        .map(({ parentPath, name }) => {
          const path = join(parentPath, name);
          return [relative(dataDir, path), readFileSync(path).toString('base64')];
        }),
    );

  /** Fails at this call of `rename`, and with `kill` at each one after it, as if the process had ended. */
  const failing = (at: number, end: 'error' | 'kill'): Rename => {
    let count = 0;
    return (from, to) => {
      count += 1;
      if (count === at || (end === 'kill' && count > at))
        throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      renameSync(from, to);
    };
  };

  test('reports a full disk as such, also when SQLite finds it', async () => {
    await fill();
    await backUpFolder(request());
    const full = new DatabaseSync(':memory:');
    full.exec('PRAGMA max_page_count = 1');
    const rename: Rename = () => full.exec('CREATE TABLE t (a)');
    await expect(restoreBackup(request(), rename)).rejects.toMatchObject({
      code: 'full',
      message: expect.stringMatching(
        /cannot be written \(database or disk is full\).*: free some disk space$/,
      ),
    });
    full.close();
  });

  test('that fails at any step leaves the data as it was; killed there, it keeps hosts away until it is repeated', async () => {
    await fill();
    await backUpFolder(request());
    writeFileSync(join(dataDir, 'owner-token'), 'newer');
    mkdirSync(join(dataDir, 'plugins'));
    writeFileSync(join(dataDir, 'plugins/p'), 'a plugin');
    const before = contentOf();
    let steps = 0;
    cpSync(dataDir, join(root, 'other'), { recursive: true });
    await restoreBackup({ file, dataDir: join(root, 'other'), now: Date.now() }, (from, to) => {
      steps += 1;
      renameSync(from, to);
    });
    // The token, the trees and the database change places; the plugins, which the backup has not, are set aside.
    expect(steps).toBeGreaterThanOrEqual(7);
    for (let at = 1; at <= steps; at += 1) {
      const failed = restoreBackup({ file, dataDir, now: Date.now() }, failing(at, 'error'));
      await expect(failed, `step ${at}`).rejects.toMatchObject({
        code: 'full',
        message: expect.stringContaining('its data stays as it was'),
      });
      expect(contentOf()).toEqual(before);
      expect(readdirSync(dataDir).filter((name) => /restore/.test(name))).toEqual([]);

      const killed = restoreBackup({ file, dataDir, now: Date.now() }, failing(at, 'kill'));
      await expect(killed).rejects.toMatchObject({ code: expect.stringMatching(/target|full/) });
      if (!existsSync(join(dataDir, 'restore.json'))) continue;
      const journal = new SqliteJournal({ folder: dataDir });
      await expect(journal.open()).rejects.toMatchObject({
        code: 'missing',
        message: expect.stringContaining('was interrupted: repeat `agenthost backup restore`'),
      });
      await expect(backUpFolder({ ...request(), force: true })).rejects.toMatchObject({ code: 'noData' });
      expect(await checkDataFolder(dataDir)).toMatchObject({ isInterrupted: true, isInUse: false });
      expect(undoInterrupted(dataDir)).toBe(true);
      expect(undoInterrupted(dataDir)).toBe(false);
      await removeLeftStaging(dataDir);
      expect(contentOf()).toEqual(before);
    }
    await expect(restoreBackup({ file, dataDir, now: Date.now() }, failing(4, 'kill'))).rejects.toThrow(
      /repeat it/,
    );
    const { setAside = '' } = await restoreBackup({ file, dataDir, now: Date.now() });
    expect(readFileSync(join(setAside, 'plugins/p'), 'utf8')).toBe('a plugin');
    expect(readFileSync(join(dataDir, 'owner-token'), 'utf8')).toBe('secret');
    const journal = new SqliteJournal({ folder: dataDir });
    expect(await journal.open()).toMatchObject({ lastSeq: 20 });
    await journal.close();
  });

  test.each<[string, string, () => void]>([
    ['a file that is none', 'invalid', () => writeFileSync(file, 'hello')],
    ['an empty file', 'invalid', () => writeFileSync(file, '')],
    ['half of a backup', 'invalid', () => writeFileSync(file, readFileSync(file).subarray(0, 900))],
    ['an archive of something else', 'invalid', () => pack(dataDir, 'owner-token')],
    ['an entry outside', 'invalid', () => repack('--transform=s,^owner-token,../escaped,', '-P')],
    ['an unknown name', 'invalid', () => repack('--transform=s,^owner-token,bashrc,')],
    [
      'an entry out of its folder',
      'invalid',
      () => repack('--transform=s,^trees/1/objects/pack/x.pack,trees/../../x,', '-P'),
    ],
    [
      'a link',
      'invalid',
      () =>
        repackWith((folder) => {
          rmSync(join(folder, 'owner-token'));
          symlinkSync('/etc/passwd', join(folder, 'owner-token'));
        }),
    ],
    [
      'a file of another size',
      'invalid',
      () => repackWith((folder) => writeFileSync(join(folder, 'seq'), '123456789\n')),
    ],
    [
      'a damaged database',
      'invalid',
      () =>
        repackWith((folder) => {
          const bytes = readFileSync(join(folder, 'journal.db'));
          bytes.fill(7, 4_096, 40_960);
          writeFileSync(join(folder, 'journal.db'), bytes);
        }),
    ],
    [
      'a database of a newer version',
      'newer',
      () =>
        repackWith((folder) => {
          const path = join(folder, 'backup.json');
          writeFileSync(path, readFileSync(path, 'utf8').replace(/"schema": \d+/, '"schema": 9000'));
        }),
    ],
    [
      'a layout of a newer version',
      'newer',
      () =>
        repackWith((folder) => {
          const path = join(folder, 'backup.json');
          writeFileSync(path, readFileSync(path, 'utf8').replace('"format": 1', '"format": 2'));
        }),
    ],
    ['no file', 'target', () => rmSync(file)],
  ])('refuses %s, and leaves the folder as it is', async (_case, code, spoil) => {
    await fill();
    await backUpFolder(request());
    spoil();
    const before = readdirSync(dataDir);
    await expect(restoreBackup({ file, dataDir, now: Date.now() })).rejects.toMatchObject({
      name: 'BackupError',
      code,
    });
    expect(readdirSync(dataDir)).toEqual(before);
    expect(readFileSync(join(dataDir, 'owner-token'), 'utf8')).toBe('secret');
    expect(readdirSync(root).filter((name) => !['data', 'b.tar.gz', 'unpacked'].includes(name))).toEqual([]);
  });

  /** Packs the backup again with other options of tar. */
  const repack = (...options: string[]): void => repackWith(() => undefined, ...options);

  function repackWith(change: (folder: string) => void, ...options: string[]): void {
    const folder = join(root, 'unpacked');
    mkdirSync(folder);
    execFileSync('tar', ['-xzf', file, '-C', folder]);
    change(folder);
    pack(folder, ...options, 'backup.json', 'journal.db', 'seq', 'sent', 'owner-token', 'trees');
  }
});
