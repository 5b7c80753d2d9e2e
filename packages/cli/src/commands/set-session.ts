import type { AhpClient, SessionHandle } from '@agenthost/client';
import type { ConfigSchema, SessionConfigState } from '@agenthost/protocol';
import { checkAccepted } from '../host-link/accepted.ts';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { findSession, shortId } from '../input/ids.ts';
import { textOrFile } from '../input/session-options.ts';
import { keyAndValue, keyValues, readValue, settingTable, shownValue } from '../input/settings.ts';
import type { Context } from '../process/context.ts';
import { EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `sessions set` as parsed. */
export interface SetSessionOptions extends HostOptions {
  readonly instructions?: string;
  /** `key=value`s to add to the metadata; an empty value takes the key out. */
  readonly meta?: readonly string[];
  readonly json?: boolean;
}

const NO_SETTINGS: SessionConfigState = { schema: { type: 'object', properties: {} }, values: {} };

/** `sessions set`: changes settings of a session for every client; without any, lists them. */
export async function setSession(
  context: Context,
  screen: Screen,
  [given, ...texts]: readonly [session: string, ...texts: string[]],
  options: SetSessionOptions,
): Promise<ExitCode> {
  const pairs = texts.map((text) => keyAndValue(text, 'sessions set'));
  const meta = keyValues(options.meta ?? [], '--meta');
  const instructions =
    options.instructions === undefined ? undefined : await textOrFile(context, options.instructions);
  return withHost(context, screen, options, async ({ client }) => {
    const session = await openSession(client, given);
    try {
      const { schema, values } = session.mirror.state.config ?? NO_SETTINGS;
      const changes: Record<string, unknown> = readPairs(schema, pairs, given);
      if (instructions !== undefined) changes['instructions'] = instructions;
      if (options.meta !== undefined) changes['metadata'] = changedMetadata(values['metadata'], meta);
      if (Object.keys(changes).length === 0) list(screen, options, { schema, values });
      else await change(screen, options, session, changes);
      return EXIT.done;
    } finally {
      session.dispose();
    }
  });
}

async function openSession(client: AhpClient, given: string): Promise<SessionHandle> {
  const { resource } = await findSession(client, given);
  return client.sessions.open(resource, { turns: 0 });
}

function readPairs(
  schema: ConfigSchema,
  pairs: readonly (readonly [key: string, text: string])[],
  given: string,
): Record<string, unknown> {
  const isModel = pairs.some(([key]) => key === 'model' && !Object.hasOwn(schema.properties, key));
  if (isModel) {
    const line = commandLine(`run --session ${oneLine(given)} --model …`);
    throw usageError(`the model is chosen per message: \`${line}\`, or Ctrl-G in \`chat\``);
  }
  return Object.fromEntries(pairs.map(([key, text]) => [key, readValue(schema, key, text)]));
}

function changedMetadata(before: unknown, meta: Readonly<Record<string, string>>): Record<string, unknown> {
  const merged = Object.entries({ ...Object(before), ...meta });
  return Object.fromEntries(merged.filter(([, value]) => value !== ''));
}

function list(screen: Screen, { json }: SetSessionOptions, { schema, values }: SessionConfigState): void {
  if (json === true) return screen.json(values);
  const { columns, lines } = settingTable(schema, values, (property) =>
    property.sessionMutable === true ? [] : ['fixed at the creation of the session'],
  );
  screen.list(lines, { none: 'the session has no settings', columns, line: (line) => line });
}

async function change(
  screen: Screen,
  { json }: SetSessionOptions,
  session: SessionHandle,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const answer = await session.configure(changes);
  checkAccepted(answer, `${shortId(session.uri)} was not changed`);
  if (json === true) return screen.json(changes);
  for (const [key, value] of Object.entries(changes))
    screen.line(`${oneLine(key)} is ${oneLine(shownValue(value), 1_000)} now`);
}
