// Installs a VS Code with its web workbench into .cache/vscode, which git ignores: `node scripts/install-vscode.ts`.
// Keeps one that is installed in the pinned version.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled, type Installation, type PackageToInstall } from './install-package.ts';

/**
 * 4.139.1 has version 1.139 of VS Code. Its install script compiles some modules: Debian has what that needs in `g++`, `make`, `python3`,
 * `libkrb5-dev`, `libsecret-1-dev` and `libxkbfile-dev`.
 */
export const editorPackage: PackageToInstall = {
  packageName: 'code-server',
  version: '4.139.1',
  bin: 'code-server',
};

/** It downloads 600 MB and compiles for some minutes. */
const timeoutMs = 1_200_000;

/** Installs VS Code if it is missing. Does not reject: a failure is in the result. */
export const installEditor = (): Promise<Installation> =>
  ensureInstalled(editorPackage, join(import.meta.dirname, '..', '.cache/vscode'), timeoutMs);

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { command, reason, tookMs } = await installEditor();
  process.stdout.write(`${reason ?? command} (${tookMs} ms)\n`);
  process.exitCode = command === undefined ? 1 : 0;
}
