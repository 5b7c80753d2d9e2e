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
    description: 'the lowest level that is shown',
  },
  logLines: {
    flags: '-n, --lines <count>',
    type: 'number',
    description: 'lines of the past to show first, which the host keeps from info on',
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
