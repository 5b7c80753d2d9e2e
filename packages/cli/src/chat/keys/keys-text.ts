import { BINDINGS, CONTEXT_TITLES, EDITING_KEYS, type KeyContext, keyRows } from './bindings.ts';

const contexts = Object.keys(BINDINGS).filter((name): name is KeyContext => name in CONTEXT_TITLES);

/** Every key of `agenthost chat`, for its `--help`. */
export function chatKeysText(): string {
  const row = ([label, hint]: readonly [string, string]): string => `    ${label.padEnd(14)}  ${hint}`;
  return [
    ...contexts.flatMap((context) => [`  ${CONTEXT_TITLES[context]}`, ...keyRows(context).map(row)]),
    '  In text fields',
    ...EDITING_KEYS.map(row),
  ].join('\n');
}
