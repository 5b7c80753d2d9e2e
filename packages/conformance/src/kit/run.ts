import { VERSION_LINES } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import type { Transport } from '@agenthost/rpc';
import { ALL_CHECKS } from '../checks/all-checks.ts';
import { schemaOf } from '../frames/definitions.ts';
import { STANDING_RULES } from '../frames/standing-rules.ts';
import { RawClient, ROOT } from '../link/raw-client.ts';
import { type FrameEntry, isObject, type Message } from '../recording/entry.ts';
import { withoutSecrets } from '../recording/secrets.ts';
import { Bench, type BenchOptions, type HostFacts } from './bench.ts';
import type { Check } from './check.ts';
import { type CheckResult, NotApplicable, Violation } from './verdict.ts';

/** Frames kept as the proof of a result. */
const MAX_FRAMES = 24;

const DEFAULT_PATIENCE_MS = 10_000;

/** Options of {@link checkHost}. */
export interface KitOptions {
  /** Opens one connection. */
  open(signal: AbortSignal): Promise<Transport>;
  /** Versions to play. Default: all that the host agrees to. */
  readonly versions?: readonly string[] | undefined;
  /** Absolute path of an empty folder on the host's machine. */
  readonly folder: string;
  /** Provider of the agent to use. Default: the first one. */
  readonly agent?: string | undefined;
  /** Longest wait for a frame, in milliseconds. Default 10,000. */
  readonly patienceMs?: number | undefined;
  /** Folder with `<version>/schema.json`, for versions before 1.0. */
  readonly schemas?: string | undefined;
  /** Only checks of this rule, or with this text in their title. Rules for every frame are checked anyway. Default: all. */
  readonly only?: string | undefined;
  readonly signal: AbortSignal;
  /** Called with each result as soon as it is known. */
  onResult?(result: CheckResult): void;
}

/** Results of all checks, and the name of the host. */
export interface HostReport {
  /** Name and version of the host. Absent: the host sent none. */
  readonly host: string | undefined;
  readonly versions: readonly string[];
  readonly results: readonly CheckResult[];
}

/** Plays the rules against a host. Rejects when no connection can be opened, or the signal aborts. */
export async function checkHost(options: KitOptions): Promise<HostReport> {
  const results: CheckResult[] = [];
  const played: string[] = [];
  const host = await nameOfHost(options);
  const add = (result: CheckResult): void => {
    results.push(result);
    options.onResult?.(result);
  };
  for (const version of options.versions ?? VERSION_LINES) {
    const facts = await learn(version, host, options);
    if (facts === undefined) {
      if (options.versions !== undefined) add(refusedVersion(version));
      continue;
    }
    played.push(version);
    await playVersion(version, facts, options, add);
  }
  return { host, versions: played, results };
}

async function playVersion(
  version: string,
  facts: HostFacts,
  options: KitOptions,
  add: (result: CheckResult) => void,
): Promise<void> {
  const connections: FrameEntry[][] = [];
  for (const check of ALL_CHECKS.filter((each) => isWanted(each, options.only))) {
    options.signal.throwIfAborted();
    const bench = new Bench(benchOptions(version, options), facts);
    add(await runCheck(check, bench));
    connections.push(...bench.clients.map(({ frames }) => frames));
  }
  const schema = schemaOf(version, options.schemas);
  for (const rule of STANDING_RULES) {
    const broken = connections
      .map((frames) => rule.broken(frames, schema))
      .find((each) => each !== undefined);
    add({
      rules: rule.rules,
      title: rule.title,
      version,
      verdict: broken === undefined ? 'passed' : 'failed',
      ...(broken && { reason: broken.reason }),
      frames: kept(broken?.frames ?? []),
      durationMs: 0,
    });
  }
}

async function runCheck(check: Check, bench: Bench): Promise<CheckResult> {
  const startedAt = performance.now();
  const result = (verdict: CheckResult['verdict'], reason?: string, frames = bench.frames): CheckResult => ({
    rules: check.rules,
    title: check.title,
    version: bench.version,
    verdict,
    ...(reason !== undefined && { reason }),
    frames: kept(frames),
    durationMs: Math.round(performance.now() - startedAt),
  });
  try {
    await check.run(bench);
    return result('passed');
  } catch (error) {
    if (error instanceof NotApplicable) return result('does not apply', error.message);
    bench.signal.throwIfAborted();
    // A value that no check expected; the frames show it.
    if (!(error instanceof Violation))
      return result('failed', `the check could not continue: ${errorText(error)}`);
    return result('failed', error.message, error.frames.length > 0 ? [...error.frames] : undefined);
  } finally {
    await bench.end().catch(() => undefined);
  }
}

/** Name and version of the host, which only newer versions of the protocol carry. */
async function nameOfHost(options: KitOptions): Promise<string | undefined> {
  const { client, result } = await handshake(VERSION_LINES, options);
  client.close();
  return result && nameOf(result);
}

/** A connection that offers some versions; no result: the host refused. */
async function handshake(
  protocolVersions: readonly string[],
  options: KitOptions,
): Promise<{ client: RawClient; result: Message | undefined }> {
  const transport = await options.open(options.signal);
  const client = new RawClient(transport, {
    clientId: `kit-${crypto.randomUUID()}`,
    connection: 0,
    patienceMs: options.patienceMs ?? DEFAULT_PATIENCE_MS,
  });
  try {
    const { result } = await client.request('initialize', {
      protocolVersions,
      clientId: client.clientId,
      initialSubscriptions: [ROOT],
    });
    return { client, result: isObject(result) ? result : undefined };
  } catch (error) {
    client.close();
    throw error;
  }
}

/** The facts that the host sends at a version; `undefined`: the host does not support the version. */
async function learn(
  version: string,
  host: string | undefined,
  options: KitOptions,
): Promise<HostFacts | undefined> {
  const { client, result } = await handshake([version], options);
  try {
    if (result === undefined) return undefined;
    const { state: root } = await client.subscribe(ROOT);
    const agents = Array.isArray(root['agents']) ? root['agents'].filter(isObject) : [];
    const agent =
      options.agent === undefined ? agents[0] : agents.find(({ provider }) => provider === options.agent);
    const isScripted = agent?.['provider'] === 'demo' && host?.startsWith('agenthost') === true;
    return { initialized: result, root, agent, isScripted };
  } finally {
    client.close();
  }
}

const benchOptions = (
  version: string,
  { patienceMs = DEFAULT_PATIENCE_MS, ...options }: KitOptions,
): BenchOptions => ({
  open: options.open,
  version,
  patienceMs,
  folder: options.folder,
  agent: options.agent,
  signal: options.signal,
});

/** Whether a check is of this rule, or has this text in its title. */
export const hasCheck = (only: string): boolean => ALL_CHECKS.some((check) => isWanted(check, only));

const isWanted = ({ rules, title }: Pick<Check, 'rules' | 'title'>, only: string | undefined): boolean =>
  only === undefined || rules.includes(only.toUpperCase()) || title.includes(only);

function kept(frames: readonly FrameEntry[]): FrameEntry[] {
  return frames.slice(-MAX_FRAMES).map((frame) => {
    const message = withoutSecrets(frame.message);
    return isObject(message) ? { ...frame, message } : frame;
  });
}

function nameOf({ serverInfo }: Message): string | undefined {
  if (!isObject(serverInfo) || typeof serverInfo['name'] !== 'string') return undefined;
  return typeof serverInfo['version'] === 'string'
    ? `${serverInfo['name']} ${serverInfo['version']}`
    : serverInfo['name'];
}

const refusedVersion = (version: string): CheckResult => ({
  rules: ['CONN-1'],
  title: 'the host speaks the version',
  version,
  verdict: 'does not apply',
  reason: `the host does not speak ${version}`,
  frames: [],
  durationMs: 0,
});
