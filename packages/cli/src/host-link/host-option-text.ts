import { shellWord } from '../process/shell-word.ts';
import { withoutToken } from './connect.ts';
import type { HostOptions } from './find-host.ts';

/** The options by which another command finds the host that this one was told of, with a space before each; never a token or a password. */
export function hostOptionText({ url, fingerprint }: HostOptions): string {
  return [
    url === undefined ? '' : ` --url ${shellWord(shownUrl(url))}`,
    fingerprint === undefined ? '' : ` --fingerprint ${shellWord(fingerprint)}`,
  ].join('');
}

function shownUrl(given: string): string {
  const url = new URL(withoutToken(given));
  url.username = '';
  url.password = '';
  return url.href.replace(/\/$/, '');
}
