import { applyPatch, parsePatch, type StructuredPatch } from 'diff';
import { changeFiles, type FileChange, type ReadChanges } from './change-files.ts';
import { textIn } from './input.ts';
import { type ModelTool, ToolFailure } from './tool.ts';

/** Lines of context that may differ. */
const FUZZ_LINES = 1;

/** Applies a unified diff to one or more files. */
export const applyPatchTool: ModelTool = {
  name: 'apply_patch',
  displayName: 'Apply patch',
  kind: 'edit',
  description:
    'Applies a unified diff, as of `git diff`, to one or more files. Lines and counts in hunk headers may be wrong by a little, the context may not. All files are changed, or none.',
  inputSchema: {
    type: 'object',
    properties: { patch: { type: 'string' } },
    required: ['patch'],
  },
  run: (input, run) => changeFiles(run, input, readPatch),
};

const readPatch: ReadChanges = (input) => {
  let patches: StructuredPatch[];
  try {
    patches = parsePatch(textIn(input, 'patch'));
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    throw new ToolFailure(
      `The patch is not a unified diff: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const changes = patches.filter(({ hunks }) => hunks.length > 0).map(changeOf);
  if (changes.length === 0) throw new ToolFailure('The patch has no hunk: expected lines that start with @@');
  return changes;
};

function changeOf(patch: StructuredPatch): FileChange {
  const path = nameOf(patch.newFileName);
  if (path === undefined)
    throw new ToolFailure('The patch deletes a file, or does not name one: delete files by a command');
  return {
    path,
    apply: (before) => {
      if (before === undefined && nameOf(patch.oldFileName) !== undefined)
        throw new ToolFailure(`${path} does not exist`);
      const after = applyPatch(before ?? '', patch, { fuzzFactor: FUZZ_LINES, autoConvertLineEndings: true });
      if (after === false)
        throw new ToolFailure(`The patch does not fit ${path}: read the file again, and make a new patch`);
      return after;
    },
  };
}

/** A path without the prefix of git. `undefined` for `/dev/null`. */
function nameOf(name: string | undefined): string | undefined {
  const path = name?.replace(/\t.*$/, '').trim();
  if (path === undefined || path === '' || path === '/dev/null') return undefined;
  return path.replace(/^[ab]\//, '');
}
