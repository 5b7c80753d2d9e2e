import { globSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { programOf } from '../../packages/cli/src/program/program.ts';
import { Screen } from '../../packages/cli/src/render/screen.ts';
import { FakeContext } from '../../packages/cli/test/fake-context.ts';
import { root } from '../source-graph.ts';
import {
  bareCommandsOfSources,
  commandsOfDocument,
  commandsOfHints,
  examplesOfHelp,
  type NamedCommand,
  wordsOf,
} from './named-commands.ts';

type Program = ReturnType<typeof programOf>;

/** Thrown in place of a command's action. */
const parsed = new Error('parsed');

/** The real parser with commands that do nothing. */
function idleProgram(): Program {
  const context = new FakeContext();
  const program = programOf(context, new Screen(context), false, () => undefined);
  // A hook of the program would run before those of the commands, which refuse unknown names.
  for (const each of program.commands)
    each.hook('preAction', () => {
      throw parsed;
    });
  return program;
}

const commandsBelow = (of: Program): Program[] => [of, ...of.commands.flatMap(commandsBelow)];

async function troubleWith({ place, args }: NamedCommand): Promise<string[]> {
  const program = idleProgram();
  const words = wordsOf(args);
  try {
    await program.parseAsync(words, { from: 'user' });
    return [`${place}: agenthost ${args}: does nothing`];
  } catch (error) {
    if (error === parsed || isNameAlone(program, words)) return [];
    const { exitCode, message } = Object(error);
    // A hint inserts the value at run time.
    const isPlaceholder = /argument 'x' is invalid\. Allowed choices/.test(message);
    return exitCode === 0 || isPlaceholder ? [] : [`${place}: agenthost ${args}: ${message}`];
  }
}

/** Whether it is only a command's name, without the arguments that the command requires: texts mention commands too. */
function isNameAlone(of: Program, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  const next = of.commands.find((each) => each.name() === name);
  return next !== undefined && isNameAlone(next, rest);
}

const troubles = async (commands: readonly NamedCommand[]): Promise<string[]> =>
  (await Promise.all(commands.map(troubleWith))).flat();

/** Pages written by hand. `--help` has tests of its own. */
const pages = globSync('docs/**/*.md', { cwd: root }).filter((path) => path !== 'docs/command-line.md');

describe('every command that texts name exists', () => {
  test.each([
    ['README.md', 8],
    ...pages.map((path): [string, number] => [path, 0]),
    ['packages/cli/README.md', 25],
    ['packages/agents/README.md', 0],
    ['ARCHITECTURE.md', 0],
    ['THREAT_MODEL.md', 0],
    ['CONTRIBUTING.md', 0],
  ])('in %s', async (path, least) => {
    const commands = commandsOfDocument(path);
    expect(commands.length).toBeGreaterThanOrEqual(least);
    expect(await troubles(commands)).toEqual([]);
  });

  test('in the examples of --help', async () => {
    const program = idleProgram();
    const commands: NamedCommand[] = [];
    for (const each of commandsBelow(program)) {
      let help = '';
      each.configureOutput({ writeOut: (text) => (help += text) });
      each.outputHelp();
      commands.push(...examplesOfHelp(help, each.name()));
    }
    expect(commands.length).toBeGreaterThan(60);
    expect(await troubles(commands)).toEqual([]);
  });

  test('in hints, which all name it by one function', async () => {
    const commands = commandsOfHints();
    expect(commands.length).toBeGreaterThan(20);
    expect(await troubles(commands)).toEqual([]);
    const names = idleProgram().commands.map((each) => each.name());
    const isCommand = new RegExp(`agenthost (?:${names.join('|')})\\b`);
    // A command for another machine keeps its plain name, because the name there is unknown here.
    const bare = bareCommandsOfSources().filter(
      (line) =>
        isCommand.test(line) &&
        !line.includes('on other machines: AGENTHOST_TOKEN=…') &&
        // Scripts of shells complete the words of this name alone.
        !line.includes('agenthost completion words -- '),
    );
    expect(bare).toEqual([]);
  });

  test('and an unknown command would fail', async () => {
    const wrong = [
      'frobnicate',
      'sessions bogus',
      'run --modle x',
      'config set approvals',
      'serve --port no',
    ];
    expect(await troubles(wrong.map((args) => ({ place: 'here', args })))).toHaveLength(wrong.length);
  });
});
