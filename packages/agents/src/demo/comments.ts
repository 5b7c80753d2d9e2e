import type { ToolCallResult } from '@agenthost/protocol';
import { fileAndText } from './rest-of-line.ts';
import type { DemoStage, Step } from './step.ts';

/** A call of a tool of the host for comments. */
interface CommentCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** `comment`: writes a comment on a line, on lines (`3-5`), or on a whole file. */
export function readComment(rest: string): Step | undefined {
  const found = fileAndText(rest);
  if (found === undefined) return undefined;
  const [, first, last, text = ''] = /^(?:(\d{1,9})(?:-(\d{1,9}))?\s+)?([^]*)$/.exec(found.text) ?? [];
  if (text === '') return undefined;
  const lines = {
    ...(first === undefined ? {} : { first_line: Number(first) }),
    ...(last === undefined ? {} : { last_line: Number(last) }),
  };
  return calling({ name: 'comment', input: { file: found.path, ...lines, text } });
}

/** `reply`: answers a comment. */
export function readReply(rest: string): Step | undefined {
  const [, id, text] = /^(\S+)\s+([^]+)$/.exec(rest.trim()) ?? [];
  return id === undefined ? undefined : calling({ name: 'reply_to_comment', input: { id, text } });
}

/** `resolve`: resolves a comment, with an answer if there is a text. */
export function readResolve(rest: string): Step | undefined {
  const [, id, text] = /^(\S+)(?:\s+([^]+))?$/.exec(rest.trim()) ?? [];
  if (id === undefined) return undefined;
  return calling({ name: 'resolve_comment', input: { id, ...(text === undefined ? {} : { text }) } });
}

/** `comments`: lists the open comments. */
export const readComments = (): Step => calling({ name: 'list_comments', input: {} });

const calling = (call: CommentCall): Step => ({ kind: 'added', run: (stage) => run(stage, call) });

async function run({ output, host }: DemoStage, { name, input }: CommentCall): Promise<void> {
  if (!host.hostTools().some((tool) => tool.name === name))
    return output.markdown('The host offers no tools for comments.\n\n');
  const result = await output.hostTool({ name, toolInput: JSON.stringify(input) });
  return output.markdown(`${said(name, result)}\n\n`);
}

function said(name: string, { success, content = [], error }: ToolCallResult): string {
  if (!success) return `\`${name}\` failed: ${error?.message ?? 'it did not say why'}.`;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}
