import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractSpec, type PtyOwnerUnderTest } from './contract-spec.ts';
import { PtyError, type PtySpec } from './pty.ts';

/** How processes are started, and how it is said that they cannot be. */
export function startContract(here: PtyOwnerUnderTest): void {
  let folder: string;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-pty-')));
    writeFileSync(join(folder, 'text'), 'no program', { mode: 0o644 });
    writeFileSync(join(folder, 'greet'), '#!/bin/sh\necho "hello $1"\n', { mode: 0o755 });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('gives the program exactly the environment, the arguments and the folder asked for', async () => {
    const program = await here.spawn(['/usr/bin/env'], {
      cwd: folder,
      env: { GREETING: 'grüß dich', PATH: '/bin' },
    });
    await program.read().exit;
    expect(program.text.trim().split('\r\n').sort()).toEqual([
      'GREETING=grüß dich',
      'PATH=/bin',
      `PWD=${folder}`,
    ]);

    const script = await here.spawn(['sh', '-c', 'pwd; printf "<%s>" "$@"', 'sh', 'a b', '', '*'], {
      cwd: folder,
    });
    await script.read().exit;
    expect(script.text).toBe(`${folder}\r\n<a b><><*>`);
  });

  it('finds the program in the PATH of its environment, or relative to the folder when it has a slash', async () => {
    for (const [program, PATH] of [
      ['greet', `/nowhere:${folder}:/bin`],
      ['./greet', '/bin'],
      [join(folder, 'greet'), '/bin'],
    ] as const) {
      const pty = await here.spawn([program, 'you'], { cwd: folder, env: { PATH } });
      await pty.read().exit;
      expect(pty.text).toBe('hello you\r\n');
    }
  });

  it('makes the process leader of a session with this pty as its terminal', async () => {
    const pty = await here.spawn('test -t 0 && test -t 1 && test -t 2 && ps -o pid=,sid= -p $$');
    expect(await pty.read().exit).toEqual({ exitCode: 0 });
    expect(pty.text.trim().split(/\s+/)).toEqual([`${pty.pty.pid}`, `${pty.pty.pid}`]);
  });

  describe('refuses with a reason', () => {
    const refused = async (
      command: PtySpec['command'],
      spec: Partial<PtySpec>,
      message: string,
    ): Promise<void> => {
      const attempt = here.owner.spawn(contractSpec(command, spec));
      await expect(attempt).rejects.toThrow(PtyError);
      await expect(attempt).rejects.toThrow(message);
    };

    it('a program that is missing', async () => {
      await refused(['no-such-program'], {}, 'cannot run no-such-program: no such program in PATH (');
      await refused(['/no/such/program'], {}, 'cannot run /no/such/program: no such file');
      await refused([''], {}, 'the command is empty');
    });

    it('a program that cannot be run', async () => {
      await refused(['./text'], { cwd: folder }, 'cannot run ./text: it is not executable');
      await refused([folder], {}, `cannot run ${folder}: it is no file`);
      await refused(['text'], { env: { PATH: folder } }, 'cannot run text: no such program in PATH');
    });

    it('a folder that is missing or none', async () => {
      await refused(['true'], { cwd: join(folder, 'missing') }, `cannot start in ${folder}/missing`);
      await refused(['true'], { cwd: join(folder, 'text') }, `cannot start in ${folder}/text`);
      await refused(['true'], { cwd: 'here' }, 'cannot start in here: expected an absolute path');
    });

    it('a size that is none', async () => {
      await refused(['true'], { cols: 0 }, 'cols is 0');
      await refused(['true'], { rows: 70_000 }, 'rows is 70000');
    });

    it('text with a NUL character', async () => {
      await refused(['true', 'a\0b'], {}, 'NUL');
      await refused(['true'], { env: { A: '\0' } }, 'NUL');
    });
  });

  it('starts 50 at once and keeps them apart', async () => {
    const numbers = Array.from({ length: 50 }, (_, index) => index);
    const ptys = await Promise.all(
      numbers.map((number) => here.spawn(`read key; echo "$key is ${number}"; exit ${number}`)),
    );
    for (const [number, pty] of ptys.entries()) pty.read().pty.write(`key-${number}\r`);
    const exits = await Promise.all(ptys.map((pty) => pty.exit));
    expect(exits.map(({ exitCode }) => exitCode)).toEqual(numbers);
    for (const [number, pty] of ptys.entries()) expect(pty.text).toContain(`key-${number} is ${number}\r\n`);
  });

  it('starts nothing once it is closed, which may be twice', async () => {
    await here.owner.close();
    await here.owner.close();
    await expect(here.owner.spawn(contractSpec('true'))).rejects.toThrow(PtyError);
  });
}
