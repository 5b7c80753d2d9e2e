/** One line of a `.gitignore` file. */
interface Rule {
  readonly pattern: RegExp;
  readonly isNegated: boolean;
  readonly isFolderOnly: boolean;
}

/** Whether an entry is ignored: `undefined` when no rule names it. `path` is relative to the folder of the rules. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean | undefined;

/** Reads a `.gitignore` file, as gitignore(5) describes it. The last rule that matches counts. */
export function readIgnoreRules(content: string): IgnoreRules {
  const rules = content.split('\n').flatMap((line) => ruleOf(line.replace(/\r$/, '')));
  return (path, isFolder) => {
    const rule = rules.findLast((each) => (isFolder || !each.isFolderOnly) && each.pattern.test(path));
    return rule && !rule.isNegated;
  };
}

function ruleOf(line: string): Rule[] {
  let rest = line.replace(/(?<!\\)\s+$/, '');
  if (rest === '' || rest.startsWith('#')) return [];
  const isNegated = rest.startsWith('!');
  if (isNegated) rest = rest.slice(1);
  const isFolderOnly = rest.endsWith('/');
  if (isFolderOnly) rest = rest.slice(0, -1);
  // A slash at the start or inside binds the pattern to the folder of the file.
  const isBound = rest.includes('/');
  if (rest.startsWith('/')) rest = rest.slice(1);
  try {
    return [
      { pattern: new RegExp(`^${isBound ? '' : '(?:.*/)?'}${globSource(rest)}$`), isNegated, isFolderOnly },
    ];
  } catch {
    // Git ignores a pattern with a broken bracket too.
    return [];
  }
}

const TOKEN = /\*\*\/|\/\*\*$|\*+|\?|\[!?\]?[^\]]*\]|\\.|[^*?[\\/]+|./gs;

/** A glob as the source of a regular expression. */
const globSource = (glob: string): string =>
  glob.replaceAll(TOKEN, (token) => {
    if (token === '**/') return '(?:.*/)?';
    if (token === '/**') return '/.*';
    if (token.startsWith('*')) return '[^/]*';
    if (token === '?') return '[^/]';
    if (/^\[.+\]$/s.test(token)) return token.replace(/^\[!/, '[^').replaceAll('\\', '\\\\');
    const plain = token.startsWith('\\') ? token.slice(1) : token;
    return plain.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
  });
