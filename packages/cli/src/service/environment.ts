import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { delimiter, dirname } from 'node:path';
import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import { isUnfit } from './service-text.ts';

/** A shell whose start-up files take longer is killed. */
const SHELL_LIMIT_MS = 15_000;

/** Variables of a login that agents and terminals may need. Secrets are not among them. */
const LOGIN_VARIABLES = [
  'PATH',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'LC_ALL',
  'LC_CTYPE',
  'LC_MESSAGES',
  'TZ',
  'EDITOR',
  'VISUAL',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/** Folders that must be the same for the host and for commands. Their values come from the environment of the command that installs the service. */
const PLACE_VARIABLES = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'];

/** Names of variables that agents read their keys from. */
const KEY_NAME = /^[A-Z][A-Z0-9_]*_(?:API_KEY|AUTH_TOKEN)$/;

/** Secrets of the host itself. AGENTHOST_TOKEN may be the token of a client, which must not become the owner's token unless `--env` names it. */
const HOST_SECRETS: ReadonlySet<string> = new Set([
  'AGENTHOST_TOKEN',
  'AGENTHOST_JOURNAL_PASSWORD',
  'PGPASSWORD',
]);

type Variables = Readonly<Record<string, string | undefined>>;

/** The environment of a service. */
export interface ServiceEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Names of secrets of the host and keys of agents that the service does not get, because no `--env` names them. */
  readonly leftOut: readonly string[];
}

/**
 * Chooses the variables of a service. `login`: the environment of the user's login shell. `own`: that of this command. `wanted`: values of
 * `--env`, as NAME, which takes the value of the login shell or of this command, or NAME=value. Throws a usage error.
 */
export function serviceEnvironment(
  login: Variables,
  own: Variables,
  wanted: readonly string[],
): ServiceEnvironment {
  const variables: Record<string, string> = {};
  const put = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') variables[name] = value;
  };
  for (const name of LOGIN_VARIABLES) put(name, login[name]);
  for (const name of PLACE_VARIABLES) put(name, own[name]);
  for (const item of wanted) {
    const [, name = '', value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(item) ?? [];
    if (name === '') throw usageError(`--env: expected NAME or NAME=value, got ${oneLine(item)}`);
    const found = value ?? login[name] ?? own[name];
    if (found === undefined) throw usageError(`--env ${name}: the variable is not set; use ${name}=value`);
    variables[name] = found;
  }
  // A line break would end the entry in the environment file. The value is not shown: it may be a secret.
  for (const [name, value] of Object.entries(variables))
    if (isUnfit(value))
      throw usageError(`${name}: a service takes no values with line breaks or other control characters`);
  const keys = Object.entries({ ...login, ...own }).flatMap(([name, value]) =>
    (KEY_NAME.test(name) || HOST_SECRETS.has(name)) && value !== undefined && value !== '' ? [name] : [],
  );
  return { variables, leftOut: keys.filter((name) => variables[name] === undefined).toSorted() };
}

/** The environment after the start-up files of a shell. Rejects with an `Error` if the shell fails or is too slow. */
export async function loginEnvironment(shell: string, env: Variables, home: string): Promise<Variables> {
  // Start-up files may print anything.
  const mark = `agenthost-${randomUUID()}`;
  // In a session of its own, because an interactive shell would take over the terminal.
  const child = spawn(shell, ['-ilc', `echo ${mark}; env -0`], {
    cwd: home,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    reject(new Error(`${shell} did not end within ${SHELL_LIMIT_MS / 1_000} s`));
  }, SHELL_LIMIT_MS);
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.once('error', reject);
  // A background process of a start-up file may keep the output open, so the end of the shell is awaited instead.
  child.once('exit', () => setImmediate(() => resolve(out)));
  try {
    const [, printed] = (await promise).split(`${mark}\n`);
    if (printed === undefined) throw new Error(`${shell} printed no environment`);
    return parseEnvironment(printed);
  } finally {
    clearTimeout(timer);
    child.stdout.destroy();
  }
}

const parseEnvironment = (printed: string): Variables =>
  Object.fromEntries(
    printed.split('\0').flatMap((entry): [string, string][] => {
      const at = entry.indexOf('=');
      return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)]] : [];
    }),
  );

/** The PATH of a system service: the usual folders, and the folder of the Node that runs the host. */
export const systemPath = (execPath: string): string =>
  [
    ...new Set([
      dirname(execPath),
      '/usr/local/sbin',
      '/usr/local/bin',
      '/usr/sbin',
      '/usr/bin',
      '/sbin',
      '/bin',
    ]),
  ].join(delimiter);

/** Content of a systemd EnvironmentFile; see systemd.exec(5). */
export const environmentFile = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}="${value.replace(/[\\"`$]/g, '\\$&')}"\n`)
    .join('');
