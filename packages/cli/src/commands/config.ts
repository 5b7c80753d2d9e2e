import { DispatchRejected } from '@agenthost/client';
import { ROOT_URI, type RootConfigState } from '@agenthost/protocol';
import { withHost } from '../connect.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../exit.ts';
import type { HostOptions } from '../find-host.ts';
import { readValue, shownValue } from '../key-values.ts';
import { oneLine, plain } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `config` and what is below it, as parsed. */
export interface ConfigOptions extends HostOptions {
  readonly json?: boolean;
}

const none: RootConfigState = { schema: { type: 'object', properties: {} }, values: {} };

/** `config`: all settings of the host, one to a line. */
export async function listConfig(
  context: Context,
  screen: Screen,
  options: ConfigOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const root = await client.subscribe(ROOT_URI);
    const { schema, values } = root.state.config ?? none;
    if (options.json === true) {
      screen.json(values);
      return EXIT.done;
    }
    const keys = Object.keys(schema.properties);
    const width = Math.max(0, ...keys.map((key) => key.length));
    const shown = keys.map((key) => oneLine(shownValue(values[key]), 200));
    const valueWidth = Math.max(0, ...shown.map((text) => text.length));
    for (const [index, key] of keys.entries()) {
      const { title, readOnly, enum: choices } = schema.properties[key] ?? { title: '' };
      const notes = [
        ...(choices === undefined ? [] : [choices.join(', ')]),
        ...(readOnly === true ? ['fixed when the host was started'] : []),
      ];
      const about = notes.length === 0 ? title : `${title} (${notes.join('; ')})`;
      screen.line(`${key.padEnd(width)}  ${(shown[index] ?? '').padEnd(valueWidth)}  ${oneLine(about, 200)}`);
    }
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
  return withHost(context, screen, options, async ({ client }) => {
    const root = await client.subscribe(ROOT_URI);
    const { schema, values } = root.state.config ?? none;
    if (!Object.hasOwn(schema.properties, key)) {
      throw usageError(
        `${oneLine(key)}: unknown; expected one of ${Object.keys(schema.properties).join(', ')}`,
      );
    }
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
  return withHost(context, screen, options, async ({ client }) => {
    const root = await client.subscribe(ROOT_URI);
    const { schema } = root.state.config ?? none;
    const value = readValue(schema, key, text);
    const answer = await root.dispatch({ type: 'root/configChanged', config: { [key]: value } });
    if (answer.outcome === 'rejected') {
      const cause = new DispatchRejected(answer.code, answer.reason);
      throw new CliError(EXIT.error, oneLine(answer.reason, 1_000), { cause });
    }
    if (answer.outcome !== 'accepted') throw new CliError(EXIT.error, `${key} may not have been set`);
    if (options.json === true) screen.json({ [key]: value });
    else screen.line(`${key} is ${oneLine(shownValue(value), 1_000)} now`);
    return EXIT.done;
  });
}
