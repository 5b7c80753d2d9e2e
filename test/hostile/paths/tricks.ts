import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Content of the files that nobody may read. */
export const SECRET = 'planted-secret';

/** Folders for a trick. */
export interface Place {
  /** The working directory; absolute. */
  readonly work: string;
  /** The target of the trick: a sibling of an ancestor of `work`. */
  readonly outside: string;
  /** Path of the requested file in `outside`: `/secret.txt`, or '' for the folder itself. */
  readonly leaf: string;
}

/** A name for a file outside the working directory, or for something that is no file. */
export interface Trick {
  readonly name: string;
  readonly uri: (place: Place) => string;
  /** The trick as a path. Absent: the trick works only as a URI. */
  readonly path?: (place: Place) => string;
  /** The name is also a valid file name: a write makes such a file inside the working directory. */
  readonly isPlainName?: true;
}

/** Name of `outside`. `work` lies two folders below the parent of `outside`. */
const up = ({ outside }: Place): string => basename(outside);
const base = ({ work }: Place): string => pathToFileURL(work).href;

/** A trick below the working directory, as URI and as path. `rest` needs no escapes. */
const below = (name: string, rest: (place: Place) => string, more: { isPlainName?: true } = {}): Trick => ({
  name,
  uri: (place) => `${base(place)}/${rest(place)}`,
  path: (place) => `${place.work}/${rest(place)}`,
  ...more,
});

/** The same with characters that a URI must encode. */
const unicode = (name: string, rest: (place: Place) => string, more: { isPlainName?: true } = {}): Trick => ({
  ...below(name, rest, more),
  uri: (place) => `${base(place)}/${encodeURI(rest(place))}`,
});

/** A trick with the same absolute path as URI and as path. */
const absolute = (name: string, path: (place: Place) => string): Trick => ({
  name,
  uri: (place) => `file://${path(place)}`,
  path,
});

const uriOnly = (name: string, uri: (place: Place) => string): Trick => ({ name, uri });

const PLAIN = { isPlainName: true } as const;

/** Reads and requests with a folder refuse all of them. */
export const tricks: readonly Trick[] = [
  below('by ..', (at) => `../../${up(at)}${at.leaf}`),
  below('by .. behind a folder', (at) => `sub/../../../${up(at)}${at.leaf}`),
  below('by .. behind what does not exist', (at) => `none/../../../${up(at)}${at.leaf}`),
  uriOnly('by encoded ..', (at) => `${base(at)}/%2e%2e/%2E%2e/${up(at)}${at.leaf}`),
  uriOnly('by half encoded ..', (at) => `${base(at)}/.%2e/%2e./${up(at)}${at.leaf}`),
  below('by twice encoded ..', (at) => `%252e%252e/%252e%252e/${up(at)}${at.leaf}`, PLAIN),
  uriOnly('by encoded slashes', (at) => `${base(at)}/..%2f..%2F${up(at)}${at.leaf.replace('/', '%2f')}`),
  below('by twice encoded slashes', (at) => `..%252f..%252f${up(at)}`, PLAIN),
  uriOnly('by overlong UTF-8', (at) => `${base(at)}/%c0%ae%c0%ae/%c0%ae%c0%ae/${up(at)}${at.leaf}`),
  uriOnly('by an encoded surrogate', (at) => `${base(at)}/%ed%a0%80`),
  below('by half a surrogate pair', () => 'half\ud800'),
  uriOnly('by an encoded NUL', (at) => `${base(at)}/in.txt%00.png`),
  below('by a NUL', () => 'in.txt\0.png'),
  below('by a backslash', (at) => `..\\..\\${up(at)}`, PLAIN),
  uriOnly('by a line end', (at) => `${base(at)}/.\n./.\n./${up(at)}${at.leaf}`),
  uriOnly('by a query', (at) => `${base(at)}/in.txt?/../../${up(at)}`),
  uriOnly('by a fragment', (at) => `${base(at)}/in.txt#/../../${up(at)}`),
  uriOnly('on another host', (at) => `file://server${at.work}/in.txt`),
  uriOnly('on another host that begins like this one', (at) => `file://localhost.example${at.work}/in.txt`),
  uriOnly('as a user of this host', (at) => `file://root@localhost${at.outside}${at.leaf}`),
  uriOnly('on a share', () => 'file:////server/share/secret.txt'),
  uriOnly('on a share by backslashes', () => 'file:\\\\server\\share\\secret.txt'),
  {
    name: 'on a share by path',
    uri: () => '//server/share/secret.txt',
    path: () => '//server/share/secret.txt',
  },
  uriOnly('on a drive', () => 'file:///C:/Windows/win.ini'),
  uriOnly('by a relative URI', (at) => `file:../${up(at)}${at.leaf}`),
  uriOnly('by a path where a URI belongs', (at) => `${at.outside}${at.leaf}`),
  uriOnly('by a scheme in capitals', (at) => `FILE://${at.outside}${at.leaf}`),
  uriOnly('by content of a name', (at) => `agenthost-content:/../../../..${at.outside}${at.leaf}`),
  uriOnly('by content of an encoded name', () => 'agenthost-content:/%2e%2e%2fsecret.txt'),
  absolute('directly', (at) => `${at.outside}${at.leaf}`),
  absolute('the host’s own token', (at) => join(at.outside, '../data/owner-token')),
  absolute('of the process: environ', () => '/proc/self/environ'),
  absolute('of the process: descriptors', () => '/proc/self/fd/0'),
  absolute('of the process: memory', () => '/proc/self/mem'),
  absolute('of the process: root', (at) => `/proc/self/root${at.outside}${at.leaf}`),
  absolute('of the process: folder', (at) => `/proc/self/cwd/../../${up(at)}${at.leaf}`),
  absolute('a device', () => '/dev/zero'),
  absolute('a device that waits', () => '/dev/random'),
  absolute('a terminal', () => '/dev/tty'),
  absolute('standard input', () => '/dev/stdin'),
  absolute('the log of the kernel', () => '/dev/kmsg'),
  below('a pipe', () => 'pipe'),
  below('a socket', () => 'socket'),
  below('a link out to a file', () => 'out.txt'),
  below('a link out', ({ leaf }) => `out${leaf}`),
  below('a link out with a slash behind', ({ leaf }) => `out${leaf}/`),
  below('a link out with a dot behind', ({ leaf }) => `out${leaf}/.`),
  below('a link out with dots behind', ({ leaf }) => `out${leaf}/./././`),
  below('a link to a link out', ({ leaf }) => `over${leaf}`),
  below('a link up', (at) => `up/${up(at)}${at.leaf}`),
  below('a link to the root', (at) => `slash${at.outside}${at.leaf}`),
  below('a link to nothing out there', () => 'dangling'),
  below('below a link to nothing out there', () => 'dangling/deep/new.txt'),
  below('links in circles', () => 'circle'),
  below('below links in circles', () => 'circle/x'),
  below('a link to a device', () => 'zero'),
  below('a link to what the process has', () => 'environ'),
  below('a path of 8 kB', () => `${'a/'.repeat(4_000)}x`),
  below('a name of 300 characters', () => 'n'.repeat(300)),
  uriOnly('a URI of 1 MB', (at) => `${base(at)}/${'u'.repeat(1_000_000)}`),
  unicode('by dots of full width', (at) => `．．/．．/${up(at)}${at.leaf}`, PLAIN),
  unicode('by slashes that only look so', (at) => `..∕..∕${up(at)}`, PLAIN),
  unicode('by the other normal form of a link', ({ leaf }) => `e\u0301${leaf}`, PLAIN),
  unicode('by its own normal form', ({ leaf }) => `\u00e9${leaf}`),
  unicode('by a name that turns around', () => '\u202etxt.ni', PLAIN),
  below('with more dots', () => '.../secret.txt', PLAIN),
];

/** Makes the folders of a place and the files of the tricks. The caller closes the returned server, which owns the socket. */
export async function setUp({ work, outside }: Place): Promise<Server> {
  await mkdir(join(work, 'sub'), { recursive: true });
  await mkdir(outside, { recursive: true });
  await writeFile(join(work, 'in.txt'), 'what is inside');
  await writeFile(join(outside, 'secret.txt'), SECRET);
  const links = {
    'out.txt': join(outside, 'secret.txt'),
    out: outside,
    over: 'out',
    up: '../..',
    slash: '/',
    dangling: join(outside, 'new'),
    circle: 'circle',
    zero: '/dev/zero',
    environ: '/proc/self/environ',
    '\u00e9': outside,
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(work, name));
  execFileSync('mkfifo', [join(work, 'pipe')]);
  const server = createServer().listen(join(work, 'socket'));
  return server;
}
