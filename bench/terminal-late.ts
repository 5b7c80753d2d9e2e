import { type Measured, median } from './bar.ts';
import { withFolder } from './process.ts';
import { ServeProcess } from './terminal-host.ts';
import { VSCODE_VERSION, VsCodeHost } from './vscode-host.ts';
import { WireClient } from './wire.ts';

const BYTES = 50_000_000;
const LINE = '2026-03-01T12:00:00.000Z info build: compiled module 4711 of 9000 in 12.3 ms';
/** The sum ends the output only, because the command itself is echoed. */
const COMMAND = `yes '${LINE}' | head -c ${BYTES}; echo; echo end $((6 * 7))\n`;
const END = 'end 42';
const TIMES = 20;

const MOST_BYTES = 200_000;
const MOST_MS = 10;

interface Late {
  readonly bytes: number;
  readonly ms: number;
}

/** The state of a terminal for a client that subscribes after 50 MB of output, against fixed bars. VS Code's own host is told for comparison. */
export async function terminalLate(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    const ours = await lateAt(await ServeProcess.start(folder, true));
    const vscode = await VsCodeHost.start(folder);
    const theirs = vscode && (await lateAt(vscode, VSCODE_VERSION));
    const kilobytes = (bytes: number): string => `${Math.round(bytes / 1e3)} kB`;
    const milliseconds = (ms: number): string => `${ms.toFixed(2)} ms`;
    const results: Measured[] = [
      {
        name: 'late subscriber of a terminal, snapshot',
        figure: kilobytes(ours.bytes),
        baseline: kilobytes(MOST_BYTES),
        ratio: ours.bytes / MOST_BYTES,
        bar: { atMost: 1 },
      },
      {
        name: 'late subscriber of a terminal, time',
        figure: milliseconds(ours.ms),
        baseline: milliseconds(MOST_MS),
        ratio: ours.ms / MOST_MS,
        bar: { atMost: 1 },
      },
    ];
    if (theirs !== undefined)
      console.error(`VS Code's host: a snapshot of ${kilobytes(theirs.bytes)} in ${milliseconds(theirs.ms)}`);
    return results;
  });
}

/** Measures a host, and ends it. */
async function lateAt(host: ServeProcess | VsCodeHost, version?: string): Promise<Late> {
  try {
    return await subscribeLate(host.wsUrl, version);
  } finally {
    await host.end();
  }
}

/** Fills a terminal while one client watches, then subscribes with others, each on a new connection. */
async function subscribeLate(url: string, version?: string): Promise<Late> {
  const watcher = await WireClient.connect(url, 'watcher', version);
  const channel = `ahp-terminal:/${crypto.randomUUID()}`;
  await watcher.request('createTerminal', { channel, claim: { kind: 'client', clientId: 'watcher' } });
  await watcher.request('subscribe', { channel });
  const ended = new Promise<void>((resolve) => {
    let tail = '';
    watcher.takeOver((frame) => {
      const { params } = JSON.parse(frame.toString());
      if (params?.action?.type !== 'terminal/data') return;
      tail = (tail + params.action.data).slice(-200);
      if (tail.includes(END)) resolve();
    });
  });
  watcher.dispatch(channel, { type: 'terminal/input', data: COMMAND });
  await ended;
  await watcher.close();
  const times: number[] = [];
  let bytes = 0;
  for (let index = 0; index < TIMES; index += 1) {
    const late = await WireClient.connect(url, `late-${index}`, version);
    const startedAt = performance.now();
    const { snapshot } = await late.request<{ snapshot: object }>('subscribe', { channel });
    times.push(performance.now() - startedAt);
    bytes = Math.max(bytes, Buffer.byteLength(JSON.stringify(snapshot)));
    await late.close();
  }
  const owner = await WireClient.connect(url, 'watcher', version);
  await owner.request('disposeTerminal', { channel });
  await owner.close();
  return { bytes, ms: median(times) };
}
