import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

/** The address of a machine for the program `ssh`. */
export interface SshAddress {
  /** `user@server` or `server`, as `ssh` takes it: also a name of its config file. */
  readonly destination: string;
  /** Absent: that of the config file of `ssh`, else 22. */
  readonly port?: string;
}

/** Whether an address is for `ssh`. */
export const isSshUrl = (text: string): boolean => /^ssh:/i.test(text);

const FORM = /^ssh:\/\/(?:([^@/]*)@)?(\[[^\]]*\]|[^:/@]*)(?::(\d{1,5}))?\/?$/i;

/**
 * Parses `ssh://user@server:port`. Throws a usage error for all other texts, including names that `ssh` would interpret as options, and for passwords,
 * which `ssh` never gets.
 */
export function sshAddress(text: string): SshAddress {
  const [, user, host = '', port] = FORM.exec(text) ?? [];
  if (user?.includes(':') === true)
    throw usageError('an ssh:// address has no password: ssh signs in with a key');
  const server = host.replace(/^\[(.*)\]$/, '$1');
  const isName = host.startsWith('[') ? /^[0-9a-f:.]+(?:%\w+)?$/i.test(server) : /^\w[\w.-]*$/.test(server);
  const isUser = user === undefined || /^\w[\w.@\\+-]*$/.test(user);
  if (!isName || !isUser || Number(port ?? 22) > 65_535 || Number(port ?? 22) === 0)
    throw usageError(
      `expected an address such as ssh://user@server or ssh://server:22, got ${oneLine(text)}`,
    );
  return {
    destination: user === undefined ? server : `${user}@${server}`,
    ...(port === undefined ? {} : { port }),
  };
}
