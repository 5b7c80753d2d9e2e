import { codeSpan } from './code-span.ts';
import { optionalText } from './input.ts';
import { type ModelTool, succeed } from './tool.ts';
import { listFolder, walk } from './walk.ts';

/** Paths that are returned. */
const MAX_PATHS = 500;

/** Lists a folder, or finds files by name. */
export const listFilesTool: ModelTool = {
  name: 'list_files',
  displayName: 'List files',
  kind: 'read',
  description: `Lists the names in a folder of the working directories. With "glob", finds files below it instead, such as "*.ts" or "src/**/*.test.ts"; at most ${MAX_PATHS}.`,
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'a folder; default: the working directory' },
      glob: { type: 'string' },
    },
  },
  async run(input, run) {
    const path = optionalText(input, 'path') ?? '.';
    const glob = optionalText(input, 'glob');
    const what = glob === undefined ? codeSpan(path) : `${codeSpan(glob)} in ${codeSpan(path)}`;
    run.handle.run({ invocationMessage: { markdown: `List ${what}` }, toolInput: run.toolInput });
    const found: string[] = [];
    if (glob === undefined) found.push(...(await listFolder(run.folder, path)));
    else {
      for await (const file of walk(run.folder, path, glob, run.signal)) {
        found.push(file);
        if (found.length > MAX_PATHS) break;
      }
    }
    const rest = found.length > MAX_PATHS ? '\n(there are more)' : '';
    return succeed(run, {
      past: { markdown: `Listed ${what}` },
      text: found.length === 0 ? '(nothing)' : `${found.slice(0, MAX_PATHS).join('\n')}${rest}`,
    });
  },
};
