import type { ChangesetFile, URI } from '@agenthost/protocol';
import { cellsOf, oneLine } from '../render/plain-text.ts';
import { pathIn } from './file-names.ts';

/** The kind of change of a file: added, deleted, renamed or modified. */
export function letterOf({ edit: { before, after } }: ChangesetFile): 'A' | 'D' | 'R' | 'M' {
  if (before === undefined) return 'A';
  if (after === undefined) return 'D';
  return before.uri === after.uri ? 'M' : 'R';
}

/** The path of a file; of a renamed file both paths. */
export function nameOf({ id, edit: { before, after } }: ChangesetFile, folders: readonly URI[]): string {
  const now = oneLine(pathIn(folders, after?.uri ?? before?.uri ?? id), 1_000);
  if (before === undefined || after === undefined || before.uri === after.uri) return now;
  return `${oneLine(pathIn(folders, before.uri), 1_000)} -> ${now}`;
}

/** Added and removed lines, such as `+3 -1`. */
export function countsOf({ edit: { diff } }: ChangesetFile): string {
  if (diff === undefined) return 'binary';
  return `+${diff.added ?? '?'} -${diff.removed ?? '?'}`;
}

/** Facts about a file that its counts do not say. */
export function remarksOf({ _meta = {}, reviewed }: ChangesetFile): string[] {
  const { staged, isShared, modes } = _meta;
  return [
    staged === 'all' ? 'staged' : staged === 'part' ? 'partly staged' : '',
    modesText(modes),
    // Another turn that ran at the same time may have made the change.
    isShared === true ? 'shared' : '',
    reviewed === true ? 'reviewed' : '',
  ].filter((text) => text !== '');
}

function modesText(modes: unknown): string {
  if (typeof modes !== 'object' || modes === null) return '';
  const [before, after] = ['before', 'after'].map((side) => modeOf(modes, side));
  if (before === undefined || after === undefined || before === after) return '';
  return `mode ${before} to ${after}`;
}

function modeOf(modes: object, side: string): string | undefined {
  const mode: unknown = new Map<string, unknown>(Object.entries(modes)).get(side);
  return typeof mode === 'string' && /^[0-7]{6}$/.test(mode) ? mode : undefined;
}

/** The mode of a version as git writes it, such as `100644`. */
export function modeOfVersion({ _meta = {} }: ChangesetFile, side: 'before' | 'after'): string {
  const { modes } = _meta;
  return (typeof modes === 'object' && modes !== null ? modeOf(modes, side) : undefined) ?? '100644';
}

const MAX_PADDED_CELLS = 60;

/** One line for each file. */
export function changeLines(files: readonly ChangesetFile[], folders: readonly URI[]): string[] {
  const names = files.map((file) => nameOf(file, folders));
  const width = Math.min(MAX_PADDED_CELLS, Math.max(0, ...names.map((name) => cellsOf(name))));
  return files.map((file, index) => {
    const name = names[index] ?? '';
    const padding = ' '.repeat(Math.max(0, width - cellsOf(name)));
    const rest = [countsOf(file), ...remarksOf(file)].join('  ');
    return `${letterOf(file)}  ${name}${padding}  ${rest}`;
  });
}

/** The size of all changes, such as `3 files, +10 -2`. */
export function totalLine(files: readonly ChangesetFile[]): string {
  const sum = (side: 'added' | 'removed'): number =>
    files.reduce((total, { edit }) => total + (edit.diff?.[side] ?? 0), 0);
  return `${files.length === 1 ? '1 file' : `${files.length} files`}, +${sum('added')} -${sum('removed')}`;
}
