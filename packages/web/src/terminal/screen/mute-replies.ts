import type { IDisposable, IParser } from '@xterm/xterm';

/** Queries of programs that an emulator answers on its input. */
const CONTROL_QUERIES = [
  // Device attributes.
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  // Status and cursor position.
  { final: 'n' },
  { prefix: '?', final: 'n' },
  // Modes.
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
  // Version, parameters, flags of keyboard protocols.
  { prefix: '>', final: 'q' },
  { final: 'x' },
  { prefix: '?', final: 'u' },
  // Reports of the window.
  { final: 't' },
] as const;

/** Settings of colours, which are queries when a colour is `?`. */
const COLORS = [4, 5, 10, 11, 12, 17, 19] as const;

const CLIPBOARD = 52;

/**
 * Keeps an emulator from answering queries, because the host has answered them [TERM-3], and from giving programs the clipboard. Returns the
 * registrations.
 */
export function muteReplies(parser: IParser): readonly IDisposable[] {
  const swallow = (): boolean => true;
  return [
    ...CONTROL_QUERIES.map((query) => parser.registerCsiHandler(query, swallow)),
    ...COLORS.map((code) => parser.registerOscHandler(code, (data) => data.split(';').includes('?'))),
    parser.registerOscHandler(CLIPBOARD, swallow),
    // Settings and capabilities.
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, swallow),
    parser.registerDcsHandler({ intermediates: '+', final: 'q' }, swallow),
  ];
}
