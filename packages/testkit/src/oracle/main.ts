// `npm run fixtures -- <version> <folder>`: plays a folder of the protocol's fixtures by the reducers of that version, and by those of 1.0
// through the version's dialect. Older reducers are those of the oracle.
import { lineOf, VERSION_LINES } from '@agenthost/protocol';
import { FixtureError, readFixtures } from './fixtures.ts';
import { playDirectly, playThroughDialect } from './play.ts';

function main([version = '', folder, ...rest]: readonly string[]): number {
  const line = lineOf(version);
  if (folder === undefined || rest.length > 0) return refuse('usage: npm run fixtures -- <version> <folder>');
  if (line === undefined)
    return refuse(`unknown version ${JSON.stringify(version)}: expected one of ${VERSION_LINES.join(', ')}`);
  let failed = 0;
  const cases = readFixtures(folder);
  for (const one of cases) {
    const lines = [
      ...playDirectly(line, one).map((text) => `reducers of ${line}: ${text}`),
      ...playThroughDialect(line, one).map((text) => `dialect of ${line}: ${text}`),
    ];
    if (lines.length === 0) continue;
    failed += 1;
    say(`✗ ${one.file}\n${lines.map((text) => `    ${text}`).join('\n')}`);
  }
  say(`${cases.length - failed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function refuse(message: string): number {
  process.stderr.write(`${message}\n`);
  return 2;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof FixtureError)) throw error;
  process.exitCode = refuse(error.message);
}
