import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, errorText } from '@agenthost/protocol/values';
import type { Context } from './context.ts';

type Where = Pick<Context, 'env' | 'home' | 'platform'>;

function folder({ env, home, platform }: Where, variable: string, fallback: readonly string[]): string {
  const given = env[variable];
  // The XDG base directory specification requires that relative paths in these variables are ignored.
  if (given?.startsWith('/')) return join(given, 'agenthost');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'agenthost');
  return join(home, ...fallback, 'agenthost');
}

/** The default data folder of a host. */
export const dataFolder = (where: Where): string => folder(where, 'XDG_DATA_HOME', ['.local', 'share']);

/** The folder of the config file. */
export const configFolder = (where: Where): string => folder(where, 'XDG_CONFIG_HOME', ['.config']);

/** Folder of the keys of model agents. A part of the config folder, which is private to the host. */
export const keyFolder = (where: Where): string => join(configFolder(where), 'keys');

/** File with the hosts that the user has named, and their tokens. */
export const hostListFile = (where: Where): string => join(configFolder(where), 'hosts.json');

/** File with the certificates of remote hosts. */
export const knownHostsFile = (where: Where): string =>
  join(folder(where, 'XDG_STATE_HOME', ['.local', 'state']), 'known-hosts');

/** File with the tokens for resources that `agenthost login` has got. */
export const signInsFile = (where: Where): string =>
  join(folder(where, 'XDG_STATE_HOME', ['.local', 'state']), 'sign-ins.json');

/** File with the newest version that the registry had. */
export const updateCheckFile = (where: Where): string =>
  join(folder(where, 'XDG_STATE_HOME', ['.local', 'state']), 'update-check.json');

/** Folder with the records of running hosts. */
export const hostsFolder = (where: Where): string =>
  join(folder(where, 'XDG_STATE_HOME', ['.local', 'state']), 'hosts');

/** Whether the path is an existing folder. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (errorCode(error) !== undefined) return false;
    throw error;
  }
}

/** The reason why a file cannot be read or written, for messages. */
export function fileTrouble(cause: unknown): string {
  switch (errorCode(cause)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'the file does not exist';
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EROFS':
      return 'the disk is read-only';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'no space left';
    default:
      return errorText(cause);
  }
}
