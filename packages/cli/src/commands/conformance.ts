import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  badgeOf,
  type CheckResult,
  checkHost,
  endpointOf,
  failureLines,
  type HostReport,
  hasCheck,
  junitOf,
  openHost,
  resultLine,
  sentenceOf,
  summaryLines,
  summaryOf,
} from '@agenthost/conformance';
import { errorText } from '@agenthost/protocol/values';
import { findHost, type HostOptions, refuseSsh, withoutToken } from '../host-link/find-host.ts';
import { fingerprintsOf } from '../host-link/host-trust.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { fileTrouble, isFolder } from '../process/files.ts';
import { makeFolder } from '../process/make-folder.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `conformance` as parsed. */
export interface ConformanceOptions extends HostOptions {
  readonly token?: string;
  /** Checks the client that connects, in place of a host. */
  readonly client?: boolean;
  /** Port to listen on with `client`. */
  readonly port: number;
  /** Versions to play. Absent: all that the host agrees to. */
  readonly version?: readonly string[];
  readonly agent?: string;
  /** Folder on the host's machine for sessions and files. Absent: a temporary one. */
  readonly dir?: string;
  readonly only?: string;
  /** Seconds to wait for each frame. */
  readonly patience: number;
  readonly schemas?: string;
  /** File for the report as JUnit XML. */
  readonly junit?: string;
  /** Folder for a badge and a summary. */
  readonly report?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** `conformance`: plays the rules of the protocol against a host. Exit code 1: a check failed. */
export async function conformance(
  context: Context,
  screen: Screen,
  argument: string | undefined,
  options: ConformanceOptions,
): Promise<ExitCode> {
  // A variable is for all commands, an option for this one.
  const option = options.url === context.env['AGENTHOST_URL'] ? undefined : options.url;
  if (argument !== undefined && option !== undefined)
    throw usageError('the address was given twice, as an argument and with --url: use one of them');
  const url = argument ?? option;
  if (options.client === true) return checkClient(context, screen, url, options);
  await checkOptions(context, options);
  const given = options.dir === undefined ? undefined : resolve(context.cwd, options.dir);
  if (given !== undefined && !(await isFolder(given))) throw usageError(`--dir: no folder ${oneLine(given)}`);
  const temporary = given === undefined ? await mkdtemp(join(tmpdir(), 'agenthost-conformance-')) : undefined;
  const interrupted = new AbortController();
  const release = context.onSignal(['SIGINT', 'SIGTERM'], () => interrupted.abort());
  try {
    const report = await play(
      context,
      screen,
      { ...options, ...(url !== undefined && { url }) },
      {
        folder: given ?? temporary ?? context.cwd,
        signal: interrupted.signal,
      },
    );
    if (options.json === true) screen.json({ type: 'summary', host: report.host, versions: report.versions });
    else for (const line of summaryLines(report)) screen.text(`${oneLine(line)}\n`);
    await writeReports(context, options, report, 'host');
    if (report.versions.length === 0)
      throw new CliError(EXIT.error, 'the host speaks none of the versions that were offered');
    return report.results.some(({ verdict }) => verdict === 'failed') ? EXIT.error : EXIT.done;
  } catch (cause) {
    if (interrupted.signal.aborted) return EXIT.interrupted;
    throw cause;
  } finally {
    release();
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  }
}

/** Throws a usage error for values that would check nothing. */
async function checkOptions(
  context: Context,
  { only, schemas, version = [] }: ConformanceOptions,
): Promise<void> {
  if (only !== undefined && !hasCheck(only))
    throw usageError(`--only: no check is of the rule ${oneLine(only, 100)} or has this text in its title`);
  if (schemas !== undefined && !(await isFolder(resolve(context.cwd, schemas))))
    throw usageError(`--schemas: no folder ${oneLine(resolve(context.cwd, schemas))}`);
  const wrong = version.find((each) => !/^\d+\.\d+\.\d+$/.test(each));
  if (wrong !== undefined)
    throw usageError(`--version: expected a version such as 1.0.0, got ${oneLine(wrong, 100)}`);
}

/** `conformance --client`: starts a host, and checks the client that connects until it leaves. */
async function checkClient(
  context: Context,
  screen: Screen,
  url: string | undefined,
  options: ConformanceOptions,
): Promise<ExitCode> {
  if (url !== undefined || options.host !== undefined)
    throw usageError('--client starts a host of its own: leave the address and --host out');
  // Only this option needs a host, and all that comes with it.
  const { startCheckingHost } = await import('../serve/checking-host.ts');
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolvePromise) => {
    leave = resolvePromise;
  });
  const release = context.onSignal(['SIGINT', 'SIGTERM', 'SIGHUP'], () => leave());
  const { port, patience, token } = options;
  const running = await startCheckingHost({ port, token, patienceMs: patience * 1_000, onLeft: leave });
  try {
    if (options.json === true) screen.json({ type: 'listening', url: running.url, token: running.token });
    else
      screen.note(
        `connect a client to ${running.url} with the token ${running.token}; Ctrl-C ends the check`,
      );
    await left;
    const results = running.results();
    for (const result of results) tell(screen, result, options);
    if (results.every(({ verdict }) => verdict === 'does not apply'))
      throw new CliError(EXIT.error, 'no client was checked');
    const versions = [...new Set(results.map(({ version }) => version))];
    await writeReports(context, options, { host: running.clientName(), versions, results }, 'client');
    return results.some(({ verdict }) => verdict === 'failed') ? EXIT.error : EXIT.done;
  } finally {
    release();
    await running.stop();
  }
}

async function play(
  context: Context,
  screen: Screen,
  options: ConformanceOptions,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<HostReport> {
  const target = await findHost(context, screen, options);
  refuseSsh(target);
  const fingerprints = await fingerprintsOf(context, screen, target, { given: options.fingerprint });
  const { token = target.token } = options;
  return checkHost({
    folder,
    signal,
    versions: options.version,
    agent: options.agent,
    only: options.only,
    schemas: options.schemas === undefined ? undefined : resolve(context.cwd, options.schemas),
    patienceMs: options.patience * 1_000,
    onResult: (result) => tell(screen, result, options),
    open: async (aborted) => {
      try {
        const inTime = AbortSignal.any([aborted, AbortSignal.timeout(options.patience * 1_000)]);
        return await openHost({ url: target.url, token, fingerprints }, inTime);
      } catch (cause) {
        if (signal.aborted) throw cause;
        const message = `cannot connect to ${withoutToken(target.url)}: ${await whyNot(target.url, token, cause)}`;
        throw new CliError(EXIT.cannotConnect, message, { cause });
      }
    },
  });
}

/** Why no connection could be opened: what the address answers to a plain request, else the error. */
async function whyNot(url: string, token: string | undefined, cause: unknown): Promise<string> {
  try {
    const { endpoint, ...headers } = endpointOf({ url, token });
    endpoint.protocol = endpoint.protocol.replace('ws', 'http');
    const response = await fetch(endpoint, {
      redirect: 'manual',
      signal: AbortSignal.timeout(3_000),
      ...headers,
    });
    const isPlain = response.headers.get('content-type')?.startsWith('text/plain') === true;
    const line = isPlain ? oneLine((await response.text()).trim(), 300) : '';
    return `it answered with status ${response.status}${line === '' ? '' : `: ${line}`}`;
  } catch {
    return errorText(cause);
  }
}

function tell(screen: Screen, result: CheckResult, { json, verbose }: ConformanceOptions): void {
  if (json === true) {
    const rules = result.rules.map((id) => ({ id, sentence: sentenceOf(id) }));
    screen.json({ type: 'result', ...result, rules });
    return;
  }
  const details = result.verdict === 'failed' || verbose === true ? failureLines(result) : [];
  for (const line of [resultLine(result), ...details])
    screen.text(`${/^ */.exec(line)?.[0] ?? ''}${oneLine(line)}\n`);
}

/** Writes the files that the options name. */
async function writeReports(
  context: Context,
  { junit, report: folder }: ConformanceOptions,
  report: HostReport,
  subject: 'host' | 'client',
): Promise<void> {
  if (junit !== undefined) await writeReport(resolve(context.cwd, junit), junitOf(report));
  if (folder === undefined) return;
  const facts = { subject, checkedBy: `agenthost ${context.version}`, now: Date.now() };
  const summary = summaryOf(report, facts);
  const target = resolve(context.cwd, folder);
  await writeReport(join(target, 'badge.svg'), badgeOf(summary));
  await writeReport(join(target, 'summary.json'), `${JSON.stringify(summary, undefined, 2)}\n`);
}

async function writeReport(file: string, text: string): Promise<void> {
  try {
    await makeFolder(dirname(file), 0o777);
    await writeFile(file, text);
  } catch (cause) {
    throw new CliError(EXIT.error, `cannot write ${oneLine(file)}: ${fileTrouble(cause)}`, { cause });
  }
}
