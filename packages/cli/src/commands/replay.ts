import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EntryLines, openHost, replay } from '@agenthost/conformance';
import {
  checkRecording,
  type Entry,
  harOf,
  RecordingError,
  readRecording,
} from '@agenthost/conformance/recording';
import { errorText } from '@agenthost/protocol/values';
import { findHost, refuseSsh, withoutToken } from '../host-link/find-host.ts';
import { fingerprintsOf } from '../host-link/host-trust.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { fileTrouble } from '../process/files.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `replay` as parsed. */
export interface ReplayCommandOptions {
  /** Address or name of a host to send the recording to. Absent: it is shown. */
  readonly to?: string;
  readonly speed: number;
  /** Whether to check the format of the file. */
  readonly check?: boolean;
  /** File for an HTTP Archive. */
  readonly har?: string;
  readonly json?: boolean;
}

/**
 * `replay`: shows, checks or converts a recording, or sends its client's frames to a host. Exit code 1: an answer was of another kind, or the file
 * does not have the format.
 */
export async function replayCommand(
  context: Context,
  screen: Screen,
  given: string,
  options: ReplayCommandOptions,
): Promise<ExitCode> {
  const file = resolve(context.cwd, given);
  const { to, check = false, har } = options;
  if ([to !== undefined, check, har !== undefined].filter(Boolean).length > 1)
    throw usageError('--to, --check and --har exclude each other: use one of them');
  if (check) return checkFile(screen, file, options.json === true);
  const entries = await readFrames(file);
  if (har !== undefined) {
    const target = resolve(context.cwd, har);
    try {
      // Texts of people and agents are in it.
      await writeFile(target, harOf(entries, { name: 'agenthost', version: context.version }), {
        mode: 0o600,
      });
    } catch (cause) {
      throw new CliError(EXIT.error, `cannot write ${oneLine(target)}: ${fileTrouble(cause)}`, { cause });
    }
    return EXIT.done;
  }
  if (options.to === undefined) {
    const show = shower(screen, options.json === true);
    for (const entry of entries) show(entry);
    return EXIT.done;
  }
  return send(context, screen, { ...options, to: options.to }, entries);
}

async function checkFile(screen: Screen, file: string, isJson: boolean): Promise<ExitCode> {
  const problems = await reading(file, checkRecording);
  for (const { line, problem } of problems)
    if (isJson) screen.json({ type: 'problem', line, problem });
    else screen.line(`line ${line}: ${problem}`);
  if (problems.length === 0 && !isJson) screen.note(`${oneLine(file)} is a recording`);
  return problems.length === 0 ? EXIT.done : EXIT.error;
}

const readFrames = (file: string): Promise<Entry[]> => reading(file, readRecording);

async function reading<T>(file: string, read: (text: string) => T): Promise<T> {
  try {
    return read(await readFile(file, 'utf8'));
  } catch (cause) {
    const why = cause instanceof RecordingError ? cause.message : fileTrouble(cause);
    throw new CliError(EXIT.error, `cannot read the recording ${oneLine(file)}: ${why}`, { cause });
  }
}

function shower(screen: Screen, isJson: boolean): (entry: Entry) => void {
  const lines = new EntryLines();
  return (entry) => {
    const { timeMs, ...rest } = entry;
    if (isJson) screen.json({ time: new Date(timeMs).toISOString(), ...rest });
    else screen.text(`${oneLine(lines.lineOf(entry))}\n`);
  };
}

async function send(
  context: Context,
  screen: Screen,
  { to, speed, json }: ReplayCommandOptions & { readonly to: string },
  entries: readonly Entry[],
): Promise<ExitCode> {
  const target = await findHost(context, screen, to.includes('://') ? { url: to } : { host: to });
  refuseSsh(target);
  const fingerprints = await fingerprintsOf(context, screen, target);
  const interrupted = new AbortController();
  const release = context.onSignal(['SIGINT', 'SIGTERM'], () => interrupted.abort());
  try {
    const { sentCount, skippedCount, differences } = await replay(entries, {
      speed,
      signal: interrupted.signal,
      onFrame: shower(screen, json === true),
      open: async (signal) => {
        try {
          return await openHost({ url: target.url, token: target.token, fingerprints }, signal);
        } catch (cause) {
          if (signal.aborted) throw cause;
          const message = `cannot connect to ${withoutToken(target.url)}: ${errorText(cause)}`;
          throw new CliError(EXIT.cannotConnect, message, { cause });
        }
      },
    });
    if (json === true) screen.json({ type: 'replayed', sentCount, skippedCount, differences });
    else {
      const skipped = skippedCount === 0 ? '' : `, ${skippedCount} left out because a secret was removed`;
      screen.note(`${sentCount} frames sent${skipped}`);
      for (const { method, recorded, present } of differences)
        screen.note(`${method}: recorded ${recorded}, now ${present}`);
    }
    return differences.length === 0 ? EXIT.done : EXIT.error;
  } catch (cause) {
    if (interrupted.signal.aborted) return EXIT.interrupted;
    throw cause;
  } finally {
    release();
  }
}
