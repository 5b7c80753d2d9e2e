import type { Command } from 'commander';
import type { Context } from '../process/context.ts';
import { commandLine } from '../process/own-command.ts';
import type { Screen } from '../render/screen.ts';
import type { OptionName } from './options.ts';

/** Parts that commands are built with. */
export interface CommandParts {
  readonly context: Context;
  readonly screen: Screen;
  readonly program: Command;
  /** Makes a command with options. */
  command(parent: Command, name: string, description: string, options: readonly OptionName[]): Command;
  example(made: Command, lines: readonly string[]): void;
  done(code: number): void;
}

/** Width of most terminal windows. */
const MAX_COLUMNS = 80;

/** Examples of `agenthost …` as they work here; two spaces part each from a remark, which stands below where a line would be too long. */
export function exampleLines(lines: readonly string[]): string[] {
  const rows = lines.map((line) => {
    const [example = '', remark = ''] = line.split(/ {2,}/, 2);
    return { example: example.replace(/(?<=^|\| )agenthost (?=\w)/, commandLine('')), remark };
  });
  const width = Math.max(...rows.map(({ example, remark }) => (remark === '' ? 0 : example.length)));
  return rows.flatMap(({ example, remark }) => {
    const line = `  ${example.padEnd(width)}  ${remark}`.trimEnd();
    return line.length <= MAX_COLUMNS
      ? [line]
      : [`  ${example}`, ...(remark === '' ? [] : [`      ${remark}`])];
  });
}
