// Starts the agent host of an installed VS Code, without the editor.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openHost } from '@agenthost/conformance';
import type { Transport } from '@agenthost/rpc';
import { removeFolder } from '../remove-folder.ts';

/** An agent host of VS Code that runs, and the folder that its sessions work in. */
export interface AgentHost {
  readonly folder: string;
  open(signal: AbortSignal): Promise<Transport>;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;

/** `command` is the program of the `code-server` package. Rejects with its output when it does not start. */
export async function startAgentHost(command: string): Promise<AgentHost> {
  const home = mkdtempSync(join(tmpdir(), 'agenthost-vscode-host-'));
  const folder = join(home, 'work');
  for (const name of ['work', 'logs', 'user']) mkdirSync(join(home, name));
  const out = join(dirname(command), '../code-server/lib/vscode/out');
  const port = await freePort();
  const token = randomBytes(16).toString('hex');
  const language = { userLocale: 'en', osLocale: 'en', resolvedLanguage: 'en', locale: 'en' };
  const child = spawn(
    process.execPath,
    [
      ...[join(out, 'bootstrap-fork.js'), '--type=agentHost', '--telemetry-level', 'off'],
      ...['--logsPath', join(home, 'logs'), '--user-data-dir', join(home, 'user')],
    ],
    {
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        SHELL: '/bin/bash',
        VSCODE_ESM_ENTRYPOINT: 'vs/platform/agentHost/node/agentHostMain',
        VSCODE_AGENT_HOST_PORT: String(port),
        VSCODE_AGENT_HOST_HOST: '127.0.0.1',
        VSCODE_AGENT_HOST_CONNECTION_TOKEN: token,
        VSCODE_AGENT_HOST_LAUNCH_KIND: 'vscode_cli',
        VSCODE_NLS_CONFIG: JSON.stringify({
          ...language,
          availableLanguages: {},
          defaultMessagesFile: join(out, 'nls.messages.json'),
        }),
      },
    },
  );
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-4_000);
    });
  const stop = async (): Promise<void> => {
    await ended(child);
    await removeFolder(home);
  };
  const url = `ws://127.0.0.1:${port}/?tkn=${token}`;
  const open: AgentHost['open'] = (signal) => openHost({ url }, signal);
  try {
    await reached(open, child);
  } catch (cause) {
    await stop();
    throw new Error(`VS Code's host did not start; it wrote: ${log}`, { cause });
  }
  return { folder, open, stop };
}

async function reached(open: AgentHost['open'], child: ChildProcess): Promise<void> {
  const endAt = performance.now() + START_TIMEOUT_MS;
  for (;;)
    try {
      const transport = await open(AbortSignal.timeout(5_000));
      transport.start({ onFrame: () => undefined, onClose: () => undefined });
      transport.close();
      return;
    } catch (cause) {
      if (child.exitCode !== null || performance.now() > endAt) throw cause;
      await wait(200);
    }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(kill);
}

/** A port that nothing listens on. The host takes no port 0. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
