import { changeFiles, type ReadChanges } from './change-files.ts';
import { flagIn, textIn } from './input.ts';
import { type ModelTool, ToolFailure } from './tool.ts';

/** Replaces exact text in a file. */
export const editFileTool: ModelTool = {
  name: 'edit_file',
  displayName: 'Edit file',
  kind: 'edit',
  description:
    'Replaces text in a file. "old_text" has to occur exactly once, with its white space, or "replace_all" has to be true. Read the file first.',
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      old_text: { type: 'string' },
      new_text: { type: 'string' },
      replace_all: { type: 'boolean' },
    },
    required: ['path', 'old_text', 'new_text'],
  },
  run: (input, run) => changeFiles(run, input, readEdit),
};

const readEdit: ReadChanges = (input) => {
  const path = textIn(input, 'path');
  const [oldText, newText] = [textIn(input, 'old_text'), textIn(input, 'new_text')];
  const replacesAll = flagIn(input, 'replace_all');
  if (oldText === '') throw new ToolFailure('"old_text" is empty: use write_file for a new file');
  return [
    {
      path,
      apply: (before) => {
        if (before === undefined) throw new ToolFailure(`${path} does not exist`);
        // Models write LF; a file with CRLF keeps its line ends.
        const isCrlf = before.includes('\r\n') && !oldText.includes('\r\n');
        const [from, to] = isCrlf ? [crlf(oldText), crlf(newText)] : [oldText, newText];
        const count = before.split(from).length - 1;
        if (count === 0)
          throw new ToolFailure(
            `"old_text" does not occur in ${path}: read the file again, it may have changed`,
          );
        if (count > 1 && !replacesAll)
          throw new ToolFailure(
            `"old_text" occurs ${count} times in ${path}: give more lines around it, or set "replace_all"`,
          );
        return before.replaceAll(from, () => to);
      },
    },
  ];
};

const crlf = (text: string): string => text.replaceAll(/\r?\n/g, '\r\n');
