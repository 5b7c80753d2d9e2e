import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { PtyOwnerUnderTest } from './contract-spec.ts';

/** Keys and sizes on their way to the program. */
export function inputContract(here: PtyOwnerUnderTest): void {
  it('hands keys to the program, in order and as UTF-8', async () => {
    const pty = await here.spawn('stty -echo; echo ready; read line; printf %s "$line" | od -An -v -tx1');
    await pty.read().waitFor('ready');
    for (const key of ['a', 'ä', '€', '😀', '\r']) pty.pty.write(key);
    await pty.exit;
    expect(pty.text.replaceAll(/\s/g, '')).toBe(`ready${Buffer.from('aä€😀').toString('hex')}`);
  });

  it('hands over control characters as they are, NUL too', async () => {
    const pty = await here.spawn('stty raw -echo; echo ready; head -c 6 | od -An -v -tx1');
    await pty.read().waitFor('ready');
    pty.pty.write('\0\u0003\u0004\u001b\r\n');
    await pty.exit;
    expect(pty.text.replaceAll(/\s/g, '')).toBe('ready0003041b0d0a');
  });

  it('knows that input is UTF-8: erasing takes back a whole character', async () => {
    const pty = await here.spawn('echo ready; read line; printf "<%s>" "$line"');
    await pty.read().waitFor('ready');
    pty.pty.write('aä\u007fb\r');
    await pty.exit;
    expect(pty.text).toContain('<ab>');
  });

  it('takes a large paste while the program does not read, and loses none of it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agenthost-paste-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const paste = Array.from({ length: 125_000 }, (_, index) => `${index}`.padStart(8, '-')).join('');
    const script =
      'stty raw -echo; echo ready; until test -e go; do sleep 0.02; done; head -c 1000003 | sha256sum';
    const pty = await here.spawn(script, { cwd: folder });
    await pty.read().waitFor('ready');
    pty.pty.write(paste);
    pty.pty.write('end');
    writeFileSync(join(folder, 'go'), '');
    await pty.exit;
    expect(pty.text).toContain(createHash('sha256').update(`${paste}end`).digest('hex'));
  });

  it('has the size asked for, and tells the program of another', async () => {
    const script = 'stty size; trap "stty size; exit 5" WINCH; echo ready; while :; do sleep 0.02; done';
    const pty = await here.spawn(script, { cols: 132, rows: 43 });
    await pty.read().waitFor('ready');
    pty.pty.resize(101, 7);
    expect(await pty.exit).toEqual({ exitCode: 5 });
    expect(pty.text).toBe('43 132\r\nready\r\n7 101\r\n');
  });

  it('does nothing with keys, sizes and signals after the end', async () => {
    const pty = await here.spawn('exit 4');
    await pty.read().exit;
    pty.pty.write('x');
    pty.pty.resize(10, 10);
    pty.pty.signal('SIGINT');
    pty.pty.acknowledge(0);
    await pty.pty.kill();
    pty.pty.release();
    pty.pty.write('x');
    pty.pty.resize(10, 10);
    expect(await pty.exit).toEqual({ exitCode: 4 });
  });
}
