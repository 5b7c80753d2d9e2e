import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FileEdit } from '@agenthost/protocol';
import { FileRefusal } from '../../working-files/file-refusal.ts';
import { readWorkingFile } from '../../working-files/read-file.ts';
import { writeWorkingFile } from '../../working-files/write-file.ts';
import { codeSpan } from './code-span.ts';
import { parseEdited } from './input.ts';
import { MAX_FILE_BYTES } from './read-file.ts';
import { approve, succeed, ToolFailure, type ToolOutcome, type ToolRun } from './tool.ts';

/** A change of one file: gets its text, `undefined` when it does not exist, and returns the new text. Throws `ToolFailure`. */
export interface FileChange {
  readonly path: string;
  apply(before: string | undefined): string;
}

/** The changes that an input asks for. Throws `ToolFailure`. */
export type ReadChanges = (input: Readonly<Record<string, unknown>>) => readonly FileChange[];

/**
 * Changes files: shows the differences, asks by the host's policy, and applies the changes to the files as they are then. All files are
 * computed before the first one is written.
 */
export async function changeFiles(
  run: ToolRun,
  input: Readonly<Record<string, unknown>>,
  readChanges: ReadChanges,
  options: { readonly editable?: boolean } = {},
): Promise<ToolOutcome> {
  const planned = await compute(run, readChanges(input));
  const names = namesOf(planned);
  const given = await approve(run, {
    invocationMessage: { markdown: `Edit ${names}` },
    confirmationTitle: { markdown: `Edit ${names}?` },
    kind: 'edit',
    edits: editsOf(run, planned),
    ...(options.editable === true ? { editable: true } : {}),
  });
  const changes = readChanges(given === run.toolInput ? input : parseEdited(given));
  return run.exclusive(async () => {
    // The answer may have taken days.
    const ready = await compute(run, changes);
    run.signal.throwIfAborted();
    const written: Computed[] = [];
    try {
      for (const change of ready) {
        await writeWorkingFile(run.folder, change.path, change.after);
        written.push(change);
      }
    } catch (error) {
      if (written.length === 0) throw error;
      throw new ToolFailure(
        `${error instanceof Error ? error.message : String(error)}. Written before: ${written.map(({ path }) => path).join(', ')}`,
        { cause: error },
      );
    }
    const done = await succeed(run, {
      past: { markdown: `Edited ${namesOf(ready)}` },
      text: `Written: ${ready.map(({ path }) => path).join(', ')}`,
      content: editsOf(run, ready).map((edit) => ({ type: 'fileEdit' as const, ...edit })),
    });
    return { ...done, paths: ready.map(({ path }) => path) };
  });
}

interface Computed {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
}

async function compute(run: ToolRun, changes: readonly FileChange[]): Promise<Computed[]> {
  // Several changes of one file follow each other.
  const texts = new Map<string, Computed>();
  for (const { path, apply } of changes) {
    const key = resolve(run.folder.path, path);
    const known = texts.get(key);
    const before = known === undefined ? await textOf(run, path) : known.before;
    const after = apply(known === undefined ? before : known.after);
    texts.set(key, { path, before, after });
  }
  const computed = [...texts.values()];
  if (computed.every(({ before, after }) => before === after))
    throw new ToolFailure('The change changes nothing');
  return computed;
}

/** Text of a file; `undefined` when it does not exist. Refuses a binary file, which would be damaged. */
async function textOf(run: ToolRun, path: string): Promise<string | undefined> {
  try {
    const text = await readWorkingFile(run.folder, path, MAX_FILE_BYTES);
    if (text.includes('\0') || text.includes('\ufffd'))
      throw new ToolFailure(`${path} is not a text file in UTF-8`);
    return text;
  } catch (error) {
    if (error instanceof FileRefusal && error.isMissing) return undefined;
    throw error;
  }
}

function editsOf(run: ToolRun, changes: readonly Computed[]): FileEdit[] {
  return changes.map(({ path, before, after }) =>
    run.output.fileEdit({
      uri: pathToFileURL(resolve(run.folder.path, path)).href,
      after,
      ...(before === undefined ? {} : { before }),
    }),
  );
}

function namesOf(changes: readonly Computed[]): string {
  const names = changes.slice(0, 3).map(({ path }) => codeSpan(path));
  return `${names.join(', ')}${changes.length > 3 ? ` and ${changes.length - 3} more` : ''}`;
}
