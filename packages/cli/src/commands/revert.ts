import type { ChangesetFile } from '@agenthost/protocol';
import { changeLines } from '../changes/change-lines.ts';
import { changedFile } from '../changes/file-names.ts';
import { checkOffered, confirmed, run, type Talk } from '../changes/run-operation.ts';
import { type ChangesetOptions, withChanges } from '../changes/with-changes.ts';
import { shortId } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { type ExitCode, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `revert` as parsed. */
export interface RevertOptions extends ChangesetOptions {
  readonly lines?: string;
  readonly undo?: boolean;
  readonly yes?: boolean;
}

/** Options of `restore` as parsed. */
export interface RestoreOptions extends ChangesetOptions {
  readonly undo?: boolean;
  readonly yes?: boolean;
}

const NOTHING_REVERTED = 'nothing was reverted';

/** `revert`: takes changes back, or with `--undo` the last revert. */
export async function revert(
  context: Context,
  screen: Screen,
  { session, file: given }: { session: string; file: string | undefined },
  options: RevertOptions,
): Promise<ExitCode> {
  const lines = linesOf(options.lines);
  if (lines !== undefined && given === undefined) throw usageError('--lines needs a file');
  if (options.undo === true && given !== undefined)
    throw usageError('--undo brings back the whole last revert: leave the file out');
  const talk: Talk = { context, screen, options };
  return withChanges(
    context,
    screen,
    { ...options, session },
    async ({ changes, session: open, place, turn }) => {
      if (options.undo === true) {
        checkOffered(changes, 'undo', 'there is no revert to undo here');
        return run(talk, changes, { operation: 'undo', label: 'undoing the revert' }, () => changes.undo());
      }
      const file = given === undefined ? undefined : changedFile(changes, given, place);
      checkOffered(changes, 'revert', 'there is nothing to revert here');
      const files: readonly ChangesetFile[] = file === undefined ? changes.files : [file];
      if (files.length === 0) return screen.note('nothing has changed');
      const what = lines === undefined ? 'this' : `the changes in ${rangeText(lines)}`;
      await confirmed(talk, {
        lines: changeLines(files, place.folders),
        question: `revert ${what}? The files on disk change`,
        refusal: NOTHING_REVERTED,
      });
      const rest = [shortId(open.uri), ...selectors({ ...options, turn }), '--undo'].join(' ');
      const advice = `\`${commandLine(`revert ${rest}`)}\` undoes it`;
      await run(talk, changes, { operation: 'revert', label: 'reverting', advice }, () => {
        if (file === undefined || lines === undefined) return changes.revert(file);
        return changes.revertLines(file, { first: lines.first - 1, last: lines.last - 1 });
      });
    },
  );
}

/** `restore`: brings the files back to what they were at the end of a turn, or with `--undo` takes that back. */
export async function restore(
  context: Context,
  screen: Screen,
  session: string,
  options: RestoreOptions,
): Promise<ExitCode> {
  if (options.turn === undefined) throw usageError('expected --turn, the turn whose files are restored');
  const talk: Talk = { context, screen, options };
  return withChanges(context, screen, { ...options, session }, async ({ changes, session: open, turn }) => {
    if (options.undo === true) {
      checkOffered(changes, 'undo', 'there is no restore to undo here');
      return run(talk, changes, { operation: 'undo', label: 'undoing the restore' }, () => changes.undo());
    }
    checkOffered(changes, 'restore', 'no later turn has changed files');
    await confirmed(talk, {
      lines: [],
      question: 'take back what later turns have changed? The files on disk change',
      refusal: 'nothing was restored',
    });
    const rest = [shortId(open.uri), ...selectors({ ...options, turn }), '--undo'].join(' ');
    const advice = `\`${commandLine(`restore ${rest}`)}\` undoes it`;
    await run(talk, changes, { operation: 'restore', label: 'restoring', advice }, () => changes.restore());
  });
}

/** The options that choose the same changeset again. */
function selectors({
  turn,
  chat,
  branch,
  uncommitted,
}: Omit<ChangesetOptions, 'turn'> & { readonly turn: string | undefined }): string[] {
  return [
    ...(turn === undefined ? [] : [`--turn ${oneLine(turn)}`]),
    ...(chat === undefined ? [] : [`--chat ${oneLine(chat)}`]),
    ...(branch === true ? ['--branch'] : []),
    ...(uncommitted === true ? ['--uncommitted'] : []),
  ];
}

/** Lines as people count them, from 1, both included. */
interface Lines {
  readonly first: number;
  readonly last: number;
}

function linesOf(given: string | undefined): Lines | undefined {
  if (given === undefined) return undefined;
  const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(given) ?? [];
  if (from === undefined) throw usageError(`--lines: expected a line or first-last, got ${oneLine(given)}`);
  const lines = { first: Number(from), last: Number(to) };
  if (lines.first < 1) throw usageError('--lines: lines are counted from 1');
  if (lines.last < lines.first) throw usageError(`--lines: line ${lines.first} is after line ${lines.last}`);
  return lines;
}

const rangeText = ({ first, last }: Lines): string =>
  first === last ? `line ${first}` : `lines ${first} to ${last}`;
