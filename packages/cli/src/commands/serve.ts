import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { AhpClient } from '@agenthost/client';
import { hasExited } from '@agenthost/protocol';
import { defined, hasCode } from '@agenthost/protocol/values';
import { serveArguments } from '../daemon/serve-arguments.ts';
import { readHosts } from '../host-link/discovery.ts';
import type { ClientTarget } from '../host-link/open-client.ts';
import { openRecorder } from '../host-link/recording.ts';
import { keyValues } from '../input/settings.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import {
  configFolder,
  dataFolder,
  hostsFolder,
  isFolder,
  keyFolder,
  knownHostsFile,
  signInsFile,
} from '../process/files.ts';
import { withoutOwnSecrets } from '../process/own-secrets.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { introduceHost, leaveWord } from '../serve/announcement.ts';
import type { ServeOptions } from '../serve/options.ts';
import { checkName, dataDirOf, missingRoots, rootsOf } from '../serve/places.ts';
import { keepLogSmall } from '../serve/small-log.ts';
import { StandbyRecordWriter } from '../serve/standby-record.ts';
import type { ServeSettings } from '../serve/start.ts';
import { takeNotifier } from '../service/notify.ts';

/** Time limit for counting terminals at the end, so that it cannot delay the stop. */
const STOP_TIMEOUT_MS = 2_000;

/** Variables with the password of the database, in the order of their precedence. */
const PASSWORD_VARIABLES = ['AGENTHOST_JOURNAL_PASSWORD', 'PGPASSWORD'];

/** On other addresses than loopback the host refuses shorter tokens. */
const WEAK_TOKEN_LENGTH = 16;

/** The path of the config file, and whether an option names it. */
export function configFileOf(
  context: Context,
  given: string | undefined,
): { file: string; isRequired: boolean } {
  if (given !== undefined) return { file: resolve(context.cwd, given), isRequired: true };
  return { file: join(configFolder(context), 'agenthost.json'), isRequired: false };
}

/** `serve`: runs a host until a signal stops it. */
export async function serve(context: Context, screen: Screen, options: ServeOptions): Promise<ExitCode> {
  const stopped = stopSignal(context);
  const notifier = takeNotifier(process.env, (line) => screen.note(oneLine(line)));
  const { host, port } = options;
  const dataDir = dataDirOf(context, options.data);
  const isService = notifier.service !== undefined;
  const roots = await rootsOf(context, options.root, (line) => {
    if (!isService) throw usageError(line);
    screen.note(screen.colors.yellow(line));
  });
  const tls = tlsOf(options, context.cwd);
  const fixed = keyValues(options.set ?? [], '--set');
  await temporary(isService, checkName(host));
  // A log needs no status.
  if (context.stderr.isTTY === true) screen.status('starting');
  // Only this command needs a host, and all that comes with it.
  const [
    { readConfig },
    { chooseAgents },
    { startHosting },
    { explainStart },
    { cellOf, checkAnnounced, checkJournalUrl },
    { oidcOptions },
  ] = await Promise.all([
    import('../serve/config.ts'),
    import('../serve/agents.ts'),
    import('../serve/start.ts'),
    import('../serve/explain.ts'),
    import('../serve/journal-url.ts'),
    import('../serve/oidc-options.ts'),
  ]);
  const others = await readHosts(hostsFolder(context));
  let standbyRecord: StandbyRecordWriter | undefined;
  const explained = (cause: unknown): unknown => explainStart(cause, { host, port, dataDir, others });
  try {
    const { file, isRequired } = configFileOf(context, options.config);
    const config = await readConfig(file, isRequired);
    const journalUrl = options.journal ?? config.journal;
    const hasDatabase = journalUrl !== undefined;
    const agents = chooseAgents(config, {
      environment: withoutSecrets(context.env, hasDatabase),
      file,
      dataDir,
      keyFolder: keyFolder(context),
    });
    const tokenSource = await temporary(isService, tokenOf(context, options.tokenFile));
    const oidc = await oidcOptions(options, config.oidc, context.env);
    const journal = {
      ...defined({ url: options.journal === undefined ? undefined : checkJournalUrl(options.journal) }),
      // Kept for later connections: PGPASSWORD is removed from the environment below.
      password: context.env['AGENTHOST_JOURNAL_PASSWORD'] || context.env['PGPASSWORD'] || undefined,
      isStandby: options.standby === true,
      announced: { url: options.announce, labels: options.label ?? [] },
    };
    if (journalUrl === undefined) {
      if (journal.isStandby) throw usageError('--standby requires --journal');
      if (options.announce !== undefined) throw usageError('--announce requires --journal');
      if (options.label !== undefined) throw usageError('--label requires --journal');
    }
    if (options.announce !== undefined) checkAnnounced(options.announce);
    const passwordFrom = hasDatabase
      ? PASSWORD_VARIABLES.find((name) => Boolean(context.env[name]))
      : undefined;
    // Child processes of the host, such as git, must not inherit the secrets.
    delete process.env['AGENTHOST_TOKEN'];
    delete process.env['AGENTHOST_JOURNAL_PASSWORD'];
    delete process.env['AGENTHOST_OIDC_CLIENT_SECRET'];
    if (hasDatabase) delete process.env['PGPASSWORD'];
    const recorder =
      options.record === undefined
        ? undefined
        : await openRecorder(context, screen, { file: options.record, side: 'host' });
    const settings = {
      dataDir,
      host,
      port,
      version: context.version,
      telemetry: { environment: context.env },
      tls,
      allowInsecure: options.insecureListen === true,
      oidc,
      basePath: options.basePath,
      trustsProxy: options.trustProxy === true,
      previewPort: options.previewPort,
      previewHost: options.previewHost,
      hasKeeper: options.keeper !== false,
      fixed,
      roots,
      privatePaths: [
        configFolder(context),
        file,
        hostsFolder(context),
        knownHostsFile(context),
        signInsFile(context),
      ].concat(recorder?.file ?? [], config.oidc?.clientSecretFile ?? []),
      recorder: recorder?.recorder,
      journal,
      ...tokenSource,
    };
    const ownFacts = {
      dataDir,
      version: context.version,
      args: serveArguments({ ...options, data: dataDir }, context.cwd),
      cwd: context.cwd,
      ...(tokenSource.token === undefined ? {} : { tokenFrom: 'environment' as const }),
      ...defined({
        service: notifier.service,
        passwordFrom,
        cell: journalUrl === undefined ? undefined : cellOf(journalUrl),
      }),
    };
    const record =
      journal.isStandby && journalUrl !== undefined
        ? new StandbyRecordWriter(
            hostsFolder(context),
            { ...ownFacts, cell: cellOf(journalUrl), ...defined({ token: tokenSource.token }) },
            (line) => screen.note(oneLine(line)),
          )
        : undefined;
    standbyRecord = record;
    // The wait of a standby has no limit, and must not delay the start of the machine.
    if (journal.isStandby) await notifier.ready('waits until no other host writes the journal');
    const running = await startHosting(settings, config, agents, {
      tell: (line) => screen.note(line),
      stopped,
      ...(record && {
        onWait: (reason: string, holder: string | undefined) => {
          record.write(reason, holder);
          // A service manager would end a standby that is not ready in time.
          void notifier.ready('waiting for its cell');
        },
      }),
    });
    if (running === undefined) {
      recorder?.recorder.close();
      return EXIT.done;
    }
    await record?.settle();
    const endLog = keepLogSmall([dataDir, dataFolder(context)], (line) => screen.note(oneLine(line)));
    try {
      const { token, tokenFile, certificate } = running.address;
      const [url, wsUrl] = [connectable(running.address.url), connectable(running.address.wsUrl)];
      const facts = { url, wsUrl, ...ownFacts };
      const word = await leaveWord(hostsFolder(context), running, facts, (line) =>
        screen.note(oneLine(line)),
      );
      screen.status(undefined);
      if (options.json === true) screen.json({ url, wsUrl, tokenFile, pid: process.pid, ...word.certified });
      else {
        // The token would end up in a log.
        const page = connectable(running.address.pageUrl);
        const pageUrl = context.stdout.isTTY === true ? `${page}?token=${encodeURIComponent(token)}` : page;
        introduceHost(context, screen, { url, pageUrl, host, dataDir, agents, certificate, ...tokenSource });
      }
      if (token.length < WEAK_TOKEN_LENGTH) {
        const source =
          tokenSource.tokenFile ?? (tokenSource.token === undefined ? 'the token' : 'AGENTHOST_TOKEN');
        const warning = `${oneLine(source)} has fewer than ${WEAK_TOKEN_LENGTH} characters, and can be guessed`;
        screen.note(screen.colors.yellow(warning));
      }
      if (roots === undefined)
        for (const line of await missingRoots(file, config.roots)) screen.note(screen.colors.yellow(line));
      await notifier.ready(`on ${url}`);
      await Promise.race([stopped, running.lost]);
      const hasWaited = word.markStopping() === 'drained';
      await notifier.stopping();
      if (options.json !== true) {
        screen.note('stopping; press Ctrl-C again to exit immediately');
        const { fingerprint } = word.certified;
        const pins = fingerprint === undefined ? {} : { fingerprints: [fingerprint] };
        const count = await countTerminals({ url: wsUrl, token, ...pins });
        if (count > 0) screen.note(fateOfTerminals(count, options.keeper !== false));
      }
      // A command that has drained the host has reported the turns that are cut off.
      const drain = hasWaited ? 0 : (options.drain ?? 0);
      if (drain > 0) await notifier.status('waiting for running turns');
      const cutOff = drain === 0 ? 0 : await running.drain(drain * 1_000);
      if (cutOff > 0)
        screen.note(
          cutOff === 1 ? '1 turn still runs, and ends now' : `${cutOff} turns still run, and end now`,
        );
      await word.withdraw();
    } finally {
      endLog();
      await running.stop();
      recorder?.recorder.close();
    }
    return EXIT.done;
  } catch (cause) {
    throw explained(cause);
  } finally {
    screen.status(undefined);
    await standbyRecord?.withdraw();
  }
}

/** Changes the exit code of usage errors of a service: a disk or a network may become available later, so the service is started again; see `systemdUnit`. */
async function temporary<T>(isService: boolean, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!isService || !(cause instanceof CliError) || cause.exitCode !== EXIT.usage) throw cause;
    throw new CliError(EXIT.error, cause.message, { cause });
  }
}

/** Number of running terminals of this host; 0 if the host does not answer in time, so that nothing is printed. */
async function countTerminals(target: ClientTarget): Promise<number> {
  try {
    // An upgrade may have removed this module since the start of the host. The stop continues without the number.
    const { openClient } = await import('../host-link/open-client.ts');
    const patience = AbortSignal.timeout(STOP_TIMEOUT_MS);
    const late = new Promise<number>((resolve) => {
      patience.addEventListener('abort', () => resolve(0), { once: true });
    });
    const connecting = openClient(target, { connectTimeoutMs: STOP_TIMEOUT_MS });
    return await Promise.race([runningTerminals(connecting, patience), late]);
  } catch {
    return 0;
  }
}

/** Counts the running terminals, and closes the client at the latest when `patience` aborts. */
async function runningTerminals(connecting: Promise<AhpClient>, patience: AbortSignal): Promise<number> {
  const client = await connecting;
  try {
    if (patience.aborted) return 0;
    // Pending requests are rejected then.
    patience.addEventListener('abort', () => client.close(), { once: true });
    const { items } = await client.terminals();
    return items.filter((terminal) => !hasExited(terminal)).length;
  } finally {
    client.close();
  }
}

function fateOfTerminals(count: number, hasKeeper: boolean): string {
  const terminals = count === 1 ? '1 terminal' : `${count} terminals`;
  const verb = count === 1 ? (hasKeeper ? 'continues' : 'ends') : hasKeeper ? 'continue' : 'end';
  return hasKeeper
    ? `${terminals} ${verb}; the next host with this data folder takes ${count === 1 ? 'it' : 'them'} over`
    : `${terminals} ${verb} now, because of --no-keeper`;
}

/** Resolves at the first signal to stop; a second one ends the process. SIGHUP after another signal is ignored. */
function stopSignal(context: Context): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    // The host continues when its output is closed.
    context.onSignal(['SIGINT', 'SIGTERM', 'SIGHUP'], (signal) => {
      if (count > 0 && signal === 'SIGHUP') return;
      count += 1;
      if (count > 1) context.exitNow(signal === 'SIGINT' ? EXIT.interrupted : EXIT.error);
      else resolve();
    });
  });
}

/** The token of the environment takes precedence over the file. Agents never see it. */
async function tokenOf(
  { env, cwd }: Context,
  tokenFile: string | undefined,
): Promise<{ token: string | undefined; tokenFile: string | undefined }> {
  const token = env['AGENTHOST_TOKEN'] || undefined;
  // The host would refuse it too, but knows it by another name.
  if (token !== undefined && !/^[\x21-\x3a\x3c-\x7e]+$/.test(token)) {
    throw new CliError(EXIT.error, 'AGENTHOST_TOKEN must be printable ASCII without spaces or semicolons');
  }
  if (token !== undefined || tokenFile === undefined) return { token, tokenFile: undefined };
  const file = resolve(cwd, tokenFile);
  try {
    // Reading a named pipe would block.
    if (!(await stat(file)).isFile())
      throw usageError(`--token-file: ${oneLine(file)} is not a regular file`);
    await access(file, constants.R_OK);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    // A missing file is created later. Other errors are reported now.
    if (!hasCode(cause, 'ENOENT')) {
      throw new CliError(EXIT.error, `--token-file ${oneLine(file)} cannot be read`, { cause });
    }
    const folder = dirname(file);
    if (!(await isFolder(folder))) throw usageError(`--token-file: no folder ${oneLine(folder)}`);
  }
  return { token: undefined, tokenFile: file };
}

/** Which certificate to listen with, if any. */
function tlsOf({ tls, tlsCert, tlsKey }: ServeOptions, cwd: string): ServeSettings['tls'] {
  if (tlsCert === undefined && tlsKey === undefined) return tls === true ? 'self-signed' : undefined;
  if (tls === true)
    throw usageError('--tls creates a certificate: remove it, or remove --tls-cert and --tls-key');
  if (tlsCert === undefined || tlsKey === undefined)
    throw usageError('--tls-cert and --tls-key require each other: use both');
  return { certFile: resolve(cwd, tlsCert), keyFile: resolve(cwd, tlsKey) };
}

/** An environment without the secrets of the host. PGPASSWORD is one of them if the host uses a database; otherwise it belongs to programs of the user. */
function withoutSecrets(env: Context['env'], hasDatabase: boolean): Context['env'] {
  const clean = withoutOwnSecrets(env);
  if (!hasDatabase) return clean;
  const { PGPASSWORD: _databasePassword, ...others } = clean;
  return others;
}

/** A host that listens on all addresses is reached on this machine by loopback. */
const connectable = (url: string): string =>
  url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
