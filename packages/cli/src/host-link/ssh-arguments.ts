import type { Context } from '../process/context.ts';
import { shellWord } from '../process/own-command.ts';
import type { SshAddress } from './ssh-address.ts';

/** A host that is reached by `ssh`. */
export interface SshTarget extends SshAddress {
  /** Command line that runs agenthost there. Absent: `agenthost` on PATH, else on the PATH of the login shell. */
  readonly command?: string;
  /** Data folder of the host. Absent: the only host that runs there. */
  readonly data?: string;
  /** Starts a host there if none runs. */
  readonly starts: boolean;
  /** Environment of `ssh`. The secrets of agenthost are removed before the start of `ssh`. */
  readonly env: Context['env'];
}

/** Time limit of `ssh` for a connection to the other machine, in seconds. */
const CONNECT_TIMEOUT_S = 10;

/** Arguments of `ssh` that run `hosts link` on the other machine. */
export function linkArguments(target: Omit<SshTarget, 'env'>): string[] {
  // The user's config may set these for interactive sessions.
  const options = [...COMMON_OPTIONS, 'ClearAllForwardings=yes', 'RemoteCommand=none'];
  return sshArguments(target, options, [], [remoteCommand(target)]);
}

/** A port of the other machine, and the socket file of this machine that leads to it. IPv6 addresses have brackets. */
export interface ForwardedPort {
  readonly socketFile: string;
  readonly remoteHost: string;
  readonly port: number;
}

/** Arguments of `ssh` that forward connections from a socket file to a port, until the process ends. */
export function forwardArguments(
  target: SshAddress,
  { socketFile, remoteHost, port }: ForwardedPort,
): string[] {
  // A shared connection would keep the socket open after the process.
  const options = [...COMMON_OPTIONS, 'ExitOnForwardFailure=yes', 'ControlPath=none', 'RemoteCommand=none'];
  return sshArguments(target, options, ['-N', '-L', `${socketFile}:${remoteHost}:${port}`], []);
}

const COMMON_OPTIONS = [
  // `ssh` must not ask questions: there may be no person to answer them.
  'BatchMode=yes',
  `ConnectTimeout=${CONNECT_TIMEOUT_S}`,
  'ServerAliveInterval=15',
  'ServerAliveCountMax=3',
  // A connection that this command shares with the user's sessions would end with the command. An existing shared connection is used.
  'ControlMaster=no',
];

function sshArguments(
  { destination, port }: SshAddress,
  options: readonly string[],
  flags: readonly string[],
  command: readonly string[],
): string[] {
  return [
    ...['-T', '-a', '-x'],
    ...options.flatMap((option) => ['-o', option]),
    ...flags,
    ...(port === undefined ? [] : ['-p', port]),
    ...['--', destination],
    ...command,
  ];
}

/** The command line for the shell of the other machine, in a form that every shell understands. */
function remoteCommand({ command, data, starts }: Pick<SshTarget, 'command' | 'data' | 'starts'>): string {
  const args = `hosts link${starts ? ' --start' : ''}${data === undefined ? '' : ` --data ${quoted(data)}`}`;
  const script =
    command === undefined
      ? `command -v agenthost >/dev/null 2>&1 && exec agenthost ${args}; exec "\${SHELL:-sh}" -lc ${quoted(`exec agenthost ${args}`)}`
      : `${command} ${args}`;
  return `exec sh -c ${quoted(script)}`;
}

const quoted = (text: string): string => (text === '' ? "''" : shellWord(text));
