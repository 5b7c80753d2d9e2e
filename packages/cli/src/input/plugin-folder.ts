import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { PluginFolder } from '@agenthost/client';
import { errorText } from '@agenthost/protocol/values';
import { CliError, EXIT } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

/** Folders without customizations. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** What the host reads of a plugin. */
export interface PluginLimits {
  readonly fileCount: number;
  /** Maximum size of a file. */
  readonly fileBytes: number;
  /** A larger file is left out, or is an error. */
  readonly isLargeLeftOut: boolean;
}

/**
 * The folder at a path as a plugin, which is named for the folder. Rejects with a `CliError` when the folder cannot be read or is above the limits.
 */
export async function pluginFolder(cwd: string, folder: string, limits: PluginLimits): Promise<PluginFolder> {
  const root = resolve(cwd, folder);
  const name = basename(root);
  return { id: `folder-${name}`, name, files: await filesOf(root, limits) };
}

/** The files of a folder by path. */
async function filesOf(
  root: string,
  { fileCount, fileBytes, isLargeLeftOut }: PluginLimits,
): Promise<Record<string, Uint8Array>> {
  const files: Record<string, Uint8Array> = {};
  const refuse = (reason: string): never => {
    throw new CliError(EXIT.error, `${oneLine(root)} has ${reason}, the limit of a plugin`);
  };
  const walk = async (path: string): Promise<void> => {
    const entries = await readdir(join(root, path), { withFileTypes: true });
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const at = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) await walk(at);
      if (!entry.isFile()) continue;
      if ((await stat(join(root, at))).size > fileBytes) {
        if (isLargeLeftOut) continue;
        refuse(`a file of more than ${fileBytes} bytes (${oneLine(at, 200)})`);
      }
      if (Object.keys(files).length === fileCount) refuse(`more than ${fileCount} files`);
      files[at] = await readFile(join(root, at));
    }
  };
  try {
    await walk('');
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(EXIT.error, `cannot read ${oneLine(root)}: ${oneLine(errorText(cause))}`, { cause });
  }
  return files;
}
