import { CliError, EXIT } from './exit.ts';

/** Codes of an output whose reader has left, which is no error of ours. */
const quiet = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

/** Why nothing more can be written to stdout, for people; `undefined` while it can, and when its reader has just left. */
export function outputTrouble({ aborted, reason }: AbortSignal): CliError | undefined {
  if (!aborted || !(reason instanceof Error)) return undefined;
  const code = 'code' in reason ? reason.code : undefined;
  if (typeof code !== 'string' || quiet.has(code)) return undefined;
  const why = code === 'ENOSPC' ? 'no space left' : reason.message;
  return new CliError(EXIT.error, `cannot write to standard output: ${why}`, { cause: reason });
}
