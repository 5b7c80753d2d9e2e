import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const FILE_NAME = 'licences.txt';

/** Folders in which the repository keeps packages of others. */
const FOREIGN = '/node_modules/';

/** Writes the licences of all packages in the page into a file beside it, as these licences demand. */
export const licences = (): Plugin => ({
  name: 'licences',
  apply: 'build',
  generateBundle(_, bundle) {
    const folders = new Set<string>();
    for (const output of Object.values(bundle)) {
      if (output.type !== 'chunk') continue;
      for (const id of output.moduleIds) {
        const folder = packageFolder(id.replace(/^\0/, '').replace(/\?.*$/, ''));
        if (folder !== undefined) folders.add(folder);
      }
    }
    const texts = Array.from(folders, licenceOf).sort();
    this.emitFile({
      type: 'asset',
      fileName: FILE_NAME,
      source: [licenceOf(join(import.meta.dirname, '../../..')), ...texts].join(`\n\n${'-'.repeat(80)}\n\n`),
    });
  },
});

/** The folder of the foreign package that a module belongs to. */
function packageFolder(id: string): string | undefined {
  const at = id.lastIndexOf(FOREIGN);
  if (at === -1) return undefined;
  const [scope = '', name = ''] = id.slice(at + FOREIGN.length).split('/');
  return join(id.slice(0, at + FOREIGN.length), scope.startsWith('@') ? join(scope, name) : scope);
}

function licenceOf(folder: string): string {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) throw new Error(`${folder} has no package.json`);
  const { name, version, license }: Readonly<Record<string, unknown>> = JSON.parse(
    readFileSync(path, 'utf8'),
  );
  const file = readdirSync(folder).find((each) => /^(?:licen[cs]e|copying)(?:\.|$)/i.test(each));
  const heading = [name, version].filter((part) => typeof part === 'string').join(' ');
  const licence = typeof license === 'string' ? `Licence: ${license}` : 'Licence: see its text';
  const text = file === undefined ? '' : `\n\n${readFileSync(join(folder, file), 'utf8').trim()}`;
  return `${heading}\n${licence}${text}`;
}
