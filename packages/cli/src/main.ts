// Entry point: connects the program to the real process.
import { readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { processContext } from './process/context.ts';
import { findOwnCommand, nameOwnCommand } from './process/own-command.ts';
import { runCli } from './program/program.ts';

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
const { env, execPath, argv } = process;
// Read now, because `serve` may change the working directory.
const cwd = process.cwd();
nameOwnCommand(() =>
  findOwnCommand({ env, cwd, home: homedir(), execPath, file: realpathSync(argv[1] ?? execPath) }),
);
process.exitCode = await runCli(processContext(version, homedir()), process.argv.slice(2));
