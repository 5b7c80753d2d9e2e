import type { ChangesetFile } from '@agenthost/protocol';
import { changeLines, nameOf, totalLine } from '../changes/change-lines.ts';
import { patchOf } from '../changes/file-patch.ts';
import { textOfLine } from '../changes/hunks.ts';
import { leftOutLine } from '../changes/left-out-line.ts';
import { type ChangesetOptions, type OpenChanges, withChanges } from '../changes/with-changes.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { oneLine, plain } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `changes` as parsed. */
export interface ChangesOptions extends ChangesetOptions {
  readonly stat?: boolean;
  readonly patch?: boolean;
  readonly nameOnly?: boolean;
}

/** `changes`: shows what has changed in a session. */
export function showChanges(
  context: Context,
  screen: Screen,
  session: string | undefined,
  options: ChangesOptions,
): Promise<ExitCode> {
  return withChanges(context, screen, { ...options, session }, async (open) => {
    const { changes, place } = open;
    const { files, leftOut, status, error, operations, uri } = changes;
    if (options.json === true) {
      screen.json({
        type: 'changes',
        session: open.session.uri,
        changeset: uri,
        status,
        error,
        files,
        leftOut,
        operations,
      });
      return;
    }
    if (error !== undefined) throw new CliError(EXIT.error, oneLine(error.message, 1_000));
    const missing = leftOutLine(leftOut, place.folders);
    if (files.length === 0) screen.note('nothing has changed');
    if (options.nameOnly === true) for (const file of files) screen.line(finalName(file, place.folders));
    const isPlain = options.patch !== true && options.nameOnly !== true;
    if (files.length > 0 && (isPlain || options.stat === true)) {
      for (const line of changeLines(files, place.folders)) screen.line(coloured(line, screen));
      screen.note(totalLine(files));
    }
    if (options.patch === true) await printPatch(context, screen, open);
    if (missing !== undefined) screen.note(missing);
  });
}

const finalName = (file: ChangesetFile, folders: readonly string[]): string =>
  nameOf(file, folders).replace(/^.* -> /s, '');

async function printPatch(context: Context, screen: Screen, { changes, place }: OpenChanges): Promise<void> {
  // A terminal shows no binary data; a program gets everything that `git apply` needs.
  const isShown = context.stdout.isTTY === true;
  for (const file of changes.files) {
    const patch = await patchOf(changes, file, { folders: place.folders, isBinaryFull: !isShown });
    if (isShown || screen.outColors.isColorSupported)
      for (const line of patch.trimEnd().split('\n')) screen.line(colouredPatch(textOfLine(line), screen));
    else screen.bytes(Buffer.from(patch, 'latin1'));
  }
}

function colouredPatch(line: string, { outColors }: Screen): string {
  const text = plain(line);
  if (/^(?:diff|index|---|\+\+\+|new|deleted|old|rename|Binary) /.test(text)) return outColors.bold(text);
  if (text.startsWith('@@')) return outColors.cyan(text);
  if (text.startsWith('+')) return outColors.green(text);
  return text.startsWith('-') ? outColors.red(text) : text;
}

const coloured = (line: string, { outColors }: Screen): string =>
  line.replace(
    /(\+\d+) (-\d+)/,
    (_, added: string, removed: string) => `${outColors.green(added)} ${outColors.red(removed)}`,
  );
