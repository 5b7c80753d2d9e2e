/** Languages that are highlighted, by the names and file extensions that people use for them. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  bash: ['sh', 'shell', 'zsh', 'shellscript', 'console', 'shellsession'],
  c: ['h'],
  cpp: ['c++', 'cc', 'cxx', 'hpp', 'hh'],
  csharp: ['cs', 'c#'],
  css: [],
  diff: ['patch'],
  docker: ['dockerfile'],
  go: ['golang'],
  graphql: ['gql'],
  html: ['htm', 'svg'],
  ini: ['properties', 'conf', 'env'],
  java: [],
  javascript: ['js', 'mjs', 'cjs', 'node'],
  jsonc: ['json', 'json5', 'webmanifest'],
  jsx: [],
  kotlin: ['kt', 'kts'],
  lua: [],
  make: ['makefile', 'mk'],
  markdown: ['md', 'mdx'],
  php: [],
  python: ['py', 'pyi', 'python3'],
  ruby: ['rb'],
  rust: ['rs'],
  scss: ['sass'],
  sql: ['sqlite', 'postgresql', 'mysql'],
  swift: [],
  toml: [],
  tsx: [],
  typescript: ['ts', 'mts', 'cts'],
  xml: ['xsl', 'plist'],
  yaml: ['yml'],
};

const byName = new Map(
  Object.entries(ALIASES).flatMap(([language, names]) =>
    [language, ...names].map((name) => [name, language] as const),
  ),
);

/** The highlighted language of a name in Markdown; `undefined` when there is none. */
export const languageOf = (name: string): string | undefined => byName.get(name.toLowerCase());

/** The highlighted language of a file, by its name. */
export function languageOfPath(path: string): string | undefined {
  const name = path.split('/').at(-1)?.toLowerCase() ?? '';
  return byName.get(name) ?? byName.get(name.split('.').at(-1) ?? '');
}
