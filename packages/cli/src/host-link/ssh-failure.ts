import { CannotConnect } from '@agenthost/client';
import { plain } from '../render/plain-text.ts';
import type { SshAddress } from './ssh-address.ts';

/** A host could not be reached by `ssh`. The message says what to do. */
export class SshFailure extends CannotConnect {
  override readonly name = 'CannotConnect';
  /** Whether the machine was reached, but no host runs there. */
  readonly isAbsent: boolean;

  constructor(message: string, { isAbsent = false, ...options }: ErrorOptions & { isAbsent?: boolean } = {}) {
    super(message, options);
    this.isAbsent = isAbsent;
  }
}

/** Exit code of `ssh` for its own failures. */
const SSH_FAILED = 255;
/** Exit code of a shell that does not find the program. */
const NOT_FOUND = 127;

/** End of an `ssh` process before the host was reached. */
export interface SshEnd {
  /** `undefined`: ended by a signal. */
  readonly code: number | undefined;
  /** The stderr of `ssh` and of the other machine. */
  readonly said: string;
  /** The stdout of the other machine. */
  readonly printed: string;
}

/** Explains why `ssh` ended. */
export function sshFailure({ destination, port }: SshAddress, { code, said, printed }: SshEnd): SshFailure {
  const place = port === undefined ? destination : `-p ${port} ${destination}`;
  const lines = plain(said)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const last = (lines.at(-1) ?? plain(printed).trim().split('\n').at(-1) ?? '').slice(0, 500);
  const told = last === '' ? `ssh ended with ${code === undefined ? 'a signal' : `exit code ${code}`}` : last;
  if (code === SSH_FAILED) {
    if (/host key verification failed|remote host identification has changed/i.test(said))
      return new SshFailure(
        `ssh does not trust the key of ${destination}: connect once with \`ssh ${place}\` to check and accept it`,
      );
    if (/permission denied|too many authentication failures|no supported authentication/i.test(said))
      return new SshFailure(
        `ssh could not sign in to ${destination} (${told}): agenthost asks for no password, so load a key with \`ssh-add\`, and check with \`ssh -o BatchMode=yes ${place} true\``,
      );
    return new SshFailure(`ssh could not reach ${destination}: ${told}`);
  }
  if (code === NOT_FOUND || /(?:not found|no such file or directory)[^\n]*$/i.test(told))
    return new SshFailure(
      `the program agenthost was not found on ${destination} (${told}): install it there with \`npm install --global agenthost\`, or set its path with \`hosts add … --command\``,
    );
  if (/unknown (?:command|option)|too many arguments/i.test(said))
    return new SshFailure(
      `the program agenthost on ${destination} is too old for ssh:// addresses: update it there with \`npm install --global agenthost\``,
    );
  return new SshFailure(`${destination}: ${told.replace(/^agenthost: /, '')}`);
}
