import { expect, it } from 'vitest';
import { startHost } from '../../../test/host-fixture.ts';
import { JournalError } from '../../journal/journal.ts';
import { memoryLog, silentLog } from '../../lib/log.ts';
import { WorkingDirectories } from './working-directories.ts';

const row = (uri: string, workingDirectory: string) =>
  ({
    op: 'session',
    uri,
    modifiedAt: '2026-01-01T00:00:00.000Z',
    summary: JSON.stringify({ workingDirectories: [workingDirectory] }),
  }) as const;

it('a catalogue that could not be read is read again', async () => {
  const host = await startHost();
  const { sync } = host.host.core;
  const directories = new WorkingDirectories(sync, silentLog);
  await host.journal.commit([row('ahp-session:/a', 'file:///folder/a')]);
  host.journal.gates.afterRead = () => {
    throw new JournalError('io', 'a test broke the disk');
  };
  await expect(directories.list()).rejects.toMatchObject({ code: 'io' });
  host.journal.gates.afterRead = undefined;
  expect(await directories.list()).toStrictEqual(['/folder/a']);
});

it('a working directory that is no local path does not hide others', async () => {
  const host = await startHost();
  const log = memoryLog();
  await host.journal.commit([
    row('ahp-session:/a', 'file:///folder/a'),
    row('ahp-session:/b', 'file://elsewhere/folder/b'),
    row('ahp-session:/c', 'https://example.org/'),
  ]);
  expect(await new WorkingDirectories(host.host.core.sync, log).list()).toStrictEqual(['/folder/a']);
  expect(log.lines).toHaveLength(2);
});
