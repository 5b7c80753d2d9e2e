import { dirname, isAbsolute, join } from 'node:path';
import { ACP_CATALOGUE, type AcpAgentConfig } from '@agenthost/agents';
import { commandLine } from '../process/own-command.ts';

/** Folder of what `agents install` has installed for one agent. `current` in it is a link to the version in use. */
export const ownFolder = (dataDir: string, id: string): string => join(dataDir, 'agents', id);

/** Folder with the commands of the installed version. It need not exist. */
export const ownCommands = (dataDir: string, id: string): string =>
  join(ownFolder(dataDir, id), 'current', 'node_modules', '.bin');

/**
 * Path that the command of a known agent has if `agents install` has installed it. `undefined` for an agent with another command than the
 * known one: the config file decides.
 */
export function ownCommand(
  dataDir: string,
  { id, command }: Pick<AcpAgentConfig, 'id' | 'command'>,
): string | undefined {
  const isKnown = ACP_CATALOGUE.some((known) => known.id === id && known.command === command);
  return isKnown ? join(ownCommands(dataDir, id), command) : undefined;
}

/** Folders in whose `node_modules` the package of an agent is looked for: the installed one, then the folder of the config file. */
export const packageFolders = (configFile: string, dataDir: string, id: string): readonly string[] => [
  join(ownFolder(dataDir, id), 'current'),
  dirname(configFile),
];

/** Command that installs an agent into the data folder. */
export const ownInstall = (id: string): string => commandLine(`agents install ${id}`);

/** Command that installs the package of an agent. `undefined` for a folder, which is there or not. */
export const packageInstall = (id: string, name: string): string | undefined =>
  isAbsolute(name) ? undefined : ownInstall(id);
