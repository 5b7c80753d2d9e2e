import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ChangesetFixture, UNCOMMITTED, type WatchedChangeset } from './changeset-fixture.ts';

const isReady = ({ status }: { status: string }): boolean => status === 'ready';

/** The names of the files that a changeset shows when it is ready for the first time. */
async function firstReady(fixture: ChangesetFixture, changeset: WatchedChangeset): Promise<string[]> {
  await fixture.until(() => changeset.states.some(isReady));
  const files = changeset.states.find(isReady)?.files ?? [];
  return files.map(({ id }) => id.slice(id.lastIndexOf('/') + 1));
}

interface SlowGit {
  readonly fixture: ChangesetFixture;
  /** While this file exists, calls get no answer. */
  readonly hold: string;
  /** Exists when a call has read and waits. */
  readonly held: string;
}

/** Starts a host whose git program reads at once, and gives the answers to these commands when nothing holds them. A file `a` is committed. */
async function withSlowGit(commands = '*'): Promise<SlowGit> {
  const folder = mkdtempSync(join(tmpdir(), 'slow-git-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const hold = join(folder, 'hold');
  const held = join(folder, 'held');
  const real = `PATH='${process.env['PATH']}' git "$@" > "$answer"; code=$?`;
  const wait = `while test -e '${hold}'; do touch '${held}'; sleep 0.02; done`;
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\nanswer=$(mktemp '${folder}/XXXXXX')\n${real}\ncase " $* " in ${commands}) ${wait};; esac\ncat "$answer"; rm "$answer"; exit $code\n`,
  );
  chmodSync(join(folder, 'git'), 0o755);
  // The host copies the environment when it starts.
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  const fixture = await ChangesetFixture.start((each) => {
    writeFileSync(join(each.tree, 'a'), '1\n');
    each.git('init', '-q');
    each.git('add', '-A');
    each.git('commit', '-q', '-m', 'x');
  });
  return { fixture, hold, held };
}

test('[CS-20] the changes of a turn are not called ready between its end and its record', async () => {
  const { fixture, hold } = await withSlowGit();
  const ann = await fixture.client();
  const { chat } = await fixture.session(ann);
  await fixture.begin(ann, chat, 'one');
  const uri = `ahp-changeset:/turn/${encodeURIComponent('ahp-session:/one')}/one`;
  const first = await fixture.watch(ann, uri);
  await first.shows();
  writeFileSync(join(fixture.tree, 'a'), '2\n');

  writeFileSync(hold, '');
  fixture.host.agent.turn.complete();
  await fixture.until(() => first.state.status === 'recomputing');
  const late = await fixture.watch(await fixture.client('bob'), uri);
  expect(late.state.status).toBe('recomputing');
  rmSync(hold);
  expect(await firstReady(fixture, late)).toEqual(['a']);
});

test('[CS-20] uncommitted changes are not called ready for a client before files are shown that were read after it asked', async () => {
  const { fixture, hold, held } = await withSlowGit('*" status "*');
  const ann = await fixture.client();
  const { chat } = await fixture.session(ann);
  await fixture.turn(ann, chat, 'one', () => writeFileSync(join(fixture.tree, 'a'), '2\n'));
  const first = await fixture.watch(ann, UNCOMMITTED);
  await first.shows('a +1 -1');

  writeFileSync(hold, '');
  await fixture.watch(await fixture.client('bob'), UNCOMMITTED);
  await fixture.until(() => first.state.status === 'recomputing' && existsSync(held));
  writeFileSync(join(fixture.tree, 'by-a-person'), '1\n');
  const last = await fixture.watch(await fixture.client('cat'), UNCOMMITTED);
  expect(last.state.status).toBe('recomputing');
  rmSync(hold);
  expect(await firstReady(fixture, last)).toEqual(['a', 'by-a-person']);
});
