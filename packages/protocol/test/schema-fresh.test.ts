import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';

const generate = fileURLToPath(new URL('../scripts/generate.ts', import.meta.url));
const schemaFolder = fileURLToPath(new URL('../schema/', import.meta.url));

it('schemas, compiled checks and the page of limits are up to date with the wire types and the table of limits', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@agenthost/source',
    generate,
    '--check',
  ]);
  expect(stdout).toContain('Nothing to change.');
  // Reads all types in a separate process: two seconds alone, much longer on a busy machine.
}, 180_000);

it('every published schema compiles alone in strict draft-07 mode', () => {
  const files = readdirSync(schemaFolder);
  expect(files).toEqual(['actions.json', 'commands.json', 'errors.json', 'notifications.json', 'state.json']);
  for (const name of files) {
    const schema: object = JSON.parse(readFileSync(schemaFolder + name, 'utf8'));
    const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true });
    expect(() => ajv.compile(schema), name).not.toThrow();
  }
});
