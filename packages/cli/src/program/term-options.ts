import type { OptionSpec } from './option-spec.ts';

/** The options of `term` and the commands below it. */
export const TERM_OPTIONS = {
  name: {
    flags: '--name <title>',
    type: 'text',
    description: 'title of the terminal',
    defaultText: "the program's title",
  },
  env: {
    flags: '--env <NAME=value>',
    type: 'list',
    description: 'environment variable for the program in the terminal; repeatable',
  },
  size: {
    flags: '--size <columns>x<lines>',
    type: 'text',
    description: 'size of the terminal',
    defaultText: 'the size of this window, else 80x24',
  },
  detach: { flags: '-d, --detach', type: 'flag', description: 'print its id and do not show it' },
  detachKey: {
    flags: '--detach-key <key>',
    type: 'text',
    description: 'prefix key of this command: then d detaches, c claims, g gives back, ? shows help',
    default: 'ctrl-]',
  },
  claim: { flags: '--claim', type: 'flag', description: 'claim it immediately, so that keys go to it' },
  long: { flags: '-l, --long', type: 'flag', description: 'also show size and folder' },
  enter: { flags: '--enter', type: 'flag', description: 'press Enter at the end' },
  stdin: { flags: '--stdin', type: 'flag', description: 'also type standard input' },
  key: {
    flags: '--key <keys>',
    type: 'list',
    description: 'press these keys after the text, separated by commas: ctrl-c,up,enter; repeatable',
  },
  exit: { flags: '--exit', type: 'flag', description: 'wait until its process ends (the default)' },
  idle: {
    flags: '--idle <ms>',
    type: 'number',
    unit: 'ms',
    description: 'wait until it has written no output for this time',
    min: 1,
    max: 2_000_000_000,
    isInteger: true,
  },
  text: {
    flags: '--text <pattern>',
    type: 'text',
    description: 'wait for text that matches this regular expression; text already shown counts',
  },
  signal: {
    flags: '--signal <name>',
    type: 'text',
    description: 'send this signal, such as INT or TERM, to the program in it, and keep the terminal',
  },
  keep: { flags: '--keep', type: 'flag', description: 'keep the terminal afterwards' },
  raw: {
    flags: '--raw',
    type: 'flag',
    description:
      'keep colours and other escape sequences in files and pipes; carriage returns before line feeds are always removed there',
  },
  shell: { flags: '--shell', type: 'flag', description: 'run the command in a shell: pipes, globs, &&' },
} as const satisfies Record<string, OptionSpec>;
