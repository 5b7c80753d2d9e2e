import type { OptionSpec } from './option-spec.ts';

/** Options of `logs` and `trace`. */
export const TELEMETRY_OPTIONS = {
  followLogs: { flags: '-f, --follow', type: 'flag', description: 'show further lines until Ctrl-C' },
  logsOf: {
    flags: '--session <session>',
    type: 'text',
    description: 'only lines of this session: id, or the beginning of an id',
    defaultText: 'all lines',
  },
  logLevel: {
    flags: '--level <level>',
    type: 'choice',
    choices: ['debug', 'info', 'warn', 'error'],
    default: 'info',
    description: 'lowest level to show',
  },
  logLines: {
    flags: '-n, --lines <count>',
    type: 'number',
    description: 'number of earlier lines to show first; the host keeps lines of level info and above',
    default: 50,
    min: 0,
    max: 256,
    isInteger: true,
  },
  traceChat: {
    flags: '--chat <chat>',
    type: 'text',
    description: 'chat of the session: id, or the beginning of an id',
    defaultText: "the session's default chat",
  },
} as const satisfies Record<string, OptionSpec>;
