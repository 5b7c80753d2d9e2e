import type { ExportOptions } from '../commands/export.ts';
import type { ImportOptions } from '../commands/import.ts';
import type { CommandParts } from './command-parts.ts';

const WHAT_COMES = `
What comes over: chats with all that was said and done in them, titles, the
folder, metadata and instructions (the agent is told them: read them in a file
that you do not trust). What does not: approvals and settings of the agent,
which are as in a new session, and nothing starts: messages that waited to be
sent are in the chat's draft.`;

/** Adds `export` and `import`. */
export function addExportCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const exporting = command(
    program,
    'export',
    'write a session down: as JSON, Markdown or one page of HTML',
    ['format', 'output', 'force', 'url', 'start', 'json', 'verbose'],
  )
    .argument('<session>', 'id, or the beginning of one')
    .action(async (given: string, options: ExportOptions) => {
      const { exportSession } = await import('../commands/export.ts');
      done(await exportSession(context, screen, given, options));
    });
  example(exporting, [
    'agenthost export 4f2a -o session.json  all of it, for `import`',
    'agenthost export 4f2a --format html -o s.html  to be read in a browser',
    'agenthost export 4f2a | jq -r ".chats[].turns[].turn.message.text"',
  ]);
  const importing = command(program, 'import', 'make a new session of an exported one (JSON)', [
    'newSession',
    'importCwd',
    'importAgent',
    'provider',
    'url',
    'start',
    'json',
    'verbose',
  ])
    .argument('<file>', 'what `export` wrote; - reads it from input')
    .action(async (given: string, options: ImportOptions) => {
      const { importSession } = await import('../commands/import.ts');
      done(await importSession(context, screen, given, options));
    });
  example(importing, [
    'agenthost import session.json',
    'agenthost import session.json --cwd . --agent demo  without its agent',
  ]);
  importing.addHelpText('after', WHAT_COMES);
}
