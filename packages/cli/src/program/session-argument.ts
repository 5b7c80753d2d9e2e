import type { Command } from 'commander';

/** The session that a command is about, as it was typed; `undefined` if it is about none. The first of several. */
export function sessionOf(running: Command): string | undefined {
  const at = running.registeredArguments.findIndex((argument) => argument.name() === 'session');
  const given: unknown = at < 0 ? undefined : running.processedArgs[at];
  const first: unknown = Array.isArray(given) ? given[0] : given;
  if (typeof first === 'string') return first;
  const option = running.options.find(({ flags }) => flags === '--session <session>');
  const value: unknown = option === undefined ? undefined : running.getOptionValue(option.attributeName());
  return typeof value === 'string' ? value : undefined;
}
