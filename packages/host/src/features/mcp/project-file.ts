import { hasCode } from '@agenthost/protocol/values';
import { type ReadEntries, readEntries } from '../../config/mcp-servers.ts';
import { openFileIn, withFolder } from '../../workspace/files/open-folder.ts';

/** Where a project names its servers, relative to the working directory. */
export const PROJECT_FILE = '.mcp.json';

const MAX_FILE_BYTES = 256 * 1024;

/** The servers of a folder's `.mcp.json`; `undefined` without the file. A file that cannot be used is one fault without a name. */
export async function readProjectFile(folder: string): Promise<ReadEntries | undefined> {
  try {
    return parseProjectFile(await withFolder(folder, (at) => readSmall(at)));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    if (hasCode(error, 'ELOOP')) return unusable('is a link, and links are not followed');
    if (error instanceof TooLarge) return unusable(`is no file of at most ${MAX_FILE_BYTES} bytes`);
    return unusable(`cannot be read: ${String(error)}`);
  }
}

/** Reads the text of the file. */
export function parseProjectFile(text: string): ReadEntries {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('mcpServers' in value))
      return unusable('expected an object with `mcpServers`');
    return readEntries(value.mcpServers);
  } catch (error) {
    return unusable(`expected JSON: ${String(error)}`);
  }
}

class TooLarge extends Error {}

async function readSmall(folder: Parameters<Parameters<typeof withFolder>[1]>[0]): Promise<string> {
  const file = await openFileIn(folder, PROJECT_FILE);
  try {
    const facts = await file.stat();
    if (!facts.isFile() || facts.size > MAX_FILE_BYTES) throw new TooLarge();
    return (await file.readFile()).toString('utf8');
  } finally {
    await file.close();
  }
}

const unusable = (problem: string): ReadEntries => ({ entries: [], faults: [{ name: '', problem }] });
