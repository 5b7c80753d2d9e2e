import type { TerminalContentPart } from '@agenthost/protocol';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Scrollback } from '../src/terminals/scrollback/scrollback.ts';
import { ROOT, startHost } from './host-fixture.ts';
import { openTerminal, outputOf, TERMINAL, terminalState } from './terminal-fixture.ts';

describe('the scrollback', () => {
  it.each([
    ['plain', (line: number) => `line ${line}`.padEnd(62, '.').concat('\r\n')],
    ['coloured', (line: number) => `\x1b[3${line % 8}mline ${line}`.padEnd(62, '.').concat('\x1b[m\r\n')],
    ['drawn', (line: number) => `\x1b[${1 + (line % 24)};1Hline ${line}`.padEnd(62, '.')],
    ['drawn and scrolled', (line: number) => `\x1b7\x1b[H${line}\x1b8`.padEnd(62, '.').concat('\r\n')],
  ])(
    '[TERM-4] after much %s output, its state takes at most 200 kB, with the last 64 Ki of output',
    async (_, lineAt) => {
      const host = await startHost();
      const desk = await host.client();
      await openTerminal(host, desk);
      let all = '';
      for (let part = 0; part < 48; part += 1) {
        const text = Array.from({ length: 1_024 }, (_, line) => lineAt(part * 1_024 + line)).join('');
        all += text;
        host.ptys.last.output(text);
        await host.advance(50);
      }
      // Folding takes real time.
      await expect.poll(async () => JSON.stringify(await terminalState(desk)).length).toBeLessThan(200_000);
      const { content, 'x-trimmed': trimmed } = await terminalState(desk);
      const output = outputOf({ content: content.slice(trimmed?.isFolded === true ? 1 : 0) });
      expect(output.length).toBeGreaterThanOrEqual(63 * 1024);
      expect(all.endsWith(output)).toBe(true);
    },
  );

  it('[TERM-4] keeps as much output as the setting of the host says, from then on', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    const put = async (): Promise<number> => {
      for (let part = 0; part < 24; part += 1) {
        host.ptys.last.output(`line ${part}\r\n`.repeat(8_000));
        await host.advance(50);
      }
      return outputOf(await terminalState(desk)).length;
    };
    expect(await put()).toBeLessThan(256 * 1024);
    desk.dispatch(ROOT, { type: 'root/configChanged', config: { terminalScrollbackKilobytes: 1_024 } });
    expect(await put()).toBeGreaterThan(1024 * 1024);
  });

  it('[TERM-4] stays within its bound, and has the newest output', async () => {
    const host = await startHost({ terminals: { scrollbackLength: 10_000 } });
    const desk = await host.client();
    await openTerminal(host, desk);
    for (let part = 0; part < 40; part += 1) {
      const lines = Array.from({ length: 1_000 }, (_, line) => `line ${part * 1_000 + line}\r\n`);
      host.ptys.last.output(lines.join(''));
      await host.advance(10);
    }
    const output = outputOf(await terminalState(desk));
    expect(output.length).toBeLessThan(500_000);
    expect(output.endsWith('line 39999\r\n')).toBe(true);
  });

  it('[TERM-4] reports the amount of output that it no longer holds', async () => {
    const host = await startHost({ terminals: { scrollbackLength: 10_000 } });
    let desk = await host.client();
    await openTerminal(host, desk);
    let all = '';
    const put = async (text: string): Promise<void> => {
      all += text;
      host.ptys.last.output(text);
      await host.advance(50);
    };
    /** The output in the content, which must be the end of all output. */
    const isTold = async (): Promise<string> => {
      const { content, 'x-trimmed': trimmed } = await terminalState(desk);
      const output = outputOf({ content: content.slice(trimmed?.isFolded === true ? 1 : 0) });
      expect((trimmed?.units ?? 0) + output.length).toBe(all.length);
      expect(all.endsWith(output)).toBe(true);
      return output;
    };
    await put('first\r\n');
    expect(await terminalState(desk)).toMatchObject({ 'x-trimmed': { units: 0, isFolded: false } });
    for (let part = 0; part < 10; part += 1) await put(`line ${part} 😀\r\n`.repeat(500));
    expect((await isTold()).length).toBeLessThan(16_000);
    expect(await terminalState(desk)).toMatchObject({ 'x-trimmed': { isFolded: true } });
    // A mode that outlives the clear is at the front again.
    await put('\x1b[?2004h');
    desk.dispatch(TERMINAL, { type: 'terminal/cleared' });
    await host.advance(50);
    await put('behind it\r\n');
    await expect.poll(async () => (await terminalState(desk))['x-trimmed']?.isFolded).toBe(true);
    expect(await isTold()).toBe('behind it\r\n');
    await host.restart();
    desk = await host.client('desk');
    expect(await isTold()).toBe('behind it\r\n');
  });

  it('[CONN-8] marks the position of output that was lost while no host was running', async () => {
    const host = await startHost({ outlivesHost: true });
    await openTerminal(host, await host.client());
    const { last } = host.ptys;
    last.output('before\r\n\x1b[3');
    await host.advance(50);
    host.kill();
    last.output(`1m${'lost\r\n'.repeat(1_000)}kept\r\n`);
    last.drop(13 + 6_000);
    await host.start();
    await host.advance(50);
    const told = '\x18\r\n\x1b[2m[6,005 bytes of output were dropped while no host was there]\x1b[22m\r\n';
    expect(outputOf(await terminalState(await host.client('desk')))).toBe(`before\r\n${told}kept\r\n`);
    expect(host.logged).toContain('the keeper dropped output of a terminal while no host was running');
  });

  it('[TERM-4] reports nothing for a terminal that an older host began', async () => {
    const host = await startHost({ outlivesHost: true, terminals: { scrollbackLength: 10_000 } });
    let desk = await host.client();
    await openTerminal(host, desk);
    host.ptys.last.output('\x1b[32m0123456789\r\n'.repeat(10_000));
    await host.advance(50);
    await host.stop();
    const row = host.journal.disk.channels.get(TERMINAL);
    if (row === undefined) throw new Error('it has no row');
    const { 'x-trimmed': _, ...state } = JSON.parse(row.state);
    host.journal.disk.channels.set(TERMINAL, { ...row, state: JSON.stringify(state) });
    await host.start();
    desk = await host.client('desk');
    await desk.subscribe(TERMINAL);
    host.ptys.last.output('more\r\n'.repeat(10_000));
    await host.advance(50);
    expect(await terminalState(desk)).not.toHaveProperty('x-trimmed');
  });

  it('[CONN-8] is whole after a kill, even with more output since the snapshot than one read', async () => {
    const host = await startHost({ outlivesHost: true, terminals: { scrollbackLength: 4_000_000 } });
    await openTerminal(host, await host.client());
    let all = '';
    for (let part = 0; part < 20; part += 1) {
      const text = Array.from({ length: 5_000 }, (_, line) => `${part} ${line}\r\n`).join('');
      all += text;
      host.ptys.last.output(text);
      await host.advance(50);
    }
    await host.restart();
    expect(outputOf(await terminalState(await host.client('desk'))) === all).toBe(true);
  });

  it('is snapshotted often enough to load fast, even if each host sees only little output', async () => {
    const host = await startHost({ outlivesHost: true });
    let desk = await host.client();
    await openTerminal(host, desk);
    const isShort = (part: TerminalContentPart): boolean => outputOf({ content: [part] }).length < 400_000;
    const loaded: number[] = [];
    for (let life = 0; life < 8; life += 1) {
      for (let part = 0; part < 10; part += 1) {
        host.ptys.last.output(`line ${part}.\r\n`.repeat(30_000));
        await host.advance(50);
      }
      // Folding takes real time.
      await expect.poll(async () => (await terminalState(desk)).content[0]).toSatisfy(isShort);
      host.kill();
      const trim = vi.spyOn(Scrollback.prototype, 'trim');
      await host.start();
      desk = await host.client('desk');
      loaded.push(Math.max(...trim.mock.calls.map(([content]) => outputOf({ content }).length)));
      trim.mockRestore();
    }
    expect(Math.max(...loaded)).toBeLessThan(2 * 1024 * 1024);
  });

  it('[TERM-4] [ACT-8] is folded once while the journal is down, and again when that is up', async () => {
    const fold = vi.spyOn(Scrollback.prototype, 'fold');
    onTestFinished(() => fold.mockRestore());
    const folds = (): unknown[] =>
      fold.mock.results.map(({ value }) => value).filter((value) => value !== undefined);
    const host = await startHost({ terminals: { scrollbackLength: 1_000 } });
    const desk = await host.client();
    await openTerminal(host, desk);
    const { last } = host.ptys;
    // Cursor movements: plain text would become shorter without an emulator.
    last.output('\x1b[Htop left\r\n'.repeat(40_000));
    for (let turn = 0; turn < 20 && folds().length === 0; turn += 1) await host.advance(10);
    expect(folds()).toHaveLength(1);
    host.journal.failNextCommits(3);
    last.output('held back');
    await host.advance(10);
    await folds()[0];
    await host.run();
    expect(folds()).toHaveLength(1);
    await host.advance(5_000);
    const output = outputOf(await terminalState(desk));
    expect(output.length).toBeLessThan(100_000);
    expect(output.endsWith('held back')).toBe(true);
  });
});
