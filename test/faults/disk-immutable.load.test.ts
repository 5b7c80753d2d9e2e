import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { withoutChanges } from '../agree.ts';
import { quickly, seen } from '../terminals/stage.ts';
import { begin, clientOf, hostOn, temporaryFolder } from './stage.ts';

/** Makes files immutable, open ones included, or writable again. Returns whether that worked. */
function setImmutable(paths: readonly string[], isImmutable: boolean): boolean {
  return spawnSync('chattr', [isImmutable ? '+i' : '-i', ...paths], { stdio: 'ignore' }).status === 0;
}

/** Whether the flag affects open files too. It does on ext4, not on tmpfs, and only root may set it. */
const canForbid = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-immutable-'));
  const file = join(folder, 'file');
  const open = openSync(file, 'w');
  try {
    if (!setImmutable([file], true)) return false;
    writeSync(open, 'x');
    return false;
  } catch {
    return true;
  } finally {
    setImmutable([file], false);
    closeSync(open);
    rmSync(folder, { recursive: true });
  }
})();

if (!canForbid) process.stdout.write('skipped: files that cannot be written any more (root, and ext4)\n');

describe.skipIf(!canForbid)('files of a running host that become immutable', () => {
  test('[ACT-8] dispatches are refused and reads go on; when the files are writable, waiting work continues', async () => {
    const folder = await temporaryFolder();
    const dataDir = join(folder, 'data');
    const host = hostOn(dataDir, folder);
    const { client, session } = await begin(host, folder);
    const turn = session.prompt(quickly('stream 1000000 every 5'));
    await seen(session.chat.mirror, ({ activeTurn }) => activeTurn?.responseParts[0]);
    const files = ['journal.db', 'journal.db-wal'].map((name) => join(dataDir, name));
    onTestFinished(() => void setImmutable(files, false));
    expect(setImmutable(files, true)).toBe(true);
    await vi.waitFor(
      async () =>
        expect(await session.rename('now')).toMatchObject({ outcome: 'rejected', code: 'unavailable' }),
      { timeout: 30_000 },
    );
    const before = session.chat.mirror.confirmed;
    const late = await clientOf(host, 'late');
    const reopened = await late.sessions.open(session.uri);
    expect(reopened.chat.mirror.confirmed).toEqual(before);
    expect(host.errors.match(/the host cannot save data now/g)).toHaveLength(1);

    expect(setImmutable(files, false)).toBe(true);
    await seen(session.chat.mirror, (state) => state !== before || undefined);
    await vi.waitFor(() => expect(host.errors).toContain('the journal can be written again'), {
      timeout: 30_000,
    });
    expect(await reopened.rename('after')).toMatchObject({ outcome: 'accepted' });
    await turn.cancel();
    expect((await turn.result).state).toBe('cancelled');
    const shown = session.chat.mirror.confirmed;
    await host.kill();
    await host.start();
    await client.whenOnline();
    await client.ping();
    const again = await clientOf(host, 'again');
    const opened = await again.sessions.open(session.uri);
    expect(withoutChanges(opened.chat.mirror.confirmed)).toEqual(withoutChanges(shown));
    expect(host.errors).not.toContain('damaged');
  }, 60_000);
});
