import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Member, sessionMembers } from './contract-session.ts';
import type { PtyOwnerUnderTest } from './contract-spec.ts';

/** Signals, ends, and who they reach. */
export function processContract(here: PtyOwnerUnderTest): void {
  it.each([
    ['exit 0', 0],
    ['exit 7', 7],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
    ['ulimit -c 0; kill -SEGV $$', 139],
  ])('[TERM-6] tells the exit code of `%s`: %i', async (script, exitCode) => {
    const pty = await here.spawn(script);
    expect(await pty.read().exit).toEqual({ exitCode });
  });

  it('signals what runs in the foreground, not the shell behind it', async () => {
    const pty = await here.spawn(['bash', '--norc', '--noprofile', '-i']);
    pty.read().pty.write(`sh -c 'echo "run""ning"; exec sleep 600'\r`);
    await pty.waitFor('running\r\n');
    pty.pty.signal('SIGINT');
    pty.pty.write('echo "code"=$?; exit 3\r');
    expect(await pty.exit).toEqual({ exitCode: 3 });
    expect(pty.text).toContain('code=130');
  });

  it('is over when the process is, whatever jobs it left', async () => {
    const pty = await here.spawn('nohup sleep 600 >/dev/null 2>&1 & echo "job $!"; exit 6');
    expect(await pty.read().exit).toEqual({ exitCode: 6 });
    process.kill(Number(/job (\d+)/.exec(pty.text)?.[1]), 'SIGKILL');
  });

  describe.runIf(process.platform === 'linux')('kills', () => {
    it('an interactive shell with jobs in the foreground, in the background and stopped', async () => {
      const pty = await here.spawn(['bash', '--norc', '--noprofile', '-i']);
      pty
        .read()
        .pty.write('sleep 601 & sleep 602 | sleep 603 & disown -a; sh -c "kill -STOP \\$\\$"; sleep 604\r');
      await untilSession(
        pty.pty.pid,
        (members) => members.filter((member) => member.name === 'sleep').length === 4,
      );
      await pty.pty.kill();
      await untilSession(pty.pty.pid, (members) => members.length === 0);
      expect((await pty.exit).exitCode).toBeGreaterThan(128);
    });

    it('what ignores HUP and TERM, after a while', async () => {
      const stubborn = "trap '' TERM HUP; echo ready; while :; do sleep 601; done";
      const pty = await here.spawn(`sh -c "${stubborn}" & ${stubborn}`);
      await pty.read().waitUntil(() => pty.text.split('ready').length === 3);
      await untilSession(pty.pty.pid, (members) => members.length === 4);
      await pty.pty.kill();
      expect(await pty.exit).toEqual({ exitCode: 137 });
      await untilSession(pty.pty.pid, (members) => members.length === 0);
    });

    it('a program that floods a reader who acknowledges nothing', async () => {
      const pty = await here.spawn(['yes']);
      await pty.read({ isAcknowledging: false }).waitUntil(() => pty.length > 100_000);
      await pty.pty.kill();
      pty.acknowledge();
      expect(await pty.exit).toEqual({ exitCode: 129 });
    });

    it('not what has left the session', async () => {
      const pty = await here.spawn('setsid sleep 605 >/dev/null 2>&1 & echo "daemon $!"; sleep 606');
      await pty.read().waitFor('daemon');
      const daemon = Number((await pty.waitFor('\n')).match(/daemon (\d+)/)?.[1]);
      await untilSession(daemon, (members) => members.some((member) => member.name === 'sleep'));
      await pty.pty.kill();
      await pty.exit;
      expect(sessionMembers(daemon)).toEqual([{ pid: daemon, name: 'sleep' }]);
      process.kill(daemon, 'SIGKILL');
    });
  });
}

/** Resolves when the living processes of a session are as they should be. */
async function untilSession(session: number, isTrue: (members: readonly Member[]) => boolean): Promise<void> {
  while (!isTrue(sessionMembers(session))) await delay(10);
}
