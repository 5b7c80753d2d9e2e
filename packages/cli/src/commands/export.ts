import { resolve } from 'node:path';
import type { ExportPart } from '@agenthost/client';
import { placeToWrite, writeWhole } from '../export/files.ts';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { findSession } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

type Format = 'json' | 'markdown' | 'html';

/** Options of `export` as parsed. */
export interface ExportOptions extends HostOptions {
  readonly format: Format;
  readonly output?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

type Writer = (parts: AsyncIterable<ExportPart>) => AsyncIterable<string>;

/** Loaded on demand: pages need a Markdown library, and other formats do not. */
const writers: Readonly<Record<Format, () => Promise<Writer>>> = {
  json: async () => (await import('../export/json-export.ts')).jsonDocument,
  markdown: async () => (await import('../export/markdown-page.ts')).markdownPage,
  html: async () => (await import('../export/html-page.ts')).htmlPage,
};

/** The JSON export holds everything and is for its owner only. Pages are meant to be shown. */
const FILE_MODES = { json: 0o600, markdown: 0o666, html: 0o666 } satisfies Record<Format, number>;

/** `export`: writes a session down, to stdout or into a file. */
export async function exportSession(
  context: Context,
  screen: Screen,
  given: string,
  options: ExportOptions,
): Promise<ExitCode> {
  const { force = false, json = false, format } = options;
  const output = options.output === '-' ? undefined : options.output;
  if (json && output === undefined) throw usageError('--json reports on the written file: add --output');
  if (output === '') throw usageError('--output: expected a file, got nothing');
  const path = output === undefined ? undefined : await placeToWrite(resolve(context.cwd, output), force);
  return withHost(context, screen, options, async ({ client }) => {
    const session = await findSession(client, given);
    const counts = { chats: 0, turns: 0 };
    screen.status('reading the session');
    const write = await writers[format]();
    const text = write(counted(client.sessions.export(session), counts));
    if (path === undefined) await print(context, text);
    else await writeWhole(path, text, { isForced: force, mode: FILE_MODES[format] });
    screen.status(undefined);
    if (path !== undefined) tell(screen, json, { path, format, session: session.resource, ...counts });
    return context.outputClosed.aborted ? EXIT.interrupted : EXIT.done;
  });
}

async function* counted(
  parts: AsyncIterable<ExportPart>,
  counts: { chats: number; turns: number },
): AsyncGenerator<ExportPart, void, undefined> {
  for await (const part of parts) {
    if (part.type === 'chat') counts.chats += 1;
    else if (part.type !== 'session') counts.turns += 1;
    yield part;
  }
}

/** Waits for a slow reader, so that memory does not fill. */
async function print({ stdout, outputClosed }: Context, text: AsyncIterable<string>): Promise<void> {
  for await (const piece of text) {
    if (outputClosed.aborted) return;
    if (stdout.write(piece)) continue;
    const left = Promise.withResolvers<void>();
    const go = (): void => left.resolve();
    stdout.once('drain', go);
    outputClosed.addEventListener('abort', go, { once: true });
    await left.promise;
    stdout.off('drain', go);
    outputClosed.removeEventListener('abort', go);
  }
}

function tell(
  screen: Screen,
  isJson: boolean,
  done: { path: string; format: Format; session: string; chats: number; turns: number },
): void {
  if (isJson) screen.json({ type: 'exported', ...done });
  else {
    const { turns, chats, path } = done;
    screen.note(`${counting(turns, 'turn')} in ${counting(chats, 'chat')} written to ${oneLine(path)}`);
  }
}

/** `1 turn`, `2 turns`. */
export const counting = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
