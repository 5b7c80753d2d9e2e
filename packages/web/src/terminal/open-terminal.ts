import { randomId } from '@agenthost/client';
import { channelUri, type URI } from '@agenthost/protocol';
import type { HostLink } from '../live/host-link.ts';
import { createSetting } from '../live/setting.ts';

/** Commands of terminals, by URI: the host does not tell with what a terminal was started. */
const commandsSetting = createSetting<readonly (readonly [URI, string])[]>(
  'terminal.commands',
  [],
  (stored) => (Array.isArray(stored) ? stored.filter(isPair) : []),
);

const MAX_COMMANDS = 50;

const isPair = (value: unknown): value is readonly [URI, string] =>
  Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'string');

/** The command line with which this browser started a terminal; `undefined` for a shell and for terminals of others. */
export const commandOf = (uri: URI): string | undefined =>
  commandsSetting.value.find(([known]) => known === uri)?.[1];

/** What to run. */
export interface TerminalStart {
  /** Absent: the host's default folder. */
  readonly cwd?: URI | undefined;
  /** A command line for the shell. Absent: the shell itself. */
  readonly command?: string | undefined;
  /** Absent: the host chooses. */
  readonly name?: string | undefined;
}

/** Starts a terminal that this page holds. Resolves with its URI. Rejects with the error of the host. */
export async function openTerminal(link: HostLink, { cwd, command, name }: TerminalStart): Promise<URI> {
  const { client } = link;
  if (client === undefined) throw new Error('the host was never connected');
  const uri = channelUri('terminal', randomId());
  await client.request('createTerminal', {
    channel: uri,
    claim: { kind: 'client', clientId: client.clientId },
    ...(cwd === undefined ? {} : { cwd }),
    ...(name === undefined ? {} : { name }),
    ...(command === undefined ? {} : { 'x-command': ['sh', '-c', command] }),
  });
  if (command !== undefined)
    commandsSetting.set([...commandsSetting.value.slice(1 - MAX_COMMANDS), [uri, command]]);
  return uri;
}
