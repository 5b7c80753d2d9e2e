import { access, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { rotateLog } from '../host-link/rotate-log.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { dataFolder } from '../process/files.ts';
import { commandLine } from '../process/own-command.ts';
import { launchdPlist } from './launchd-plist.ts';
import { writeWhole } from './private-files.ts';
import { mustRun, runProgram } from './run-program.ts';
import type { ServiceFacts, ServiceManager, ServiceState } from './service-port.ts';

const LABEL = 'agenthost';

/** launchd of macOS, for the logged-in user. */
export class Launchd implements ServiceManager {
  readonly service = LABEL;
  readonly #plist: string;
  readonly #logFile: string;
  readonly #home: string;
  readonly #domain = `gui/${userInfo().uid}`;

  constructor(context: Context, isSystem: boolean) {
    if (isSystem) throw usageError('--system is for systemd; launchd runs the host for the logged-in user');
    this.#home = context.home;
    this.#plist = join(context.home, 'Library/LaunchAgents', `${LABEL}.plist`);
    this.#logFile = join(dataFolder(context), 'serve.log');
  }

  describe({ command, variables, drainSeconds }: ServiceFacts): string {
    return launchdPlist({
      label: LABEL,
      command,
      environment: variables,
      workingDirectory: this.#home,
      logFile: this.#logFile,
      drainSeconds,
    });
  }

  async install(context: Context, facts: ServiceFacts): Promise<readonly string[]> {
    // The environment is in it.
    await writeWhole(this.#plist, this.describe(facts), 0o600);
    await this.#load(context);
    return [`wrote ${this.#plist}`, 'it starts at your login and ends with your session'];
  }

  async start(context: Context): Promise<void> {
    await this.#known();
    if ((await this.state(context)).isRunning) return;
    await this.#load(context);
  }

  async stop(context: Context): Promise<void> {
    await this.#known();
    if ((await this.state(context)).isRunning)
      await mustRun(context, ['launchctl', 'bootout', `${this.#domain}/${LABEL}`]);
  }

  async restart(context: Context): Promise<void> {
    await this.stop(context);
    await this.start(context);
  }

  async state(context: Context): Promise<ServiceState> {
    const isInstalled = await isThere(this.#plist);
    const { code, out } = await runProgram(context, ['launchctl', 'print', `${this.#domain}/${LABEL}`]);
    const state = /^\s*state = (.+)$/m.exec(out)?.[1] ?? 'not loaded';
    const pid = Number(/^\s*pid = (\d+)$/m.exec(out)?.[1] ?? 0);
    return {
      isInstalled,
      isRunning: code === 0 && state === 'running',
      state,
      startsByItself: isInstalled,
      ...(pid > 0 ? { pid } : {}),
    };
  }

  logCommand({ lines, follow }: { lines: number; follow: boolean }): readonly string[] {
    return ['tail', '-n', String(lines), ...(follow ? ['-F'] : []), this.#logFile];
  }

  async uninstall(context: Context): Promise<void> {
    await this.stop(context);
    await rm(this.#plist, { force: true });
  }

  /** launchd opens the log when it loads the job. */
  async #load(context: Context): Promise<void> {
    await runProgram(context, ['launchctl', 'bootout', `${this.#domain}/${LABEL}`]);
    await rotateLog(this.#logFile);
    await mustRun(context, ['launchctl', 'bootstrap', this.#domain, this.#plist]);
  }

  async #known(): Promise<void> {
    if (await isThere(this.#plist)) return;
    throw new CliError(
      EXIT.cannotConnect,
      `the service is not installed: \`${commandLine('service install')}\` installs it`,
    );
  }
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
