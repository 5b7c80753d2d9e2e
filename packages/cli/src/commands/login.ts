import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { commandLine, shellWord } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { dataDirOf } from '../serve/places.ts';
import { configFileOf } from './serve.ts';

/** Options of `login` with an agent as parsed. */
export interface LoginOptions {
  readonly config?: string;
  readonly data?: string;
  /** Prints the command instead of running it. */
  readonly print?: boolean;
}

/**
 * `login <agent>`: runs the command that signs in to the agent's service, in this terminal. Resolves with the exit code of the command.
 */
export async function loginAgent(
  context: Context,
  screen: Screen,
  id: string,
  options: LoginOptions,
): Promise<number> {
  const [{ readConfig }, { reportAgents }, { ownCommands }, { explainConfig }] = await Promise.all([
    import('../serve/config.ts'),
    import('../serve/agents.ts'),
    import('../serve/own-agents.ts'),
    import('../serve/explain.ts'),
  ]);
  const { file, isRequired } = configFileOf(context, options.config);
  const dataDir = dataDirOf(context, options.data);
  const { agents, models } = await readConfig(file, isRequired)
    .then(async (config) => ({
      agents: await reportAgents(config, { environment: context.env, file, dataDir }),
      models: new Set(config.modelAgents?.map((each) => each.id)),
    }))
    .catch((cause: unknown) => {
      throw explainConfig(cause);
    });
  const agent = agents.find((each) => each.id === id);
  // Agents over a model API have a key, which may be missing or not.
  const signIn = models.has(id) ? commandLine(`agents key ${shellWord(id)}`) : agent?.signIn;
  if (agent === undefined) {
    const names = agents
      .filter((each) => each.signIn !== undefined || models.has(each.id))
      .map((each) => each.id);
    throw usageError(
      `no agent ${oneLine(id)}; expected one of ${names.join(', ')}, or the URL of a resource`,
    );
  }
  if (!agent.available) {
    const how = agent.install === undefined ? '' : `; \`${agent.install}\` installs it`;
    throw new CliError(EXIT.error, `${id} is not installed: ${oneLine(agent.reason ?? '')}${how}`);
  }
  if (signIn === undefined)
    throw new CliError(EXIT.error, `${id} has no command that signs in: see its documentation`);
  if (options.print === true) {
    screen.line(signIn);
    return EXIT.done;
  }
  if (models.has(id)) {
    const { setKey } = await import('./set-key.ts');
    return setKey(context, screen, id, { ...options, needsKey: true });
  }
  screen.note(screen.colors.dim(`running ${oneLine(signIn)}`));
  // Programs that the host installed find each other.
  const path = [ownCommands(dataDir, id), context.env['PATH'] ?? ''].join(delimiter);
  return runCommand(signIn, { ...context.env, PATH: path }, context);
}

/** Runs a command line in the terminal of this program. Resolves with its exit code, 128 + n for signal n. */
function runCommand(command: string, env: Context['env'], context: Context): Promise<number> {
  const { AGENTHOST_TOKEN: _token, ...clean } = env;
  const child = spawn(command, { shell: true, stdio: 'inherit', env: clean });
  // The terminal sends Ctrl-C to the command too, which decides what to do with it.
  const giveBack = context.onSignal(['SIGINT'], () => undefined);
  return new Promise<number>((resolve, reject) => {
    child.on('error', (cause) => {
      reject(new CliError(EXIT.error, `${oneLine(command)} cannot be started`, { cause }));
    });
    child.on('close', (code, signal) =>
      resolve(code ?? (signal === 'SIGINT' ? EXIT.interrupted : EXIT.error)),
    );
  }).finally(giveBack);
}
