import { resolve } from 'node:path';
import { ErrorCodes } from '@agenthost/protocol';
import { withHost } from '../connect.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT, type ExitCode } from '../exit.ts';
import { type ExportFile, readExport } from '../export/read-export.ts';
import type { HostOptions } from '../find-host.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { shortId } from '../session-ids.ts';
import { folderFor } from '../working-folder.ts';
import { counting } from './export.ts';

/** Options of `import` as parsed. */
export interface ImportOptions extends HostOptions {
  readonly session?: string;
  readonly cwd?: string;
  readonly provider?: string;
  readonly json?: boolean;
}

/** `import`: makes a new session of a JSON export. */
export async function importSession(
  context: Context,
  screen: Screen,
  given: string,
  options: ImportOptions,
): Promise<ExitCode> {
  const file = await readExport(resolve(context.cwd, given));
  return withHost(context, screen, options, async ({ client, target }) => {
    const { session: uri, cwd, provider, json = false } = options;
    const workingDirectory = cwd === undefined ? undefined : await folderFor(context, cwd, target);
    screen.status('importing the session');
    const session = await client.sessions
      .import(file, {
        turns: 0,
        ...(uri === undefined ? {} : { uri }),
        ...(provider === undefined ? {} : { provider }),
        ...(workingDirectory === undefined ? {} : { workingDirectory }),
        onProgress: (done) => screen.status(`importing ${done} of ${counting(file.turnCount, 'turn')}`),
      })
      .catch((error: unknown) => {
        throw explained(error, file, options);
      });
    screen.status(undefined);
    const { title } = session.mirror.confirmed;
    const chats = file.chats.length;
    if (json) {
      const { resource: from } = file.session;
      screen.json({ type: 'imported', session: session.uri, from, chats, turns: file.turnCount });
    } else {
      screen.line(`${shortId(session.uri)}  ${oneLine(title)}`.trimEnd());
      screen.note(`${counting(file.turnCount, 'turn')} in ${counting(chats, 'chat')}`);
    }
    session.dispose();
    return EXIT.done;
  });
}

/** What a host refuses, with the option that helps. */
function explained(
  error: unknown,
  { session, chats }: ExportFile,
  { cwd, provider }: ImportOptions,
): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const { code } = error;
  const agent = provider ?? session.provider;
  if (code === ErrorCodes.ProviderNotFound) {
    const message = `this host has no agent ${oneLine(agent)}: choose one of \`agenthost agents\` by --provider`;
    return new CliError(EXIT.error, message, { cause: error });
  }
  const isFolder = code === ErrorCodes.NotFound || code === ErrorCodes.PermissionDenied;
  if (cwd === undefined && isFolder) {
    const folders = [session, ...chats].map(({ workingDirectory }) => workingDirectory);
    const named = folders.find((folder) => folder !== undefined && error.message.includes(folder));
    const message = `${oneLine(error.message)}: choose a folder by --cwd`;
    if (named !== undefined) return new CliError(EXIT.error, message, { cause: error });
  }
  return error;
}
