import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ContractPty } from '../contract/contract-pty.ts';
import { sessionMembers } from '../contract/contract-session.ts';
import { contractSpec } from '../contract/contract-spec.ts';
import { NodePtyOwner } from '../running/node-pty.ts';
import { endSession, signalForeground } from './process-session.ts';

/** Higher than any pid on Linux. */
const NOBODY = { leader: 2 ** 22 + 1, device: '/dev/pts/none' };

describe.runIf(process.platform === 'linux')('a session of processes', () => {
  it('is ended, whatever the names of its processes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agenthost-session-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const name = 'a) Z 1 1 (b c';
    writeFileSync(join(folder, name), '#!/bin/sh\necho up\nread key\n', { mode: 0o755 });
    const owner = new NodePtyOwner();
    onTestFinished(() => owner.close());
    const pty = new ContractPty(await owner.spawn(contractSpec([`./${name}`], { cwd: folder }))).read();
    await pty.waitFor('up');
    expect(sessionMembers(pty.pty.pid).map((member) => member.name)).toContain(name);

    pty.pty.signal('SIGWINCH');
    expect(await endSession({ leader: pty.pty.pid, device: '/dev/pts/unused' })).toBe(true);
    expect(sessionMembers(pty.pty.pid)).toEqual([]);
    expect(await pty.exit).toEqual({ exitCode: 129 });
  });

  it('with stopped processes is ended by TERM, which they receive when they continue', async () => {
    const owner = new NodePtyOwner();
    onTestFinished(() => owner.close());
    const script =
      "trap '' HUP; trap 'echo heard; exit 5' TERM; echo up; kill -STOP $$; while :; do sleep 600; done";
    const pty = new ContractPty(await owner.spawn(contractSpec(script))).read();
    await pty.waitFor('up');
    await pty.pty.kill();
    expect(await pty.exit).toEqual({ exitCode: 5 });
    expect(pty.text).toContain('heard');
  });

  it('whose first process has just been forked is ended when that process leads its session', async () => {
    const late = spawn('sh', ['-c', 'sleep 0.3; exec setsid sleep 600']);
    const ended = once(late, 'exit');
    expect(await endSession({ leader: late.pid ?? 0, device: '/dev/pts/none' })).toBe(true);
    expect(await ended).toEqual([null, expect.stringMatching(/^SIG(HUP|TERM)$/)]);
  });

  it('without a process has ended, and gets no signal', async () => {
    expect(await endSession(NOBODY)).toBe(true);
    expect(() => signalForeground(NOBODY.leader, 'SIGINT')).not.toThrow();
  });
});
