import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { HostAddress } from '../agents/host-process.ts';

const START_TIMEOUT_MS = 120_000;

/** What VS Code needs to use a host without a sign-in. */
const SETTINGS = {
  'chat.agentHost.allowSignedOutWhenUsable': true,
  'chat.terminal.agentHost.enabled': true,
  'chat.agentsControl.enabled': false,
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'extensions.autoCheckUpdates': false,
  'git.enabled': false,
  // Terminals are in the page, not on a canvas.
  'terminal.integrated.gpuAcceleration': 'off',
};

/** The server of VS Code, whose pages are windows of the editor. */
export class EditorProcess {
  readonly #program: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #url = '';
  #log = '';

  /** `program` is the command of the package. All files of the editor are in `folder`. */
  constructor(program: string, folder: string) {
    this.#program = program;
    this.#folder = folder;
  }

  /** Output so far. */
  get log(): string {
    return this.#log;
  }

  /** Starts it for a host. Rejects with the output when it ends before it is ready. */
  async start(host: HostAddress): Promise<void> {
    const user = join(this.#folder, 'data', 'User');
    await mkdir(user, { recursive: true });
    await writeFile(join(user, 'settings.json'), JSON.stringify(SETTINGS, null, 2));
    const server = join(dirname(this.#program), '../code-server/lib/vscode/out/server-main.js');
    const { hostname, port } = new URL(host.wsUrl);
    const child = spawn(
      process.execPath,
      [
        ...[server, '--host', '127.0.0.1', '--port', '0', '--without-connection-token'],
        ...['--accept-server-license-terms', '--telemetry-level', 'off', '--server-data-dir', this.#folder],
        ...['--agent-host-bridge-host', hostname, '--agent-host-bridge-port', port],
        ...['--agent-host-bridge-connection-token', host.token],
      ],
      {
        cwd: this.#folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'] ?? '', HOME: this.#folder, SHELL: '/bin/bash' },
      },
    );
    this.#child = child;
    this.#url = `http://127.0.0.1:${await this.#listening(child)}`;
  }

  /** Address of a window that shows a folder. */
  windowUrl(folder: string): string {
    return `${this.#url}/?folder=${folder}`;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }

  #listening(child: ChildProcess): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        clearTimeout(timer);
        reject(new Error(`VS Code ${why}; it wrote: ${this.#log.slice(-2_000)}`));
      };
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        fail(`was not ready within ${START_TIMEOUT_MS} ms`);
      }, START_TIMEOUT_MS);
      const read = (text: string): void => {
        this.#log += text;
        const [, port] = /listening on (\d+)/.exec(this.#log) ?? [];
        if (port === undefined) return;
        clearTimeout(timer);
        resolve(port);
      };
      child.stdout?.setEncoding('utf8').on('data', read);
      child.stderr?.setEncoding('utf8').on('data', read);
      child.once('error', (cause) => fail(`could not be started: ${cause.message}`));
      child.once('exit', (code, signal) => fail(`ended with ${code ?? signal} before it was ready`));
    });
  }
}
