import type { Command } from 'commander';
import type { Context } from '../process/context.ts';
import type { Screen } from '../render/screen.ts';
import type { OptionName } from './options.ts';

/** What the commands are made with. */
export interface CommandParts {
  readonly context: Context;
  readonly screen: Screen;
  readonly program: Command;
  /** Makes a command with options. */
  command(parent: Command, name: string, description: string, options: readonly OptionName[]): Command;
  example(made: Command, lines: readonly string[]): void;
  done(code: number): void;
}
