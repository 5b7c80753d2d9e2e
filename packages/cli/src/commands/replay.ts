import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EntryLines, openHost, replay } from '@agenthost/conformance';
import { type Entry, RecordingError, readRecording } from '@agenthost/conformance/recording';
import { errorText } from '@agenthost/protocol/values';
import { findHost, refuseSsh, withoutToken } from '../host-link/find-host.ts';
import { fingerprintsOf } from '../host-link/host-trust.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { fileTrouble } from '../process/files.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `replay` as parsed. */
export interface ReplayCommandOptions {
  /** Address of a host to send the recording to. Absent: it is shown. */
  readonly to?: string;
  readonly speed: number;
  readonly json?: boolean;
}

/** `replay`: shows a recording, or sends its client's frames to a host. Exit code 1: an answer was of another kind. */
export async function replayCommand(
  context: Context,
  screen: Screen,
  given: string,
  options: ReplayCommandOptions,
): Promise<ExitCode> {
  const entries = await readFrames(resolve(context.cwd, given));
  if (options.to === undefined) {
    const show = shower(screen, options.json === true);
    for (const entry of entries) show(entry);
    return EXIT.done;
  }
  return send(context, screen, { ...options, to: options.to }, entries);
}

async function readFrames(file: string): Promise<Entry[]> {
  try {
    return readRecording(await readFile(file, 'utf8'));
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
  const target = await findHost(context, screen, { url: to });
  refuseSsh(target);
  const fingerprints = await fingerprintsOf(context, screen, target, undefined);
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
