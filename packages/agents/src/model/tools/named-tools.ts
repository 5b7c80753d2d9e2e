import type { ModelTool } from './tool.ts';

/** Tools of this agent by the names that files of custom agents give to such tools, in lower case. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  read: ['read_file', 'list_files'],
  ls: ['list_files'],
  glob: ['list_files', 'search_files'],
  grep: ['search_files'],
  search: ['search_files', 'list_files'],
  edit: ['edit_file', 'apply_patch', 'write_file'],
  multiedit: ['edit_file', 'apply_patch'],
  write: ['write_file'],
  bash: ['run_command', 'background_command'],
  execute: ['run_command', 'background_command'],
  shell: ['run_command', 'background_command'],
  webfetch: ['fetch_url'],
  fetch: ['fetch_url'],
  task: ['start_worker'],
  agent: ['start_worker'],
  todowrite: ['update_plan'],
  todo: ['update_plan'],
  askuserquestion: ['ask_user'],
};

/** The tools that a custom agent names, and its names that no tool has. Names may have patterns in parentheses, which are left out. */
export function namedTools(
  all: ReadonlyMap<string, ModelTool>,
  names: readonly string[],
): { readonly tools: ReadonlyMap<string, ModelTool>; readonly unknown: readonly string[] } {
  const wanted = new Set<string>();
  const unknown: string[] = [];
  for (const given of names) {
    const name = given.replace(/\(.*\)$/s, '').trim();
    const found = [...all.keys()].filter((tool) => isNamed(tool, name));
    if (found.length === 0) unknown.push(given);
    for (const tool of found) wanted.add(tool);
  }
  return { tools: new Map([...all].filter(([name]) => wanted.has(name))), unknown };
}

/** `mcp__docs__find` names `docs__find`; `mcp__docs` and `docs/*` name all tools of a server. */
function isNamed(tool: string, name: string): boolean {
  if (tool === name || ALIASES[name.toLowerCase()]?.includes(tool) === true) return true;
  const mcp = name.replace(/^mcp__/, '').replace('/', '__');
  return tool === mcp || (tool.startsWith(`${mcp.replace(/(?:__)?\*$/, '')}__`) && mcp !== '' && mcp !== '*');
}
