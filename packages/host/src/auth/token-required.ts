import { homedir } from 'node:os';
import { addressName, isLoopbackName } from './address-name.ts';

/**
 * Why a request without a token is refused, and how to send one. `path`: file of the owner's token, which only callers on this machine are
 * told, with `~` for the home folder.
 */
export function tokenRequired(path: string | undefined, address: string | undefined): string {
  const how =
    'a token is required: send `Authorization: Bearer <token>`, or add `?token=<token>` to the address';
  if (path === undefined) return `${how}; whoever started the host gave it the owner's token`;
  if (!isLoopbackName(addressName(address)))
    return `${how}; the owner's token is in \`owner-token\` in the data folder of the host`;
  const home = homedir();
  return `${how}; the owner's token is in ${path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path}`;
}
