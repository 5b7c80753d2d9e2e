import type {
  CustomizationLoadState,
  DirectoryCustomization,
  PluginCustomization,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { beginningOf } from '../../lib/beginning-of.ts';
import { idOf, type ParsedChild, type ParsedFile } from './child.ts';
import { faultLine } from './front-matter.ts';
import { hookChild, mcpChildren } from './json-child.ts';
import { parseJsonFile } from './json-file.ts';
import { type FolderLayout, PLUGIN_FOLDERS } from './layout.ts';
import { markdownChild } from './markdown-child.ts';
import { type SourceEntry, SourceFault, type SourceFiles } from './source-files.ts';

/** A container as it was read, before decisions about it. */
export interface ReadContainer {
  readonly container: PluginCustomization | DirectoryCustomization;
  readonly children: readonly ParsedChild[];
}

/** Maximum children of a container. */
const MAX_CHILDREN = 200;
/** Maximum characters of the list of faults. */
const MAX_FAULTS_LENGTH = 4_000;
const MAX_NAME = 200;

const MANIFESTS = ['plugin.json', '.plugin/plugin.json', '.claude-plugin/plugin.json'];

/** Reads a folder with files of one type. `undefined`: there is no such folder. Never rejects for a file that cannot be read. */
export async function readDirectory(
  files: SourceFiles,
  layout: FolderLayout,
  isWritable: boolean,
): Promise<ReadContainer | undefined> {
  const reading = new Reading(files);
  const isThere = await reading.folder(layout);
  if (!isThere) return undefined;
  const uri = files.uriOf(layout.path);
  return {
    container: {
      type: 'directory',
      id: idOf('directory', uri),
      uri,
      name: layout.path,
      contents: layout.contents,
      enabled: true,
      writable: isWritable,
      load: reading.load,
    },
    children: reading.children,
  };
}

/** The parts of a plugin that its publisher gives. Absent: they come from the files. */
export type PluginIdentity = Pick<PluginCustomization, 'id' | 'name' | 'uri'>;

/** Reads a plugin in the layout of Open Plugins [CUST-2]. Never rejects for a file that cannot be read. */
export async function readPlugin(
  files: SourceFiles,
  { path, identity }: { readonly path: string; readonly identity?: PluginIdentity },
): Promise<ReadContainer> {
  const reading = new Reading(files, path);
  const uri = files.uriOf(path);
  const folder = path.split('/').at(-1) ?? path;
  const manifest = await reading.manifest();
  let isThere = manifest !== undefined;
  for (const layout of PLUGIN_FOLDERS) isThere = (await reading.folder(layout)) || isThere;
  isThere = (await reading.json('hooks/hooks.json', hookChild, uri)) || isThere;
  isThere = (await reading.json('.mcp.json', mcpChildren)) || isThere;
  const nothing: CustomizationLoadState = {
    kind: 'error',
    message: 'it has neither a manifest nor a folder with customizations',
  };
  return {
    container: {
      type: 'plugin',
      id: idOf('plugin', uri),
      uri,
      name: beginningOf(manifest?.name ?? folder, MAX_NAME),
      ...identity,
      ...defined({ version: manifest?.version }),
      load: isThere || reading.hasFaults ? reading.load : nothing,
    },
    children: reading.children,
  };
}

/** Reads a plugin that is a single file [CUST-2]. Its name says what it is. */
export async function readSingleFile(
  files: SourceFiles,
  { name, identity }: { readonly name: string; readonly identity: PluginIdentity },
): Promise<ReadContainer> {
  const reading = new Reading(files);
  await reading.single(name);
  return { container: { type: 'plugin', ...identity, load: reading.load }, children: reading.children };
}

/** Collects children and faults of one container. */
class Reading {
  readonly children: ParsedChild[] = [];
  readonly #files: SourceFiles;
  readonly #root: string;
  readonly #faults: string[] = [];

  /** `root`: path of the container, to which the paths of faults are relative. */
  constructor(files: SourceFiles, root = '') {
    this.#files = files;
    this.#root = root;
  }

  get hasFaults(): boolean {
    return this.#faults.length > 0;
  }

  get load(): CustomizationLoadState {
    if (this.#faults.length === 0) return { kind: 'loaded' };
    const all = this.#faults.join('\n');
    const message = beginningOf(all, MAX_FAULTS_LENGTH);
    return { kind: this.children.length === 0 ? 'error' : 'degraded', message };
  }

  /** Returns whether the folder exists. */
  async folder(layout: FolderLayout): Promise<boolean> {
    const entries = await this.#tolerate(layout.path, () => this.#files.list(this.#path(layout.path)));
    for (const entry of entries ?? []) await this.#entry(layout, entry);
    return entries !== undefined;
  }

  /** Reads a JSON file. Returns whether it exists. */
  async json(
    path: string,
    parse: (text: string, place: { uri: string; name: string; folder?: string }) => Promise<ParsedFile>,
    folder?: string,
  ): Promise<boolean> {
    const text = await this.#text(path);
    if (text === undefined) return false;
    const name = nameOf(path, ['.json']) ?? path;
    this.#add(path, await parse(text, { uri: this.#uri(path), name, ...defined({ folder }) }));
    return true;
  }

  /** The manifest; `undefined` if there is none that can be read. */
  async manifest(): Promise<{ readonly name?: string; readonly version?: string } | undefined> {
    for (const path of MANIFESTS) {
      const text = await this.#text(path);
      if (text === undefined) continue;
      const file = await parseJsonFile(text);
      if (!('value' in file)) {
        this.#faults.push(faultLine(path, file));
        return undefined;
      }
      const { name, version } = file.value;
      for (const key of ['name', 'version'])
        if (file.value[key] !== undefined && typeof file.value[key] !== 'string')
          this.#faults.push(faultLine(path, file.faultAt([key], `${key}: expected a text`)));
      if (file.value['mcpServers'] !== undefined && typeof file.value['mcpServers'] !== 'string')
        this.#add(path, await mcpChildren(text, { uri: this.#uri(path) }));
      return {
        ...(typeof name === 'string' && name !== '' ? { name } : {}),
        ...(typeof version === 'string' ? { version: version.slice(0, MAX_NAME) } : {}),
      };
    }
    return undefined;
  }

  async single(path: string): Promise<void> {
    if (path.endsWith('.json')) {
      const isThere = await this.json(path, path.includes('mcp') ? mcpChildren : hookChild);
      if (!isThere) this.#faults.push(`${path}: the file does not exist`);
      return;
    }
    const type = singleType(path);
    const name = nameOf(path, ['.agent.md', '.prompt.md', '.instructions.md', '.mdc', '.md']) ?? path;
    if (!(await this.#markdown(path, { type, defaultName: name })))
      this.#faults.push(`${path}: the file does not exist`);
  }

  async #entry(layout: FolderLayout, { name, kind }: SourceEntry): Promise<void> {
    const path = `${layout.path}/${name}`;
    if (layout.form === 'folders') {
      if (kind !== 'directory') return;
      const isThere = await this.#markdown(
        `${path}/SKILL.md`,
        { type: 'skill', defaultName: name },
        this.#uri(path),
      );
      if (!isThere) this.#faults.push(`${path}: it has no SKILL.md`);
      return;
    }
    const defaultName = kind === 'file' ? nameOf(name, layout.suffixes) : undefined;
    const { contents } = layout;
    if (defaultName === undefined || contents === 'mcpServer') return;
    if (contents === 'hook') await this.json(path, hookChild);
    else await this.#markdown(path, { type: contents, defaultName });
  }

  /** Returns whether the file exists, readable or not. */
  async #markdown(
    path: string,
    place: { type: Parameters<typeof markdownChild>[1]['type']; defaultName: string },
    folder?: string,
  ): Promise<boolean> {
    const before = this.#faults.length;
    const text = await this.#text(path);
    if (text === undefined) return this.#faults.length > before;
    this.#add(path, await markdownChild(text, { ...place, uri: this.#uri(path), ...defined({ folder }) }));
    return true;
  }

  #text(path: string): Promise<string | undefined> {
    return this.#tolerate(path, () => this.#files.read(this.#path(path)));
  }

  #add(path: string, { children, faults }: ParsedFile): void {
    const room = MAX_CHILDREN - this.children.length;
    this.children.push(...children.slice(0, room));
    this.#faults.push(...faults.map((fault) => faultLine(path, fault)));
    if (children.length > room)
      this.#faults.push(`${path}: more than ${MAX_CHILDREN} customizations, the limit`);
  }

  async #tolerate<T>(path: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      this.#faults.push(`${path}: ${error.message}`);
      return undefined;
    }
  }

  #path(path: string): string {
    return this.#root === '' ? path : `${this.#root}/${path}`;
  }

  #uri(path: string): string {
    return this.#files.uriOf(this.#path(path));
  }
}

/** The name of a file without its suffix; `undefined` for other files and hidden ones. */
function nameOf(path: string, suffixes: readonly string[]): string | undefined {
  const name = path.split('/').at(-1) ?? path;
  const suffix = suffixes.find((each) => name.endsWith(each));
  const stem = suffix === undefined ? '' : name.slice(0, -suffix.length);
  return stem === '' || stem.startsWith('.') ? undefined : stem;
}

function singleType(path: string): 'agent' | 'skill' | 'prompt' | 'rule' {
  if (path === 'SKILL.md') return 'skill';
  if (path.endsWith('.agent.md')) return 'agent';
  return path.endsWith('.prompt.md') ? 'prompt' : 'rule';
}
