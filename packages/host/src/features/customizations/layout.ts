import type { ChildCustomizationType } from '@agenthost/protocol';

/** A folder with customizations of one type. */
export interface FolderLayout {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly contents: ChildCustomizationType;
  /** `folders`: each has a folder with `SKILL.md`. */
  readonly form: 'files' | 'folders';
  /** Suffixes of the files. The name of a customization is the name of its file without the suffix. */
  readonly suffixes: readonly string[];
}

const MARKDOWN = ['.md'];
const RULES = ['.instructions.md', '.mdc', '.md'];

const folder = (
  path: string,
  contents: ChildCustomizationType,
  suffixes: readonly string[] = MARKDOWN,
  form: FolderLayout['form'] = 'files',
): FolderLayout => ({ path, contents, form, suffixes });

/** The folders of a plugin [CUST-2]. Its manifest, `hooks/hooks.json` and `.mcp.json` are read separately. */
export const PLUGIN_FOLDERS: readonly FolderLayout[] = [
  folder('agents', 'agent', ['.agent.md', '.md']),
  folder('skills', 'skill', MARKDOWN, 'folders'),
  folder('commands', 'skill'),
  folder('prompts', 'prompt', ['.prompt.md', '.md']),
  folder('rules', 'rule', RULES),
];

const HOOK_FOLDER = folder('hooks', 'hook', ['.json']);

const below = (parent: string, folders: readonly FolderLayout[]): FolderLayout[] =>
  folders.map((each) => ({ ...each, path: `${parent}/${each.path}` }));

/** What is looked for below a root. */
export interface PlaceLayout {
  readonly folders: readonly FolderLayout[];
  /** Folder whose folders are plugins. Absent: there is none. */
  readonly plugins?: string;
}

/** Folder of a project for any agent. */
export const OWN_FOLDER = '.agents';

/** The folders of a project. `.claude` and `.github` belong to other programs, whose files have the same formats. */
export const PROJECT_LAYOUT: PlaceLayout = {
  folders: [
    ...below(OWN_FOLDER, [...PLUGIN_FOLDERS, HOOK_FOLDER]),
    ...below('.claude', PLUGIN_FOLDERS).filter(({ contents }) => contents !== 'prompt'),
    folder('.github/agents', 'agent', ['.agent.md', '.md']),
    folder('.github/instructions', 'rule', ['.instructions.md']),
    folder('.github/prompts', 'prompt', ['.prompt.md']),
    folder('.github/skills', 'skill', MARKDOWN, 'folders'),
  ],
  plugins: `${OWN_FOLDER}/plugins`,
};

/** The folders of a project whose own folder is the user's folder, as in the home folder. */
export const PROJECT_OF_USER_LAYOUT: PlaceLayout = {
  folders: PROJECT_LAYOUT.folders.filter(({ path }) => !path.startsWith(`${OWN_FOLDER}/`)),
};

/** The folders of a user, below the user's folder of customizations. */
export const USER_LAYOUT: PlaceLayout = { folders: [...PLUGIN_FOLDERS, HOOK_FOLDER], plugins: 'plugins' };
