import { changeFiles } from './change-files.ts';
import { textIn } from './input.ts';
import type { ModelTool } from './tool.ts';

/** Writes a whole file. */
export const writeFileTool: ModelTool = {
  name: 'write_file',
  displayName: 'Write file',
  kind: 'edit',
  description:
    'Writes a text file of the working directories completely, and creates missing folders. For a change of an existing file use edit_file or apply_patch.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  },
  run: (input, run) =>
    changeFiles(
      run,
      input,
      (wanted) => {
        const content = textIn(wanted, 'content');
        return [{ path: textIn(wanted, 'path'), apply: () => content }];
      },
      { editable: true },
    ),
};
