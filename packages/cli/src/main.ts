// Entry point: connects the program to the real process.
import { readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isSea } from 'node:sea';
import { processContext, workingDirectory } from './process/context.ts';
import { findOwnCommand, nameOwnCommand } from './process/own-command.ts';
import { runCli } from './program/program.ts';

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
const { env, execPath, argv } = process;
nameOwnCommand(() => {
  const file = isSea() ? execPath : realpathSync(argv[1] ?? execPath);
  return findOwnCommand({ env, cwd: workingDirectory(), home: homedir(), execPath, file });
});
process.exitCode = await runCli(processContext(version, homedir()), process.argv.slice(2));
