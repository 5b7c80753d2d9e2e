import { resolve } from 'node:path';
import type { ConnectOptions } from '@agenthost/client';
import type { FrameRecorder } from '@agenthost/conformance/recording';
import type { Context } from '../process/context.ts';
import { fileTrouble } from '../process/files.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** A recording of the frames of this command. */
export interface Recording {
  readonly wrapTransport: NonNullable<ConnectOptions['wrapTransport']>;
  /** Writes the remaining frames, and closes the file. */
  close(): void;
}

/** Starts the recording of `--record`; `undefined` without the option. */
export async function recordingOf(
  context: Context,
  screen: Screen,
  { record }: { readonly record?: string },
): Promise<Recording | undefined> {
  if (record === undefined) return undefined;
  const { recorder } = await openRecorder(context, screen, { file: record, side: 'client' });
  const { recordTransport } = await import('@agenthost/conformance/recording');
  return {
    wrapTransport: (transport) => recordTransport(transport, recorder),
    close: () => recorder.close(),
  };
}

/** Opens a recorder. If its file cannot be written, this is reported once, and the command continues without a recording. */
export async function openRecorder(
  { cwd, version }: Context,
  screen: Screen,
  { file: given, side }: { readonly file: string; readonly side: 'client' | 'host' },
): Promise<{ recorder: FrameRecorder; file: string }> {
  // Loaded on demand: most commands record nothing.
  const { FrameRecorder } = await import('@agenthost/conformance/recording');
  const file = resolve(cwd, given);
  const onTrouble = (cause: unknown): void =>
    screen.note(`agenthost: cannot record to ${oneLine(file)}: ${fileTrouble(cause)}`);
  return { recorder: new FrameRecorder({ file, side, program: `agenthost ${version}`, onTrouble }), file };
}
