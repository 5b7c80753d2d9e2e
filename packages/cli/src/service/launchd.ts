import { access, readFile, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { rotateLog } from '../host-link/rotate-log.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { dataFolder } from '../process/files.ts';
import { makeFolder } from '../process/make-folder.ts';
import { commandLine } from '../process/own-command.ts';
import { writeWhole } from '../process/write-whole.ts';
import { oneLine } from '../render/plain-text.ts';
import { launchdPlist } from './launchd-plist.ts';
import { mustRun, runProgram } from './run-program.ts';
import type { ServiceFacts, ServiceManager, ServiceState } from './service-port.ts';

const LABEL = 'agenthost';

const POLL_INTERVAL_MS = 200;
/** Time that launchd gets in addition to the time of the host. */
const MARGIN_MS = 10_000;

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
    // The file has the environment, so only this user may read it.
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
    await this.#unload(context);
  }

  async restart(context: Context): Promise<void> {
    await this.#known();
    await this.#load(context);
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

  async logCommand({ lines, follow }: { lines: number; follow: boolean }): Promise<readonly string[]> {
    await this.#known();
    return ['tail', '-n', String(lines), ...(follow ? ['-F'] : []), this.#logFile];
  }

  async uninstall(context: Context): Promise<void> {
    await this.stop(context);
    await rm(this.#plist, { force: true });
  }

  /** Loads the job. launchd opens the log then, and does not make its folder. */
  async #load(context: Context): Promise<void> {
    await this.#unload(context);
    await makeFolder(dirname(this.#logFile), 0o700);
    await rotateLog(this.#logFile);
    await mustRun(context, ['launchctl', 'bootstrap', this.#domain, this.#plist]);
  }

  /**
   * Removes the job from launchd, also while it does not run: a job that fails repeatedly has pauses. `bootout` may return before the host has ended,
   * and a job cannot be loaded until then.
   */
  async #unload(context: Context): Promise<void> {
    if (!(await this.#isLoaded(context))) return;
    const { err } = await runProgram(context, ['launchctl', 'bootout', `${this.#domain}/${LABEL}`]);
    const limitMs = (await this.#exitSeconds()) * 1_000 + MARGIN_MS;
    for (const end = performance.now() + limitMs; await this.#isLoaded(context); await wait(POLL_INTERVAL_MS))
      if (performance.now() > end)
        throw new CliError(
          EXIT.error,
          `launchd has not ended the service within ${limitMs / 1_000} s${err.trim() === '' ? '' : `: ${oneLine(err)}`}`,
        );
  }

  async #isLoaded(context: Context): Promise<boolean> {
    return (await runProgram(context, ['launchctl', 'print', `${this.#domain}/${LABEL}`])).code === 0;
  }

  /** The time that launchd gives the job to end, read from the file. */
  async #exitSeconds(): Promise<number> {
    const text = await readFile(this.#plist, 'utf8').catch(() => '');
    return Number(/<key>ExitTimeOut<\/key><integer>(\d+)</.exec(text)?.[1] ?? 60);
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
