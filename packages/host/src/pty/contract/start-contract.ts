import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PtyError, type PtySpec } from '../pty.ts';
import { contractSpec, type PtyOwnerUnderTest } from './contract-spec.ts';

/** How processes are started, and how it is said that they cannot be. */
export function startContract(here: PtyOwnerUnderTest): void {
  let folder: string;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-pty-')));
    mkdirSync(join(folder, 'sub'));
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

  it.each<readonly [what: string, command: PtySpec['command'], spec: Partial<PtySpec>, message: string]>([
    [
      'a program that is missing',
      ['no-such-program'],
      {},
      'cannot run no-such-program: no such program in its PATH',
    ],
    ['a path that is missing', ['/no/such/program'], {}, 'cannot run /no/such/program: no such file'],
    [
      'a name that no file can have',
      [`./${'x'.repeat(300)}`],
      {},
      `cannot run ./${'x'.repeat(300)}: it cannot be read (ENAMETOOLONG)`,
    ],
    ['no program', [''], {}, 'the command is empty'],
    ['a program that is not executable', ['./text'], {}, 'cannot run ./text: it is not executable'],
    ['a folder as program', ['./sub'], {}, 'cannot run ./sub: it is not a file'],
    [
      'what is not executable in PATH',
      ['text'],
      { env: { PATH: '.' } },
      'cannot run text: no such program in its PATH',
    ],
    [
      'a folder that is missing',
      ['true'],
      { cwd: '/no/such' },
      'cannot start in /no/such: it is not a folder',
    ],
    [
      'a folder that is a file',
      ['true'],
      { cwd: '/etc/passwd' },
      'cannot start in /etc/passwd: it is not a folder',
    ],
    [
      'a folder that is not absolute',
      ['true'],
      { cwd: 'here' },
      'cannot start in here: expected an absolute path',
    ],
    ['a width of nothing', ['true'], { cols: 0 }, 'cols is 0'],
    ['a height past what ptys can have', ['true'], { rows: 70_000 }, 'rows is 70000'],
    ['an argument with a NUL', ['true', 'a\0b'], {}, 'NUL'],
    ['a variable with a NUL', ['true'], { env: { A: '\0' } }, 'NUL'],
  ])('refuses %s with a reason', async (_what, command, spec, message) => {
    const attempt = here.owner.spawn(contractSpec(command, { cwd: folder, ...spec }));
    await expect(attempt).rejects.toThrow(PtyError);
    await expect(attempt).rejects.toThrow(message);
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
