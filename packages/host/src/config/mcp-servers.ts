import { isAbsolute } from 'node:path';

/** How a server is reached. Values may contain `${NAME}` and `${NAME:-default}`, which the host replaces from its environment at each start. */
export type McpServerEntry = StdioEntry | RemoteEntry;

interface EntryBase {
  /** Unique in its file. */
  readonly name: string;
  /** Whether turns wait until the server has started [MCP-21]. Default true. */
  readonly blocking: boolean;
  /** Time limit of a tool call in which the server reports no progress, in seconds. Default 600. */
  readonly toolTimeoutSeconds: number;
}

/** A program that speaks on its standard input and output. */
export interface StdioEntry extends EntryBase {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the working directory of the session. Absent: that directory. */
  readonly cwd?: string;
}

/** A server at a URL: `http` is the streamable transport, `sse` the older one. */
export interface RemoteEntry extends EntryBase {
  readonly kind: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The OAuth client of the host at the server's authorization server. Absent: the host registers itself there. */
  readonly oauth?: { readonly clientId: string; readonly clientSecret?: string };
}

/** An entry that cannot be used: its key, and the problem as `member: expected …`. */
export interface EntryFault {
  readonly name: string;
  readonly problem: string;
}

/** The usable entries of a file, and the others. */
export interface ReadEntries {
  readonly entries: readonly McpServerEntry[];
  readonly faults: readonly EntryFault[];
}

const MAX_SERVERS = 100;
const DEFAULT_TOOL_TIMEOUT_SECONDS = 600;
const NAME = /^[\w.-]{1,64}$/;

type Json = Readonly<Record<string, unknown>>;

class Fault extends Error {}

/** Reads the object `mcpServers` of a file: servers by name. Entries with a fault do not affect the others. */
export function readEntries(value: unknown): ReadEntries {
  if (!isObject(value))
    return { entries: [], faults: [{ name: '', problem: 'expected an object of MCP servers by name' }] };
  const entries: McpServerEntry[] = [];
  const faults: EntryFault[] = [];
  for (const [index, [name, each]] of Object.entries(value).entries()) {
    try {
      if (index >= MAX_SERVERS) throw new Fault(`expected at most ${MAX_SERVERS} servers`);
      entries.push(readEntry(name, each));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push({ name, problem: error.message });
    }
  }
  return { entries, faults };
}

/** The first fault in the `mcpServers` of a config file, such as `docs.url: expected …`. `undefined`: there is none. */
export function findMcpServersFault(value: unknown): string | undefined {
  const [fault] = readEntries(value).faults;
  if (fault === undefined) return undefined;
  return fault.name === '' ? fault.problem : `${fault.name}.${fault.problem}`;
}

function readEntry(name: string, value: unknown): McpServerEntry {
  if (!NAME.test(name))
    throw new Fault('name: expected at most 64 letters, digits, underscores, dots and hyphens');
  if (!isObject(value)) throw new Fault('value: expected an object');
  const { type = value['url'] === undefined ? 'stdio' : 'http' } = value;
  const kind = KINDS.get(type);
  if (kind === undefined) throw new Fault(`type: expected "stdio", "http" or "sse", got ${shown(type)}`);
  const base = { name, blocking: readBlocking(value), toolTimeoutSeconds: readTimeout(value) };
  if (kind === 'stdio') {
    checkKeys(value, ['command', 'args', 'env', 'cwd']);
    const { cwd } = value;
    if (cwd !== undefined && typeof cwd !== 'string')
      throw new Fault(`cwd: expected a path, got ${shown(cwd)}`);
    return {
      ...base,
      kind,
      command: readCommand(value['command']),
      args: readList(value['args']),
      env: readTexts(value, 'env'),
      ...(cwd === undefined ? {} : { cwd }),
    };
  }
  checkKeys(value, ['url', 'headers', 'oauth']);
  const oauth = readOauth(value);
  return {
    ...base,
    kind,
    url: readUrl(value['url']),
    headers: readTexts(value, 'headers'),
    ...(oauth === undefined ? {} : { oauth }),
  };
}

function readOauth({ oauth }: Json): RemoteEntry['oauth'] {
  if (oauth === undefined) return undefined;
  if (!isObject(oauth)) throw new Fault(`oauth: expected an object, got ${shown(oauth)}`);
  const { clientId, clientSecret, ...others } = oauth;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new Fault(`oauth.${other}: unknown key; expected one of clientId, clientSecret`);
  if (typeof clientId !== 'string' || clientId === '')
    throw new Fault(`oauth.clientId: expected a text, got ${shown(clientId)}`);
  if (clientSecret === undefined) return { clientId };
  if (typeof clientSecret !== 'string') throw new Fault('oauth.clientSecret: expected a text');
  return { clientId, clientSecret };
}

const KINDS = new Map<unknown, McpServerEntry['kind']>([
  ['stdio', 'stdio'],
  ['http', 'http'],
  ['streamable-http', 'http'],
  ['sse', 'sse'],
]);

function checkKeys(value: Json, own: readonly string[]): void {
  const known = ['type', 'blocking', 'toolTimeoutSeconds', ...own];
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new Fault(`${unknown}: unknown key; expected one of ${known.join(', ')}`);
}

function readBlocking({ blocking = true }: Json): boolean {
  if (typeof blocking !== 'boolean')
    throw new Fault(`blocking: expected true or false, got ${shown(blocking)}`);
  return blocking;
}

function readTimeout({ toolTimeoutSeconds: seconds = DEFAULT_TOOL_TIMEOUT_SECONDS }: Json): number {
  if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400)
    return seconds;
  throw new Fault(`toolTimeoutSeconds: expected a whole number from 1 to 86400, got ${shown(seconds)}`);
}

function readCommand(command: unknown): string {
  if (typeof command === 'string' && command !== '' && (isAbsolute(command) || !command.startsWith('.')))
    return command;
  throw new Fault(`command: expected a command name or an absolute path, got ${shown(command)}`);
}

function readList(args: unknown = []): string[] {
  if (Array.isArray(args) && args.every((each) => typeof each === 'string')) return args;
  throw new Fault(`args: expected a list of texts, got ${shown(args)}`);
}

function readTexts(entry: Json, key: 'env' | 'headers'): Record<string, string> {
  const { [key]: value = {} } = entry;
  if (!isObject(value)) throw new Fault(`${key}: expected an object of texts, got ${shown(value)}`);
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => {
      if (typeof text === 'string') return [name, text];
      throw new Fault(`${key}.${name}: expected a text, got ${shown(text)}`);
    }),
  );
}

function readUrl(url: unknown): string {
  // A URL with a variable is checked when the server is started.
  if (typeof url === 'string' && (url.includes('${') || isWebUrl(url))) return url;
  throw new Fault(`url: expected an http or https URL, got ${shown(url)}`);
}

/** Whether a text is an `http:` or `https:` URL. */
export const isWebUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

/** Replaces `${NAME}` and `${NAME:-default}`. Throws an error that names a variable that is not set. */
export function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, otherwise: string | undefined) => {
    const value = env[name] ?? otherwise;
    if (value === undefined) throw new Error(`the environment variable ${name} is not set`);
    return value;
  });
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 80);
