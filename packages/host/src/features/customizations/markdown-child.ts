import type { ChildCustomizationType } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { beginningOf } from '../../lib/beginning-of.ts';
import { idOf, type ParsedChild, type ParsedFile } from './child.ts';
import { type Fields, parseMarkdown } from './front-matter.ts';

/** Types of customizations that are Markdown files. */
export type MarkdownType = Exclude<ChildCustomizationType, 'hook' | 'mcpServer'>;

/** Where a Markdown file was found. */
export interface MarkdownPlace {
  readonly type: MarkdownType;
  readonly uri: string;
  /** Name from the file or folder, for files that give none. */
  readonly defaultName: string;
  /** URI of the folder of a skill. */
  readonly folder?: string;
}

const MAX_NAME = 200;
const MAX_DESCRIPTION = 2_000;

/** Reads an agent, a skill, a command, a prompt or a rule from the text of its file. */
export async function markdownChild(text: string, place: MarkdownPlace): Promise<ParsedFile> {
  const { fields, body, faults, isReadable } = await parseMarkdown(text);
  if (!isReadable) return { children: [], faults };
  const { type, uri, folder } = place;
  const name = fields.text('name', MAX_NAME) ?? beginningOf(place.defaultName, MAX_NAME);
  const base = {
    id: idOf(type, uri),
    uri,
    name,
    ...defined({ description: fields.text('description', MAX_DESCRIPTION) }),
  };
  const more = { body, ...defined({ hint: fields.text('argument-hint', MAX_NAME), folder }) };
  if (body === '') faults.push({ message: 'it has no text after its front matter' });
  return { children: [{ child: childOf(type, base, fields), ...more }], faults };
}

function childOf(
  type: MarkdownType,
  base: { readonly id: string; readonly uri: string; readonly name: string },
  fields: Fields,
): ParsedChild['child'] {
  switch (type) {
    case 'agent':
      return {
        type,
        ...base,
        ...invocation(fields),
        ...defined({ model: fields.text('model', MAX_NAME), tools: copy(fields.list('tools')) }),
      };
    case 'skill':
      return { type, ...base, ...invocation(fields) };
    case 'prompt':
      return { type, ...base };
    case 'rule':
      return { type, ...base, ...scope(fields) };
    default:
      return type satisfies never;
  }
}

const copy = (list: readonly string[] | undefined): string[] | undefined => list && [...list];

/** The names of the fields differ between tools. */
function invocation(fields: Fields): { disableModelInvocation?: true; disableUserInvocation?: true } {
  const isUsers = fields.flag('user-invocable') ?? fields.flag('user-invokable') ?? true;
  return {
    ...(fields.flag('disable-model-invocation') === true ? { disableModelInvocation: true } : {}),
    ...(isUsers ? {} : { disableUserInvocation: true }),
  };
}

/** `applyTo` and `paths` are names of `globs` in other tools. A pattern for all files means that the rule always applies. */
function scope(fields: Fields): { alwaysApply?: boolean; globs?: string[] } {
  const globs = fields.list('globs') ?? fields.list('applyTo') ?? fields.list('paths') ?? [];
  const isForAll = globs.some((glob) => glob === '**' || glob === '**/*' || glob === '*');
  const alwaysApply = fields.flag('alwaysApply') ?? (isForAll ? true : undefined);
  return {
    ...defined({ alwaysApply }),
    ...(globs.length === 0 || isForAll ? {} : { globs: [...globs] }),
  };
}
