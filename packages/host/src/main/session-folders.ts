import { findChat, type SessionState } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import { AgentError } from '../agents/errors.ts';
import type { TurnParts } from '../turns/parts.ts';
import { pathOfFileUri } from '../workspace/file-uri.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Absolute paths of the folders that a chat works in: its own or its session's [SESS-23]. */
export const workingDirectories =
  (workspace: Workspace): TurnParts['workingDirectoriesOf'] =>
  async (session, chat) => {
    const own = findChat(session.state.chats, chat.uri)?.workingDirectories ?? [];
    const [primary, ...others] = own.length > 0 ? own : (session.state.workingDirectories ?? []);
    // The folders were permitted when the session got them. Here they only have to exist.
    const pathOf = async (uri: string | undefined): Promise<string> =>
      (await workspace.resolveDirectory(uri, true)).path;
    try {
      return [await pathOf(primary), ...(await Promise.all(others.map(pathOf)))];
    } catch (error) {
      throw new AgentError('hostError', errorText(error), { cause: error });
    }
  };

/** Absolute paths of the folders that a session works in, as far as they are files. */
export const foldersOf =
  (defaultDirectory: string) =>
  ({ workingDirectories = [] }: SessionState): readonly string[] => {
    const folders = workingDirectories.filter((uri) => uri.startsWith('file:')).map(pathOfFileUri);
    return folders.length > 0 ? folders : [defaultDirectory];
  };
