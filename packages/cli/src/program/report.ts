import type { ConnectionLost } from '@agenthost/client';
import { errorSentence } from '../host-link/host-errors.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { plain } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Form of the report. */
export interface ReportOptions {
  readonly isJson: boolean;
  readonly isVerbose: boolean;
}

/** Tells a person on stderr, or with `--json` a program on stdout, why a command failed, and returns its exit code. */
export function report(error: unknown, screen: Screen, { isJson, isVerbose }: ReportOptions): ExitCode {
  const exitCode = exitCodeOf(error);
  const message = plain(error instanceof CliError ? error.message : errorSentence(error));
  if (isJson) screen.json({ type: 'error', message, exitCode });
  else screen.note(`agenthost: ${message}`);
  if (isVerbose) for (const line of causesOf(error)) screen.note(`  ${line}`);
  return exitCode;
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  return isConnectionLost(error) ? EXIT.cannotConnect : EXIT.error;
}

/** By its name: its class would load the whole client with every command, `serve` included. */
const isConnectionLost = (error: unknown): boolean =>
  error instanceof Error && error.name === ('ConnectionLost' satisfies ConnectionLost['name']);

/** The causes of an error, with their stacks. */
function causesOf(error: unknown): string[] {
  const lines: string[] = [];
  let cause = error instanceof CliError ? error.cause : error;
  for (let depth = 0; cause !== undefined && depth < 8; depth += 1) {
    const text = cause instanceof Error ? (cause.stack ?? cause.message) : JSON.stringify(cause);
    lines.push(...plain(`caused by ${text}`).split('\n'));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return lines;
}
