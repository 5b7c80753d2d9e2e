import type { Context } from '../process/context.ts';
import { EXIT, type ExitCode } from '../process/exit.ts';
import { homely, oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { dataDirOf } from '../serve/places.ts';
import { configFileOf } from './serve.ts';

/** Options of `agents install` as parsed. */
export interface InstallOptions {
  readonly config?: string;
  readonly data?: string;
  readonly json?: boolean;
}

/** `agents install`: installs agents into the host's own folder, one after the other, or updates them. */
export async function installAgents(
  context: Context,
  screen: Screen,
  wanted: readonly string[],
  options: InstallOptions,
): Promise<ExitCode> {
  const [{ readConfig }, { installAgent, planInstall }, { explainConfig }] = await Promise.all([
    import('../serve/config.ts'),
    import('../serve/install-agent.ts'),
    import('../serve/explain.ts'),
  ]);
  const { file, isRequired } = configFileOf(context, options.config);
  const config = await readConfig(file, isRequired).catch((cause: unknown) => {
    throw explainConfig(cause);
  });
  const dataDir = dataDirOf(context, options.data);
  // All names are checked before the first is installed.
  const plans = wanted.map((each) => planInstall(each, config));
  for (const plan of plans) {
    const tell = (line: string): void => screen.note(screen.colors.dim(oneLine(line)));
    const { isUnchanged, ...installed } = await installAgent(plan, { context, dataDir, tell });
    if (options.json === true) screen.json({ ...installed, isUnchanged });
    else {
      const what = `${installed.id} ${installed.version}`;
      const where = homely(installed.path, context.home);
      screen.line(oneLine(`${what} ${isUnchanged ? 'is installed already' : 'is installed'}: ${where}`));
    }
  }
  return EXIT.done;
}
