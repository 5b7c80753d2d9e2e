import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { builtProgram } from '../../packages/cli/test/program.ts';
import type { PageStage } from './stage.ts';

/** Runs a command of `agenthost` at the stage's host, as the owner. Resolves with its standard output; rejects when it fails. */
export function commandLine(stage: PageStage, ...command: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = [...builtProgram, ...command];
    const env = {
      ...{ PATH: process.env['PATH'] ?? '', HOME: join(stage.folder, 'home') },
      ...{ AGENTHOST_URL: stage.origin, AGENTHOST_TOKEN: stage.token },
    };
    const options = { env, cwd: join(stage.folder, 'work') };
    const child = execFile(process.execPath, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`agenthost ${command.join(' ')}: ${stderr}`, { cause: error }));
    });
    child.stdin?.end();
  });
}
