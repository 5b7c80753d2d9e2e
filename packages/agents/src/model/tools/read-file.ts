import { readWorkingFile } from '../../working-files/read-file.ts';
import { codeSpan } from './code-span.ts';
import { optionalCount, textIn } from './input.ts';
import { MAX_RESULT_LENGTH, type ModelTool, succeed } from './tool.ts';

/** Largest file that is read, in bytes. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Lines that are returned when the input names no number. */
const DEFAULT_LINE_COUNT = 1_000;
/** Longest line, in UTF-16 code units. */
const MAX_LINE_LENGTH = 2_000;

/** Reads a text file, with line numbers. */
export const readFileTool: ModelTool = {
  name: 'read_file',
  displayName: 'Read file',
  kind: 'read',
  description: `Reads a text file of the working directories. Each line comes with its number and a tab, which are not part of the file. Without "limit" at most ${DEFAULT_LINE_COUNT} lines.`,
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'absolute, or relative to the working directory' },
      offset: { type: 'integer', description: 'first line to read, from 1' },
      limit: { type: 'integer', description: 'number of lines' },
    },
    required: ['path'],
  },
  async run(input, run) {
    const path = textIn(input, 'path');
    const first = optionalCount(input, 'offset') ?? 1;
    const limit = optionalCount(input, 'limit') ?? DEFAULT_LINE_COUNT;
    run.handle.run({ invocationMessage: { markdown: `Read ${codeSpan(path)}` }, toolInput: run.toolInput });
    const text = await readWorkingFile(run.folder, path, MAX_FILE_BYTES);
    const done = await succeed(run, {
      past: { markdown: `Read ${codeSpan(path)}` },
      text: numbered(text, first, limit),
    });
    return { ...done, paths: [path] };
  },
};

function numbered(text: string, first: number, limit: number): string {
  if (text.includes('\0')) return '(a binary file)';
  if (text === '') return '(an empty file)';
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (first > lines.length) return `(the file has ${lines.length} lines)`;
  const shown: string[] = [];
  let length = 0;
  for (const [index, line] of lines.slice(first - 1, first - 1 + limit).entries()) {
    const cut = line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line;
    const entry = `${first + index}\t${cut.replace(/\r$/, '')}`;
    length += entry.length + 1;
    if (length > MAX_RESULT_LENGTH - 200) break;
    shown.push(entry);
  }
  const last = first + shown.length - 1;
  if (last < lines.length)
    shown.push(`(lines ${first} to ${last} of ${lines.length}; read on with offset ${last + 1})`);
  return shown.join('\n');
}
