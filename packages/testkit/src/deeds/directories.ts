import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChatState, ClientAction, SessionState } from '@agenthost/protocol';
import type { SeededRandom } from '../seeded-random.ts';

const DEEDS = { set: 4, remove: 2, replace: 1 } as const;

/** Folders that working directories are chosen from. One does not exist. */
export const FOLDERS = [
  'packages',
  'packages/host',
  'packages/client',
  'packages/protocol',
  'no-such-folder',
];

/** The URI of one of `FOLDERS` below a folder. */
export const someFolder = (random: SeededRandom, below = process.cwd()): string =>
  pathToFileURL(join(below, random.pick(FOLDERS))).href;

/** Adds, removes or replaces a working directory of a session. Hosts reject some of these. */
export function sessionDirectory(
  random: SeededRandom,
  { workingDirectories = [] }: SessionState,
  below?: string,
): ClientAction {
  const directory = someFolder(random, below);
  const present = workingDirectories.length > 0 ? random.pick(workingDirectories) : directory;
  const deed = random.weighted(DEEDS);
  switch (deed) {
    case 'set':
      return { type: 'session/workingDirectorySet', directory };
    case 'remove':
      return { type: 'session/workingDirectoryRemoved', directory: present };
    case 'replace':
      return { type: 'session/workingDirectoryReplaced', directory: present, replacement: directory };
    default:
      return deed satisfies never;
  }
}

/** Adds or removes a working directory of a chat. The host rejects a directory that its session does not have. */
export function chatDirectory(
  random: SeededRandom,
  { workingDirectories = [] }: ChatState,
  below?: string,
): ClientAction {
  if (workingDirectories.length === 0 || random.chance(0.6))
    return { type: 'chat/workingDirectorySet', directory: someFolder(random, below) };
  return { type: 'chat/workingDirectoryRemoved', directory: random.pick(workingDirectories) };
}
