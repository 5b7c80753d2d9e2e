import { userInfo } from 'node:os';
import { errorText } from '@agenthost/protocol/values';
import { localRecords } from '../daemon/choose-host.ts';
import { type LaunchOptions, serveArguments } from '../daemon/serve-arguments.ts';
import { hostCommand } from '../host-link/start-host.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { dataDirOf } from '../serve/places.ts';
import { loginEnvironment, serviceEnvironment, systemPath } from '../service/environment.ts';
import { findPrivate } from '../service/find-private.ts';
import { Launchd } from '../service/launchd.ts';
import { showProgram } from '../service/run-program.ts';
import type { ServiceManager } from '../service/service-port.ts';
import { Systemd } from '../service/systemd.ts';

/** Options of `service` and what is below it, as parsed. */
export interface ServiceOptions {
  /** The service of the machine, with a user of its own. */
  readonly system?: boolean;
  readonly json?: boolean;
}

/** Options of `service install` as parsed. */
export interface InstallOptions extends LaunchOptions, ServiceOptions {
  /** NAME or NAME=value, repeated. */
  readonly env?: readonly string[];
  /** Prints the file of the service, and changes nothing. */
  readonly print?: boolean;
}

/** Options of `service logs` as parsed. */
export interface LogsOptions extends ServiceOptions {
  readonly lines: number;
  readonly follow?: boolean;
}

/** `service install`: writes the service and starts it. */
export async function installService(
  context: Context,
  screen: Screen,
  options: InstallOptions,
): Promise<ExitCode> {
  const isSystem = options.system === true;
  const manager = managerOf(context, isSystem);
  const command = hostCommand(serveArguments(options, context.cwd));
  const facts = { command, drainSeconds: options.drain ?? 0 };
  // Before any change: throws for texts that the file cannot hold.
  const described = manager.describe({ ...facts, variables: {} });
  if (options.print === true) {
    screen.text(described);
    return EXIT.done;
  }
  if (isSystem && process.getuid?.() !== 0)
    throw new CliError(EXIT.error, `--system: only root can install it; use \`sudo\`, or leave --system out`);
  if (isSystem) await refusePrivate(command);
  if (!isSystem) await refuseRival(context, manager, options);
  screen.status('reading the environment of your login shell');
  const login = isSystem ? { PATH: systemPath(process.execPath) } : await environmentOf(context, screen);
  screen.status(undefined);
  const { variables, leftOut } = serviceEnvironment(login, isSystem ? {} : context.env, options.env ?? []);
  if (command.some((word) => word.includes('/_npx/')))
    screen.note(
      'npx may remove this program from its cache; install it with `npm install --global agenthost`',
    );
  // Before the first start, which may fail without them.
  if (leftOut.length > 0)
    screen.note(
      `the service does not get ${leftOut.map((name) => oneLine(name)).join(', ')}; --env NAME passes a variable`,
    );
  for (const line of await manager.install(context, { ...facts, variables })) screen.note(line);
  if (options.json === true) screen.json({ service: manager.service, ...(await manager.state(context)) });
  else
    screen.note(
      `the service ${manager.service} is running; \`${commandLine('service logs')}\` shows its output`,
    );
  return EXIT.done;
}

/** `service start`, `stop` and `restart`. A host waits for its turns up to its `--drain`. */
export async function controlService(
  context: Context,
  screen: Screen,
  deed: 'start' | 'stop' | 'restart',
  options: ServiceOptions,
): Promise<ExitCode> {
  const manager = managerOf(context, options.system === true);
  screen.status(deed === 'start' ? 'starting the service' : 'waiting for the host');
  await manager[deed](context);
  screen.status(undefined);
  if (options.json === true) screen.json({ service: manager.service, ...(await manager.state(context)) });
  return EXIT.done;
}

/** `service status`: exit code 4 if it does not run. */
export async function showService(
  context: Context,
  screen: Screen,
  options: ServiceOptions,
): Promise<ExitCode> {
  const manager = managerOf(context, options.system === true);
  const state = await manager.state(context);
  if (options.json === true) screen.json({ service: manager.service, ...state });
  else if (!state.isInstalled)
    screen.note(`no service is installed: \`${commandLine('service install')}\` installs one`);
  else {
    screen.line(`${manager.service}: ${oneLine(state.state)}`);
    if (state.pid !== undefined) screen.line(`  pid      ${state.pid}`);
    if (state.statusText !== undefined) screen.line(`  status   ${oneLine(state.statusText, 500)}`);
    screen.line(`  starts   ${state.startsByItself ? 'automatically' : 'only manually'}`);
  }
  return state.isRunning ? EXIT.done : EXIT.cannotConnect;
}

/** `service logs`: the output of the service, in this terminal. */
export async function showServiceLogs(
  context: Context,
  _screen: Screen,
  { system, lines, follow = false }: LogsOptions,
): Promise<number> {
  return showProgram(context, await managerOf(context, system === true).logCommand({ lines, follow }));
}

/** `service uninstall`: stops the service and removes its files. */
export async function uninstallService(
  context: Context,
  screen: Screen,
  options: ServiceOptions,
): Promise<ExitCode> {
  const manager = managerOf(context, options.system === true);
  screen.status('waiting for the host');
  await manager.uninstall(context);
  screen.status(undefined);
  if (options.json === true) screen.json({ service: manager.service, ...(await manager.state(context)) });
  else screen.note(`removed the service ${manager.service}; the data folder stays`);
  return EXIT.done;
}

function managerOf(context: Context, isSystem: boolean): ServiceManager {
  if (context.platform === 'linux') return new Systemd(context, isSystem);
  if (context.platform === 'darwin') return new Launchd(context, isSystem);
  throw new CliError(
    EXIT.error,
    `the service manager of this system is not supported: \`${commandLine('start')}\` runs a host in the background`,
  );
}

/** Throws if a host that is not the service uses the data folder: the service could not start. */
async function refuseRival(
  context: Context,
  { service }: ServiceManager,
  { data }: InstallOptions,
): Promise<void> {
  const records = await localRecords(context, { data: dataDirOf(context, data) });
  const rival = records.find((record) => record.service !== service);
  if (rival === undefined) return;
  throw new CliError(
    EXIT.error,
    `a host already uses the data folder (pid ${rival.pid}): stop it with \`${commandLine('stop')}\` first`,
  );
}

/** Under `sudo` the program may be in the home folder of the caller, which the user of the service cannot enter. */
async function refusePrivate(command: readonly string[]): Promise<void> {
  const closed = await findPrivate(command);
  if (closed === undefined) return;
  const isProgram = command.indexOf(closed) < command.indexOf('serve');
  const instead = isProgram
    ? 'install Node and this program for all users'
    : 'move it to a place for all users';
  throw new CliError(
    EXIT.error,
    `--system: the user of the service cannot read ${oneLine(closed)}: ${instead}`,
  );
}

async function environmentOf(context: Context, screen: Screen): Promise<Context['env']> {
  const shell = context.env['SHELL'] || userInfo().shell || '/bin/sh';
  try {
    return await loginEnvironment(shell, context.env, context.home);
  } catch (error) {
    screen.note(`using the environment of this command: ${errorText(error)}`);
    return context.env;
  }
}
