import { resolve } from 'node:path';
import { ErrorCodes, type ExportedChatHead } from '@agenthost/protocol';
import { defined, sameJson } from '@agenthost/protocol/values';
import { withInputAsFile } from '../export/files.ts';
import { type ExportFile, readExport } from '../export/json-export.ts';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { detailsOf, errorSentence } from '../host-link/host-errors.ts';
import { shortId } from '../input/ids.ts';
import { folderFor } from '../input/session-options.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { counting } from './export.ts';

/** Options of `import` as parsed. */
export interface ImportOptions extends HostOptions {
  readonly session?: string;
  readonly cwd?: string;
  readonly agent?: string;
  /** Another name of `agent`. */
  readonly provider?: string;
  readonly json?: boolean;
}

/** `import`: makes a new session of a JSON export. */
export async function importSession(
  context: Context,
  screen: Screen,
  given: string,
  { provider, ...named }: ImportOptions,
): Promise<ExitCode> {
  if (provider !== undefined && named.agent !== undefined)
    throw usageError('--provider is another name of --agent: use one of them');
  const options = provider === undefined ? named : { ...named, agent: provider };
  if (given !== '-') {
    const path = resolve(context.cwd, given);
    return importFile(context, screen, await readExport(path), options);
  }
  return withInputAsFile(context, async (path) =>
    importFile(context, screen, await readExport(path, 'standard input'), options),
  );
}

async function importFile(
  context: Context,
  screen: Screen,
  file: ExportFile,
  options: ImportOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client, target }) => {
    const { session: uri, cwd, agent: provider, json = false } = options;
    const folder = cwd === undefined ? undefined : await folderFor(context, cwd, target);
    screen.status('importing the session');
    const session = await client.sessions
      .import(file, {
        turns: 0,
        ...defined({ uri, provider, workingDirectories: folder === undefined ? undefined : [folder] }),
        onProgress: (done) => screen.status(`importing ${done} of ${counting(file.turnCount, 'turn')}`),
      })
      .catch((error: unknown) => {
        throw explained(error, file, options);
      });
    screen.status(undefined);
    const { title, config } = session.mirror.confirmed;
    const chats = file.chats.length;
    const leftOut = otherValues(file.session.config, config?.values);
    const waiting = waitingCount(file.chats);
    if (json) {
      const { resource: from } = file.session;
      const counts = { chats, turns: file.turnCount, waiting };
      screen.json({ type: 'imported', session: session.uri, from, ...counts, leftOut });
    } else {
      screen.line(`${shortId(session.uri)}  ${oneLine(title)}`.trimEnd());
      screen.note(`${counting(file.turnCount, 'turn')} in ${counting(chats, 'chat')}`);
      const values = Object.entries(leftOut).map(([key, value]) => oneLine(`${key}=${shown(value)}`, 100));
      if (values.length > 0)
        screen.note(`settings that were not imported: ${oneLine(values.join(', '), 1_000)}`);
      if (waiting > 0) {
        screen.note(`${counting(waiting, 'message')} put into the draft, not sent`);
      }
    }
    session.dispose();
    return EXIT.done;
  });
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Config values of the file that the new session does not have. */
function otherValues(
  given: Readonly<Record<string, unknown>> = {},
  taken: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([key, value]) => !sameJson(value, taken[key])));
}

/** Messages that wait in chats that people write to. */
function waitingCount(chats: readonly ExportedChatHead[]): number {
  let count = 0;
  for (const { interactivity = 'full', steeringMessage, queuedMessages = [] } of chats) {
    if (interactivity !== 'full') continue;
    count += queuedMessages.length + (steeringMessage === undefined ? 0 : 1);
  }
  return count;
}

/** A refusal of the host, with the option that helps. */
function explained(error: unknown, { session }: ExportFile, { cwd, agent: wanted }: ImportOptions): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const { code } = error;
  const agent = wanted ?? session.provider;
  if (code === ErrorCodes.ProviderNotFound) {
    const message = `the host has no agent ${oneLine(agent)}: choose another with --agent; \`${commandLine('agents')}\` lists them`;
    return new CliError(EXIT.error, message, { cause: error });
  }
  const details = detailsOf(error);
  if (cwd !== undefined || details?.kind !== 'folder') return error;
  // The host takes the folder of a file only where it offers that folder to everybody.
  const advice =
    details.reason === 'outside' ? ', or give this one with --cwd' : ': choose a folder with --cwd';
  return new CliError(EXIT.error, `${oneLine(errorSentence(error))}${advice}`, { cause: error });
}
