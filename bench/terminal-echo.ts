import { compareQuantile, type Measured } from './bar.ts';
import { BenchProcess, withFolder } from './process.ts';
import { ServeProcess } from './terminal-host.ts';
import { VSCODE_VERSION, VsCodeHost } from './vscode-host.ts';

/** A shell that reads no startup files of the user. */
const SHELL = ['bash', '--norc', '--noprofile', '-i'];
/** Ten minutes of a quick typist at ten keys a second. The pauses are shortened, the keys are not. */
const KEYS = 6_000;
const BLOCK = 500;
const GAP_MS = 5;

/**
 * Time from key to echo through WebSocket, host, journal and keeper, against a pty in the process that types. Two more baselines show the
 * machine's share: a pty behind a bare WebSocket in that process, and one in a further process behind a local socket, where a keeper has
 * it. VS Code's own host is the last one, if VS Code is installed.
 */
export async function terminalEcho(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    const host = await ServeProcess.start(folder, true);
    const vscode = await VsCodeHost.start(folder);
    const typist = new BenchProcess('./terminal-typist.ts');
    const local = new BenchProcess('./terminal-typist.ts');
    const relay = new BenchProcess('./terminal-relay.ts');
    const relayed = new BenchProcess('./terminal-typist.ts');
    const apart = new BenchProcess('./terminal-pty.ts');
    const relayApart = new BenchProcess('./terminal-relay.ts');
    const relayedApart = new BenchProcess('./terminal-typist.ts');
    const atVsCode = new BenchProcess('./terminal-typist.ts');
    try {
      await typist.ask({ kind: 'open', url: host.wsUrl });
      await local.ask({ kind: 'open', shell: SHELL, cwd: folder });
      const { url } = await relay.ask<{ url: string }>({ shell: SHELL, cwd: folder });
      await relayed.ask({ kind: 'open', shell: SHELL, cwd: folder, relay: url });
      const path = `${folder}/bare-pty.sock`;
      await apart.ask({ shell: SHELL, cwd: folder, path });
      const { url: urlApart } = await relayApart.ask<{ url: string }>({ shell: SHELL, cwd: folder, path });
      await relayedApart.ask({ kind: 'open', shell: SHELL, cwd: folder, relay: urlApart });
      if (vscode !== undefined)
        await atVsCode.ask({ kind: 'open', url: vscode.wsUrl, version: VSCODE_VERSION });
      const ours: number[] = [];
      const baseline: number[] = [];
      const bare: number[] = [];
      const bareApart: number[] = [];
      const vscodes: number[] = [];
      const block = async (by: BenchProcess): Promise<number[]> =>
        (await by.ask<{ latenciesMs: number[] }>({ kind: 'type', keys: BLOCK, gapMs: GAP_MS })).latenciesMs;
      // The first block of each side warms up.
      await block(typist);
      await block(local);
      await block(relayed);
      await block(relayedApart);
      if (vscode !== undefined) await block(atVsCode);
      while (ours.length < KEYS) {
        ours.push(...(await block(typist)));
        baseline.push(...(await block(local)));
        bare.push(...(await block(relayed)));
        bareApart.push(...(await block(relayedApart)));
        if (vscode !== undefined) vscodes.push(...(await block(atVsCode)));
      }
      const besideVsCode = { ours, baseline: vscodes };
      return [
        compareQuantile('keystroke to echo, p50', 0.5, { ours, baseline }, 3),
        compareQuantile('keystroke to echo, p99', 0.99, { ours, baseline }, 5),
        compareQuantile('keystroke to echo, p50, bare WebSocket', 0.5, { ours, baseline: bare }, 3),
        compareQuantile('keystroke to echo, p99, bare WebSocket', 0.99, { ours, baseline: bare }, 3),
        compareQuantile(
          'keystroke to echo, p50, bare WebSocket and socket',
          0.5,
          { ours, baseline: bareApart },
          2,
        ),
        compareQuantile(
          'keystroke to echo, p99, bare WebSocket and socket',
          0.99,
          { ours, baseline: bareApart },
          2,
        ),
        ...(vscode === undefined
          ? []
          : [
              compareQuantile('keystroke to echo, p50, VS Code', 0.5, besideVsCode, 1.2),
              compareQuantile('keystroke to echo, p99, VS Code', 0.99, besideVsCode, 2),
            ]),
      ];
    } finally {
      await Promise.all([typist, local, relayed, relayedApart, atVsCode].map((each) => each.end()));
      await vscode?.end();
      await Promise.all([relay.end(), relayApart.end(), apart.end()]);
      await host.end();
    }
  });
}
