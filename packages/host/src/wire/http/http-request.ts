import type { IncomingMessage } from 'node:http';

/** Methods that only read. Lists of methods are as in `Allow`. */
export const READS = 'GET, HEAD';

/** Whether the method of a request is one of a list. */
export const hasMethod = ({ method = '' }: IncomingMessage, allow: string): boolean =>
  allow.split(', ').includes(method);

/** What is said with a 405, besides the list in `Allow` (RFC 9110, 15.5.6). */
export const onlyMethods = (allow: string): string => `only ${allow} is answered here`;

/** The path of a request, also where its target is a whole address (RFC 9112, 3.2.2). */
export const pathOf = ({ url = '' }: IncomingMessage): string =>
  url.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] || '/';
