import type { Argument, Command, Option } from 'commander';

/** What can stand at a place of a command line. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** The place takes ids of sessions too. */
  readonly takesSession: boolean;
  /** The place takes names of hosts. */
  readonly takesHost: boolean;
}

/** A word, and what it means. */
export interface Candidate {
  readonly word: string;
  readonly description: string;
}

const SESSION = 'session';
const HOST = 'host';

/** What can stand in the place of the last of `words`, which follow the program's name. The last word may be empty. */
export function complete(program: Command, words: readonly string[]): Completion {
  const partial = words.at(-1) ?? '';
  let command = program;
  let position = 0;
  let awaiting: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (awaiting !== undefined) {
      awaiting = undefined;
    } else if (word.startsWith('-')) {
      const option = command.options.find(({ long, short }) => long === word || short === word);
      if (option?.required === true) awaiting = option;
    } else {
      const next = subcommands(command).find((each) => each.name() === word || each.aliases().includes(word));
      if (next === undefined || position > 0) position += 1;
      else command = next;
    }
  }
  const fits = (all: readonly Candidate[]): Candidate[] => all.filter(({ word }) => word.startsWith(partial));
  if (awaiting !== undefined) {
    const { argChoices = [], description } = awaiting;
    const values = argChoices.map((word) => ({ word, description }));
    return {
      candidates: fits(values),
      takesSession: awaiting.attributeName() === SESSION,
      // `--host <address>` of `serve` takes another thing.
      takesHost: awaiting.attributeName() === HOST && awaiting.flags.includes('<name>'),
    };
  }
  if (partial.startsWith('-')) {
    const options = command.createHelp().visibleOptions(command);
    const names = options.map(({ long, short, description }) => ({ word: long ?? short ?? '', description }));
    return { candidates: fits(names), takesSession: false, takesHost: false };
  }
  const argument = argumentAt(command, position);
  const values = (argument?.argChoices ?? []).map((word) => ({
    word,
    description: argument?.description ?? '',
  }));
  const names =
    position > 0
      ? []
      : subcommands(command).map((each) => ({ word: each.name(), description: each.description() }));
  return {
    candidates: fits([...values, ...names]),
    takesSession: argument?.name() === SESSION,
    takesHost: argument?.name() === HOST,
  };
}

const subcommands = (command: Command): Command[] => command.createHelp().visibleCommands(command);

/** The argument at a position; the last one repeats if it is variadic. */
function argumentAt(command: Command, position: number): Argument | undefined {
  const all = command.registeredArguments;
  const last = all.at(-1);
  return all[position] ?? (last?.variadic === true ? last : undefined);
}
