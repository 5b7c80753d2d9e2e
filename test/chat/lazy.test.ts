import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../source-graph.ts';

/** A loader hook that prints every module that is loaded. */
const spy = `data:text/javascript,${encodeURIComponent(
  "import { registerHooks } from 'node:module'; registerHooks({ resolve(name, context, next) { console.log(name); return next(name, context); } });",
)}`;

test('other commands than chat do not load the code of its window', () => {
  const program = ['-C', '@agenthost/source', '--import', spy, join(root, 'packages/cli/src/main.ts')];
  const loaded = execFileSync(process.execPath, [...program, '--version'], { encoding: 'utf8' }).split('\n');
  expect(loaded).toContain('commander');
  for (const name of ['ink', 'react', 'marked']) expect(loaded).not.toContain(name);
});
