import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { reportPath, root } from './test-report.ts';

/** One command of the check. Its line shows `name`. */
export interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

/** All tests of the check. The closing line and the rules are read from its report. */
export const testStep: Step = {
  name: 'tests',
  command: [
    'vitest',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportPath('check')}`,
  ],
};

/** Result of a step: exit code (128 after a signal), wall time, and both output streams in order of arrival. */
export interface StepResult {
  readonly step: Step;
  readonly code: number;
  readonly elapsedMs: number;
  readonly output: string;
}

/** Environment whose PATH begins with this repository's own Node and tools. */
export const toolEnv = {
  ...process.env,
  PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
};

/** Runs one command at the root. With `live`, its output goes to the terminal instead of into the result. */
export function runStep(step: Step, { live = false } = {}): Promise<StepResult> {
  const startedAt = performance.now();
  const [file, ...args] = step.command;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const child = spawn(file, args, {
      cwd: root,
      env: toolEnv,
      stdio: ['ignore', live ? 'inherit' : 'pipe', live ? 'inherit' : 'pipe'],
    });
    const finish = (code: number) => {
      resolve({
        step,
        code,
        elapsedMs: performance.now() - startedAt,
        output: Buffer.concat(chunks).toString('utf8'),
      });
    };
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => {
      chunks.push(Buffer.from(`${file}: ${error.message}\n`));
      finish(127);
    });
    child.on('close', (code) => finish(code ?? 128));
  });
}

/** Runs steps, at most `width` at a time, and calls `onEnd` after each. Resolves with the results in the order of `steps`. */
export async function runSteps(
  steps: readonly Step[],
  width: number,
  onEnd: (result: StepResult) => void,
): Promise<StepResult[]> {
  const results: StepResult[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < steps.length; index = next++) {
      const step = steps[index];
      if (step === undefined) return;
      const result = await runStep(step);
      results[index] = result;
      onEnd(result);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
