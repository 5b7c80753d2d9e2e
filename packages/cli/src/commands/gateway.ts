import { join, resolve } from 'node:path';
import type { SessionSummary } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { askGateway, GatewayRefusal } from '../host-link/ask-gateway.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { configFolder } from '../process/files.ts';
import { makeFolder } from '../process/make-folder.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { SESSION_COLUMNS, sessionLine } from '../render/session-line.ts';

/** Options of `gateway serve` as parsed. */
export interface GatewayCommandOptions {
  readonly journal?: string;
  readonly port: number;
  readonly host: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly insecureListen?: boolean;
  readonly tokenFile?: string;
  readonly hostTokens?: string;
  readonly allowedHost?: readonly string[];
  readonly allowedOrigin?: readonly string[];
  /** Addresses of proxies in front. */
  readonly trustProxy?: readonly string[];
  readonly log?: string;
  readonly json?: boolean;
}

/** Options of the commands that send a request to a gateway. */
export interface GatewayListOptions {
  readonly url: string;
  readonly fingerprint?: string;
  readonly json?: boolean;
}

/** Options of `gateway place` as parsed. */
export interface PlaceOptions extends GatewayListOptions {
  readonly label?: readonly string[];
  readonly repository?: string;
}

/** `gateway serve`: runs a gateway until a signal stops it. */
export async function serveGateway(
  context: Context,
  screen: Screen,
  options: GatewayCommandOptions,
): Promise<ExitCode> {
  const stopped = new Promise<void>((end) => context.onSignal(['SIGINT', 'SIGTERM', 'SIGHUP'], () => end()));
  const { journal, tlsCert, tlsKey, hostTokens } = options;
  if (journal === undefined) throw usageError('--journal is required: the database of the hosts');
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw usageError('--tls-cert and --tls-key require each other: use both');
  const path = (file: string): string => resolve(context.cwd, file);
  if (options.tokenFile === undefined) await makeFolder(configFolder(context), 0o700);
  const { openGateway } = await import('../serve/gateway.ts');
  const { readHostTokens } = await import('../serve/host-tokens.ts');
  const listed = hostTokens === undefined ? undefined : readHostTokens(path(hostTokens));
  const warn = (line: string): void => screen.note(screen.colors.yellow(oneLine(line)));
  // Also when the gateway cannot start.
  for (const warning of listed?.warnings ?? []) warn(warning);
  const running = await openGateway({
    journal,
    password: context.env['AGENTHOST_JOURNAL_PASSWORD'] || undefined,
    host: options.host,
    port: options.port,
    ...(tlsCert !== undefined && tlsKey !== undefined
      ? { tls: { certFile: path(tlsCert), keyFile: path(tlsKey) } }
      : {}),
    allowInsecure: options.insecureListen === true,
    token: context.env['AGENTHOST_TOKEN'] || undefined,
    tokenFile:
      options.tokenFile === undefined
        ? join(configFolder(context), 'gateway-token')
        : path(options.tokenFile),
    ...defined({
      hostTokens: listed?.tokens,
      allowedHosts: options.allowedHost,
      allowedOrigins: options.allowedOrigin,
      proxies: options.trustProxy,
      logFile: options.log === undefined ? undefined : path(options.log),
    }),
    version: context.version,
    tell: (line) => screen.note(oneLine(line)),
  });
  const { url, tokenFile } = running;
  if (options.json === true) screen.json({ url, ...defined({ tokenFile }), pid: process.pid });
  else {
    screen.line(`gateway of agenthost ${context.version} on ${screen.outColors.bold(url)}`);
    screen.line(`  token   ${tokenFile === undefined ? 'AGENTHOST_TOKEN' : oneLine(tokenFile, 1_000)}`);
    if (running.certificate !== undefined) screen.line(`  tls     SHA256 ${running.certificate.fingerprint}`);
    screen.line('Ctrl-C stops it.');
  }
  for (const warning of running.warnings) warn(warning);
  await stopped;
  await running.stop();
  return EXIT.done;
}

/** `gateway hosts`: one line each, by name. */
export async function listHosts(
  context: Context,
  screen: Screen,
  options: GatewayListOptions,
): Promise<ExitCode> {
  screen.list(itemsOf(await ask(context, screen, options, '/hosts')), {
    ...options,
    none: 'the gateway has no host',
    columns: `${'HOST'.padEnd(16)}  ${'STATE'.padEnd(11)}  ${'TURNS'.padEnd(8)}  LABELS, HOLDER`,
    line: (item) => {
      const { host, state, runningTurns, labels, holder } = readHost(item);
      const turns = runningTurns === 1 ? '1 turn' : `${runningTurns} turns`;
      return [
        oneLine(host).padEnd(16),
        oneLine(state).padEnd(11),
        turns.padEnd(8),
        oneLine([...labels, holder].join(' ')),
      ]
        .join('  ')
        .trimEnd();
    },
  });
  return EXIT.done;
}

/** `gateway sessions`: one line each, the newest first. */
export async function listAllSessions(
  context: Context,
  screen: Screen,
  options: GatewayListOptions & { readonly limit: number },
): Promise<ExitCode> {
  const items = itemsOf(await ask(context, screen, options, `/sessions?limit=${options.limit}`));
  screen.list(items, {
    ...options,
    none: 'no host has a session',
    columns: `${'HOST'.padEnd(12)}  ${SESSION_COLUMNS}`,
    line: (item) => {
      const host = oneLine(textOf(item, 'host')).padEnd(12);
      // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- the gateway passes on the summaries of its hosts
      const summary = Reflect.get(item, 'summary') as SessionSummary;
      return `${host}  ${sessionLine(summary, { now: Date.now(), home: context.home })}`;
    },
  });
  return EXIT.done;
}

/** `gateway place`: prints the address of a host for a new session. */
export async function placeSession(
  context: Context,
  screen: Screen,
  options: PlaceOptions,
): Promise<ExitCode> {
  const { url, label = [], repository, json } = options;
  const query = new URLSearchParams();
  for (const text of label) query.append('label', text);
  if (repository !== undefined) query.set('repository', repository);
  const placed = await ask(context, screen, options, `/place?${query.toString()}`);
  const address = new URL(textOf(placed, 'ahp'), url).href;
  if (json === true) screen.json({ host: textOf(placed, 'host'), url: address });
  else screen.line(address);
  return EXIT.done;
}

/** Requests JSON from a gateway. Rejects with a `CliError`. */
async function ask(
  context: Context,
  screen: Screen,
  { url, fingerprint }: GatewayListOptions,
  path: string,
): Promise<object> {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw usageError(`--url: expected an address such as http://127.0.0.1:4710, got ${oneLine(url)}`);
  const target = { url, ...defined({ token: context.env['AGENTHOST_TOKEN'] || undefined }) };
  try {
    return (await askGateway(context, screen, target, { path, fingerprint })).value;
  } catch (cause) {
    if (!(cause instanceof GatewayRefusal)) throw cause;
    const { status, reason, details } = cause.refusal;
    if (status === 401 || details !== undefined || reason === '') throw cause;
    // The gateway has accepted the caller, but not this request.
    throw new CliError(EXIT.error, `the gateway refused the request: ${reason}`, { cause });
  }
}

function itemsOf(answer: object): readonly object[] {
  const items: unknown = Reflect.get(answer, 'items');
  return Array.isArray(items) ? items.filter((item) => typeof item === 'object' && item !== null) : [];
}

const textOf = (item: object, key: string): string => String(Reflect.get(item, key) ?? '');

function readHost(item: object) {
  const labels: unknown = Reflect.get(item, 'labels');
  return {
    host: textOf(item, 'host'),
    state: textOf(item, 'state'),
    runningTurns: Number(Reflect.get(item, 'runningTurns')),
    labels: Array.isArray(labels) ? labels.map(String) : [],
    holder: textOf(item, 'holder'),
  };
}
