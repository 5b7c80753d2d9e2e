import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ChangesetFixture } from './changeset-fixture.ts';

const turnUri = (id: string): string => `ahp-changeset:/turn/ahp-session%3A%2Fone/${id}`;

test('[CS-3] [RES-1] a version of more than 24 MiB is refused in words, and its neighbours are read', async () => {
  const size = 24 * 1024 * 1024;
  const fixture = await ChangesetFixture.start((each) => {
    writeFileSync(join(each.tree, 'more'), Buffer.alloc(size + 1));
    writeFileSync(join(each.tree, 'less'), '1\n');
    each.git('init', '-q');
    each.git('add', '-A');
    each.git('commit', '-q', '-m', 'x');
  });
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  const read = (uri: string): Promise<{ data: string }> =>
    fixture.ask(client, 'resourceRead', { channel: 'ahp-root://', uri });
  const tooLarge = { code: -32602, message: expect.stringMatching(`(at most|more than) ${size}`) };
  await expect(read(pathToFileURL(join(fixture.tree, 'more')).href)).rejects.toMatchObject(tooLarge);
  await fixture.turn(client, chat, 'one', () => {
    for (const name of ['more', 'less']) writeFileSync(join(fixture.tree, name), 'x\n');
  });
  const changes = await fixture.watch(client, turnUri('one'));
  await fixture.until(() => changes.state.status === 'ready');
  const before = (name: string): string => changes.file(name).edit.before?.content.uri ?? '';
  await expect(read(before('more'))).rejects.toMatchObject(tooLarge);
  expect((await read(before('less'))).data).toBe('1\n');
  await changes.invoke('revert');
  expect(statSync(join(fixture.tree, 'more')).size).toBe(size + 1);
});

/** Puts a git program in front of the real one. Its calls do not end while the file at the returned path exists. */
function slowGit(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slow-git-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const hold = join(folder, 'hold');
  const real = `PATH='${process.env['PATH']}' exec git "$@"`;
  writeFileSync(join(folder, 'git'), `#!/bin/sh\nwhile test -e '${hold}'; do sleep 0.02; done\n${real}\n`);
  chmodSync(join(folder, 'git'), 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  return hold;
}

test('[CS-1] a host whose git does not answer stops after 5 s, and the next one completes the record of the turn', async () => {
  const hold = slowGit();
  const fixture = await ChangesetFixture.start((each) => writeFileSync(join(each.tree, 'a'), '1\n'));
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  await fixture.begin(client, chat, 'one');
  writeFileSync(join(fixture.tree, 'a'), '2\n');
  writeFileSync(hold, '');
  const { clock } = fixture.host;
  const begun = clock.now();
  await fixture.stop(50);
  // The turn of the agent has 10 s to end before.
  expect(clock.now() - begun).toBeGreaterThanOrEqual(15_000);
  expect(existsSync(hold)).toBe(true);
  rmSync(hold);
  await fixture.host.start();
  const changes = await fixture.watch(await fixture.client('ben'), turnUri('one'));
  await changes.shows('a +1 -1');
});

test('[CS-1] a home folder, or a file system that does not answer, holds up the start of a turn for 250 ms at most', async () => {
  const hold = slowGit();
  const fixture = await ChangesetFixture.start((each) => writeFileSync(join(each.tree, 'a'), '1\n'));
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  await fixture.turn(client, chat, 'one', () => writeFileSync(join(fixture.tree, 'a'), '2\n'));
  const changes = await fixture.watch(client, turnUri('one'));
  await changes.shows('a +1 -1');
  // What git has to look at.
  writeFileSync(join(fixture.tree, 'person'), '1\n');
  // A file that was made less than 20 ms before a turn counts as made in the turn, because file times are coarse.
  await wait(100);
  writeFileSync(hold, '');
  client.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId: 'two',
    startedAt: new Date(0).toISOString(),
    message: { text: 'two', origin: { kind: 'user' } },
  });
  const { host } = fixture;
  await host.advance(249);
  expect(host.agent.turns).toHaveLength(1);
  await host.advance(1);
  expect(host.agent.turns).toHaveLength(2);
  writeFileSync(join(fixture.tree, 'a'), '3\n');
  host.agent.turn.complete();
  await host.run();
  // The turn ends, and people see it, although its files are not recorded yet.
  expect(client.types(chat)).toContain('chat/turnComplete');
  rmSync(hold);
  const later = await fixture.watch(client, turnUri('two'));
  await later.shows('a +1 -1');
});
