import { programOf } from '../../packages/cli/src/program/program.ts';
import { Screen } from '../../packages/cli/src/render/screen.ts';
import { FakeContext } from '../../packages/cli/test/fake-context.ts';

type Command = ReturnType<typeof programOf>;

const HELP_WIDTH = 100;

/** `docs/command-line.md`: the help of every command. */
export function commandLinePage(): string {
  const context = new FakeContext();
  const program = programOf(context, new Screen(context), false, () => undefined);
  return [
    '# Command line',
    '',
    'This page is the output of `--help` of every command. [Exit codes](errors.md#exit-codes) have a table of their own.',
    '',
    ...sectionsOf(program, []),
  ].join('\n');
}

function sectionsOf(command: Command, above: readonly string[]): string[] {
  const names = [...above, command.name()];
  const below = command.commands.toSorted((one, other) => one.name().localeCompare(other.name()));
  return [
    `## ${names.join(' ')}`,
    '',
    '```text',
    helpOf(command),
    '```',
    '',
    ...below.flatMap((each) => sectionsOf(each, names)),
  ];
}

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => HELP_WIDTH });
  command.outputHelp();
  return help.trimEnd();
}
