import type { ToolCallState, ToolResultContent } from '@agenthost/protocol';

/** How a tool call is shown. */
export type CardKind =
  | 'command'
  | 'edit'
  | 'read'
  | 'search'
  | 'fetch'
  | 'think'
  | 'plan'
  | 'worker'
  | 'client'
  | 'mcp'
  | 'generic';

/** The `kind` that agents of the Agent Client Protocol give their calls, in `_meta`. */
const KIND_OF_META: Readonly<Record<string, CardKind>> = {
  read: 'read',
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  search: 'search',
  execute: 'command',
  think: 'think',
  fetch: 'fetch',
};

/** Names of common tools, without separators. The first match counts. */
const NAMES: readonly (readonly [RegExp, CardKind])[] = [
  [/^(?:plan|updateplan|todo(?:write|read|list)?|writetodos?|managetodolist)$/, 'plan'],
  [
    /^(?:bash|shell|sh|exec|execcommand|executecommand|runcommand|runshellcommand|runinterminal|localshell|terminal|startcommand|powershell)$/,
    'command',
  ],
  [
    /^(?:str_?replace.*|edit|editfile|multiedit|write|writefile|createfile|applypatch|patch|notebookedit|replace|insertedit|deletefile|movefile)$/,
    'edit',
  ],
  [/^(?:webfetch|fetch|fetchurl|fetchwebpage|httpget|websearch|googlewebsearch)$/, 'fetch'],
  [
    /^(?:grep|glob|search|searchfiles?|searchfilecontent|filesearch|grepsearch|codebasesearch|find|findfiles|ripgrep|semanticsearch)$/,
    'search',
  ],
  [
    /^(?:read|readfile|readmanyfiles|view|cat|open|ls|list|listfiles|listdir|listdirectory|notebookread)$/,
    'read',
  ],
  [/^(?:think|reason|ponder)$/, 'think'],
];

/** How to show a tool call: by what it contains, then by who runs it, then by its kind and name. */
export function cardKindOf(toolCall: ToolCallState): CardKind {
  const content = contentOf(toolCall);
  if (content.some(({ type }) => type === 'subagent')) return 'worker';
  const name = toolCall.toolName.toLowerCase().replaceAll(/[\s_.-]/g, '');
  if (name === 'plan' || name === 'updateplan') return 'plan';
  if (toolCall.contributor?.kind === 'client') return 'client';
  if (content.some(({ type }) => type === 'terminal')) return 'command';
  if (content.some(({ type }) => type === 'fileEdit') || hasEdits(toolCall)) return 'edit';
  if (toolCall.contributor?.kind === 'mcp') return 'mcp';
  const kind = toolCall._meta?.['toolKind'];
  const named = NAMES.find(([pattern]) => pattern.test(name))?.[1];
  if (named === 'plan') return 'plan';
  const known =
    typeof kind === 'string' && Object.hasOwn(KIND_OF_META, kind) ? KIND_OF_META[kind] : undefined;
  return known ?? named ?? 'generic';
}

/** The content blocks of a call so far. */
export const contentOf = (toolCall: ToolCallState): readonly ToolResultContent[] =>
  ('content' in toolCall ? toolCall.content : undefined) ?? [];

const hasEdits = (toolCall: ToolCallState): boolean =>
  toolCall.status === 'pending-confirmation' && (toolCall.edits?.items.length ?? 0) > 0;

/** Whether a call is a finished read or search, which is shown with its neighbours as one row. */
export function isExploration(toolCall: ToolCallState): boolean {
  if (toolCall.status !== 'completed' || !toolCall.success) return false;
  const kind = cardKindOf(toolCall);
  return kind === 'read' || kind === 'search';
}
