// The program: everything that belongs to the process is here.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { runCli } from './cli.ts';
import { processContext } from './context.ts';

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
process.exitCode = await runCli(processContext(version, homedir()), process.argv.slice(2));
