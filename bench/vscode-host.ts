// VS Code's own agent host, alone, in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Where `scripts/install-vscode.ts` installs VS Code. */
const CODE = fileURLToPath(new URL('../.cache/vscode/node_modules/code-server/lib/vscode', import.meta.url));
const TOKEN = 'bench-token';

/** The protocol version that VS Code's host speaks. */
export const VSCODE_VERSION = '0.9.0';

/** VS Code's host, beside ours in a benchmark. */
export class VsCodeHost {
  readonly wsUrl: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, wsUrl: string) {
    this.#child = child;
    this.wsUrl = wsUrl;
  }

  /** Starts the host with its data in `folder`. Resolves with `undefined`, and says so, when VS Code is not installed. */
  static async start(folder: string): Promise<VsCodeHost | undefined> {
    if (!existsSync(CODE)) {
      console.error(
        'VS Code is not installed, so its host is left out: `node scripts/install-vscode.ts` installs it',
      );
      return undefined;
    }
    const port = await freePort();
    const child = spawn(
      process.execPath,
      [
        `${CODE}/out/bootstrap-fork.js`,
        '--type=agentHost',
        ...['--logsPath', `${folder}/logs`, '--user-data-dir', `${folder}/user`, '--telemetry-level', 'off'],
      ],
      { stdio: ['ignore', 'pipe', 'inherit'], cwd: folder, env: environment(folder, port) },
    );
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`VS Code's host ended with ${String(code)}`);
    });
    await Promise.race([listening(child), ended]);
    ended.catch(() => undefined);
    return new VsCodeHost(child, `ws://127.0.0.1:${port}/?tkn=${TOKEN}`);
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}

function environment(folder: string, port: number): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: folder,
    SHELL: '/bin/bash',
    VSCODE_ESM_ENTRYPOINT: 'vs/platform/agentHost/node/agentHostMain',
    VSCODE_AGENT_HOST_PORT: String(port),
    VSCODE_AGENT_HOST_HOST: '127.0.0.1',
    VSCODE_AGENT_HOST_CONNECTION_TOKEN: TOKEN,
    VSCODE_AGENT_HOST_LAUNCH_KIND: 'vscode_cli',
    VSCODE_NLS_CONFIG: JSON.stringify({
      userLocale: 'en',
      osLocale: 'en',
      resolvedLanguage: 'en',
      locale: 'en',
      availableLanguages: {},
      defaultMessagesFile: `${CODE}/out/nls.messages.json`,
    }),
  };
}

/** Resolves when the host has written that it listens. Its other output is read and dropped. */
function listening({ stdout }: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (stdout === null) return;
    createInterface({ input: stdout }).on('line', (line) => {
      if (line.includes('listening on')) resolve();
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
