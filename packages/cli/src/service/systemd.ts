import { access, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../process/context.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { configFolder } from '../process/files.ts';
import { commandLine } from '../process/own-command.ts';
import { writeWhole } from '../process/write-whole.ts';
import { environmentFile } from './environment.ts';
import { mustRun, runProgram } from './run-program.ts';
import type { ServiceFacts, ServiceManager, ServiceState } from './service-port.ts';
import { systemdUnit } from './systemd-unit.ts';

const UNIT = 'agenthost.service';
/** The user of the system unit, with its home folder. */
const USER = 'agenthost';
const HOME = '/var/lib/agenthost';

/** systemd: of the user, or of the machine. */
export class Systemd implements ServiceManager {
  readonly service = UNIT;
  readonly #isSystem: boolean;
  readonly #unitFile: string;
  readonly #environmentFile: string;

  constructor(context: Context, isSystem: boolean) {
    this.#isSystem = isSystem;
    const { env, home } = context;
    const config = env['XDG_CONFIG_HOME']?.startsWith('/') ? env['XDG_CONFIG_HOME'] : join(home, '.config');
    this.#unitFile = isSystem ? join('/etc/systemd/system', UNIT) : join(config, 'systemd/user', UNIT);
    this.#environmentFile = isSystem
      ? '/etc/agenthost/service.env'
      : join(configFolder(context), 'service.env');
  }

  describe({ command, drainSeconds }: ServiceFacts): string {
    return systemdUnit({
      unit: UNIT,
      command,
      environmentFile: this.#environmentFile,
      drainSeconds,
      ...(this.#isSystem ? { user: USER } : {}),
    });
  }

  async install(context: Context, facts: ServiceFacts): Promise<readonly string[]> {
    if (this.#isSystem) await this.#makeUser(context);
    await writeWhole(this.#environmentFile, environmentFile(facts.variables), 0o600);
    await writeWhole(this.#unitFile, this.describe(facts), 0o644);
    const written = [`wrote ${this.#unitFile} and ${this.#environmentFile}`];
    try {
      await mustRun(context, this.#systemctl('daemon-reload'));
      await mustRun(context, this.#systemctl('enable', UNIT));
      // A restart, because a running service has to use the new files too.
      await mustRun(context, this.#systemctl('restart', UNIT));
    } catch (cause) {
      if (!(cause instanceof CliError)) throw cause;
      const message = `${written.join('')}, but the service does not run: ${cause.message}; \`${commandLine('start')}\` runs a host without systemd`;
      throw new CliError(EXIT.error, message, { cause });
    }
    return [...written, ...(await this.#lingerHint(context))];
  }

  async start(context: Context): Promise<void> {
    await this.#known();
    await mustRun(context, this.#systemctl('start', UNIT));
  }

  async stop(context: Context): Promise<void> {
    await this.#known();
    await mustRun(context, this.#systemctl('stop', UNIT));
  }

  async restart(context: Context): Promise<void> {
    await this.#known();
    await mustRun(context, this.#systemctl('restart', UNIT));
  }

  async state(context: Context): Promise<ServiceState> {
    const isInstalled = await isThere(this.#unitFile);
    const properties = 'ActiveState,SubState,MainPID,StatusText,UnitFileState';
    const { out } = await mustRun(context, this.#systemctl('show', UNIT, `--property=${properties}`));
    const values = new Map(
      out
        .split('\n')
        .filter((line) => line.includes('='))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    const active = values.get('ActiveState') ?? 'unknown';
    const pid = Number(values.get('MainPID') ?? 0);
    const statusText = values.get('StatusText') ?? '';
    return {
      isInstalled,
      isRunning: active === 'active' || active === 'deactivating' || active === 'reloading',
      state: `${active} (${values.get('SubState') ?? 'unknown'})`,
      startsByItself: values.get('UnitFileState') === 'enabled',
      ...(pid > 0 ? { pid } : {}),
      ...(statusText === '' ? {} : { statusText }),
    };
  }

  async logCommand({ lines, follow }: { lines: number; follow: boolean }): Promise<readonly string[]> {
    await this.#known();
    const whose = this.#isSystem ? [] : ['--user'];
    return [
      'journalctl',
      ...whose,
      '--unit',
      UNIT,
      '--lines',
      String(lines),
      ...(follow ? ['--follow'] : ['--no-pager']),
    ];
  }

  async uninstall(context: Context): Promise<void> {
    await this.#known();
    let failure: CliError | undefined;
    try {
      await mustRun(context, this.#systemctl('disable', '--now', UNIT));
    } catch (cause) {
      if (!(cause instanceof CliError)) throw cause;
      failure = cause;
    }
    await rm(this.#unitFile, { force: true });
    await rm(this.#environmentFile, { force: true });
    if (failure !== undefined)
      throw new CliError(
        EXIT.error,
        `removed ${this.#unitFile} and ${this.#environmentFile}, but ${failure.message}: if the host still runs, \`${commandLine('stop')}\` stops it`,
        { cause: failure },
      );
    await mustRun(context, this.#systemctl('daemon-reload'));
  }

  #systemctl(...args: readonly string[]): readonly string[] {
    return ['systemctl', ...(this.#isSystem ? [] : ['--user']), ...args];
  }

  async #known(): Promise<void> {
    if (await isThere(this.#unitFile)) return;
    const how = this.#isSystem ? commandLine('service install --system') : commandLine('service install');
    throw new CliError(EXIT.cannotConnect, `the service is not installed: \`${how}\` installs it`);
  }

  async #makeUser(context: Context): Promise<void> {
    if ((await runProgram(context, ['id', '-u', USER])).code === 0) return;
    const options = ['--system', '--user-group', '--home-dir', HOME, '--create-home', '--shell', '/bin/bash'];
    await mustRun(context, ['useradd', ...options, USER]);
  }

  /** Without lingering, systemd ends the service of a user with the last session of the user. */
  async #lingerHint(context: Context): Promise<readonly string[]> {
    if (this.#isSystem) return [`the host runs as ${USER}, with its data in ${HOME}`];
    const { username } = userInfo();
    const { code, out } = await runProgram(context, [
      'loginctl',
      'show-user',
      username,
      '--property=Linger',
    ]).catch(() => ({ code: 1, out: '' }));
    return code === 0 && out.trim() === 'Linger=yes'
      ? []
      : [
          'it starts at your login and ends with your last session; `loginctl enable-linger` starts it at boot and keeps it running after you log out',
        ];
  }
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
