import { DispatchRejected, type Mirror } from '@agenthost/client';
import { ROOT_URI, type RootConfigState } from '@agenthost/protocol';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { rejectionSentence } from '../host-link/host-errors.ts';
import { propertyOf, readValue, settingTable, shownValue } from '../input/settings.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { oneLine, plain } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `config` and what is below it, as parsed. */
export interface ConfigOptions extends HostOptions {
  readonly json?: boolean;
}

const NO_SETTINGS: RootConfigState = { schema: { type: 'object', properties: {} }, values: {} };

/** `config`: all settings of the host, one to a line. */
export async function listConfig(
  context: Context,
  screen: Screen,
  options: ConfigOptions,
): Promise<ExitCode> {
  return withSettings(context, screen, options, async ({ schema, values }) => {
    if (options.json === true) {
      screen.json(values);
      return EXIT.done;
    }
    const table = settingTable(schema, values, ({ readOnly, default: usual }, value) => {
      if (readOnly === true) return ['fixed at the start of the host'];
      return usual === undefined || shownValue(value) === shownValue(usual)
        ? []
        : [`changed; the default is ${shownValue(usual)}`];
    });
    screen.list(table.lines, {
      none: 'the host has no settings',
      columns: table.columns,
      line: (line) => line,
    });
    return EXIT.done;
  });
}

/** `config get`: the value of one setting alone. */
export async function getConfig(
  context: Context,
  screen: Screen,
  key: string,
  options: ConfigOptions,
): Promise<ExitCode> {
  return withSettings(context, screen, options, async ({ schema, values }) => {
    propertyOf(schema, key);
    if (options.json === true) screen.json({ [key]: values[key] });
    else screen.line(plain(shownValue(values[key])));
    return EXIT.done;
  });
}

/** `config set`: changes one setting, for every client and lastingly. */
export async function setConfig(
  context: Context,
  screen: Screen,
  [key, text]: readonly [key: string, text: string],
  options: ConfigOptions,
): Promise<ExitCode> {
  return withSettings(context, screen, options, async ({ schema }, root) => {
    const value = readValue(schema, key, text);
    await change(root, key, value);
    tellValue(screen, options, { key, value, about: '' });
    return EXIT.done;
  });
}

/** `config unset`: gives a setting its default back, for every client. */
export async function unsetConfig(
  context: Context,
  screen: Screen,
  key: string,
  options: ConfigOptions,
): Promise<ExitCode> {
  return withSettings(context, screen, options, async ({ schema }, root) => {
    const { default: value } = propertyOf(schema, key);
    if (value === undefined) throw new CliError(EXIT.error, `${key} has no default: set a value instead`);
    await change(root, key, value);
    tellValue(screen, options, { key, value, about: ', its default' });
    return EXIT.done;
  });
}

/** Runs `use` with the host's settings as they are now, and with what they are changed by. */
function withSettings(
  context: Context,
  screen: Screen,
  options: ConfigOptions,
  use: (settings: RootConfigState, root: Mirror<'root'>) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const root = await client.subscribe(ROOT_URI);
    return use(root.state.config ?? NO_SETTINGS, root);
  });
}

function tellValue(
  screen: Screen,
  { json }: ConfigOptions,
  { key, value, about }: { key: string; value: unknown; about: string },
): void {
  if (json === true) screen.json({ [key]: value });
  else screen.line(`${key} is ${oneLine(shownValue(value), 1_000)} now${about}`);
}

async function change(root: Mirror<'root'>, key: string, value: unknown): Promise<void> {
  const answer = await root.dispatch({ type: 'root/configChanged', config: { [key]: value } });
  if (answer.outcome === 'rejected') {
    const cause = new DispatchRejected(answer);
    // A text that cannot be parsed has this exit code too.
    const exitCode = answer.code === 'invalidConfig' ? EXIT.usage : EXIT.error;
    throw new CliError(exitCode, oneLine(rejectionSentence(answer), 1_000), { cause });
  }
  if (answer.outcome !== 'accepted') throw new CliError(EXIT.error, `${key} may not have been set`);
}
