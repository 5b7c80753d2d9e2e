import { execFile, spawn } from 'node:child_process';
import { hasCode } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

/** Output of a program that has ended. */
export interface Ended {
  /** Exit code. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end. Rejects with a `CliError` if it is not installed. */
export function runProgram({ env }: Context, [file = '', ...args]: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { env: { ...env, LC_ALL: 'C' }, maxBuffer: 10_000_000 }, (error, out, err) => {
      if (hasCode(error, 'ENOENT')) reject(notInstalled(file, error));
      else resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, out, err });
    }).stdin?.end();
  });
}

/** Runs a program as `runProgram` does, and rejects with its error output if it fails. */
export async function mustRun(context: Context, command: readonly string[]): Promise<Ended> {
  const ended = await runProgram(context, command);
  if (ended.code === 0) return ended;
  const [said = ''] = ended.err.trim().split('\n');
  throw new CliError(
    EXIT.error,
    `\`${command.join(' ')}\` failed: ${oneLine(said) || `exit code ${ended.code}`}`,
  );
}

/** Runs a program in this terminal. Resolves with its exit code. */
export function showProgram({ env }: Context, [file = '', ...args]: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env: { ...env }, stdio: 'inherit' });
    child.once('error', (error) => reject(hasCode(error, 'ENOENT') ? notInstalled(file, error) : error));
    child.once('exit', (code) => resolve(code ?? EXIT.interrupted));
  });
}

const notInstalled = (file: string, cause: unknown): CliError =>
  new CliError(EXIT.error, `${file} is not installed on this machine`, { cause });
