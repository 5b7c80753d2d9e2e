import type { OptionSpec } from './option-spec.ts';

/** The options of `term` and the commands below it. */
export const TERM_OPTIONS = {
  name: {
    flags: '--name <title>',
    type: 'text',
    description: 'title of the terminal',
    defaultText: "the program's own",
  },
  env: {
    flags: '--env <NAME=value>',
    type: 'list',
    description: 'variable for what runs in the terminal; repeatable',
  },
  size: {
    flags: '--size <columns>x<lines>',
    type: 'text',
    description: 'size of the terminal',
    defaultText: 'this window, else 80x24',
  },
  detach: { flags: '-d, --detach', type: 'flag', description: 'print its id and leave it alone' },
  detachKey: {
    flags: '--detach-key <key>',
    type: 'text',
    description: 'key in front of the keys of this command: d detaches, c claims, g gives back, ? helps',
    default: 'ctrl-]',
  },
  claim: { flags: '--claim', type: 'flag', description: 'claim it at once, so that keys go there' },
  long: { flags: '-l, --long', type: 'flag', description: 'show size and folder too' },
  enter: { flags: '--enter', type: 'flag', description: 'press Enter at the end' },
  stdin: { flags: '--stdin', type: 'flag', description: 'type what is piped in, too' },
  key: {
    flags: '--key <keys>',
    type: 'list',
    description: 'press these keys after the text, with commas between: ctrl-c,up,enter; repeatable',
  },
  exit: { flags: '--exit', type: 'flag', description: 'wait for its process to end, which is the default' },
  idle: {
    flags: '--idle <ms>',
    type: 'number',
    unit: 'ms',
    description: 'wait until it has put out nothing for so long',
    min: 1,
    max: 2_000_000_000,
    isInteger: true,
  },
  text: {
    flags: '--text <pattern>',
    type: 'text',
    description: 'wait for text that this regular expression matches, what is there already included',
  },
  signal: {
    flags: '--signal <name>',
    type: 'text',
    description: 'send this signal to what runs in it, such as INT or TERM, and keep the terminal',
  },
  keep: { flags: '--keep', type: 'flag', description: 'leave the terminal there afterwards' },
  raw: {
    flags: '--raw',
    type: 'flag',
    description:
      'keep colours and other sequences in files and pipes; carriage returns before line feeds are left out there either way',
  },
  shell: { flags: '--shell', type: 'flag', description: 'let the shell read the command: pipes, globs, &&' },
} as const satisfies Record<string, OptionSpec>;
