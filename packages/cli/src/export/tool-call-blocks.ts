import {
  type FileEdit,
  type ToolCallState,
  type ToolResultContent,
  textOf,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { createTwoFilesPatch } from 'diff';
import { byPerson } from '../render/by-person.ts';
import { inputText } from '../render/tool-call.ts';
import { type Block, bytes, type TurnContents } from './blocks.ts';

/** A diff that takes longer to find is not shown. */
const DIFF_TIMEOUT_MS = 2_000;

/** A tool call under one line that says what it was. */
export function toolCallBlock(call: ToolCallState, contents: TurnContents): Block {
  const said = 'pastTenseMessage' in call ? call.pastTenseMessage : call.invocationMessage;
  const what = said === undefined ? '' : textOf(said).replace(/`/g, '').replace(/\s+/g, ' ').trim();
  const mark = markOf(call);
  return {
    kind: 'fold',
    summary: what === '' || what === call.displayName ? call.displayName : `${call.displayName}: ${what}`,
    ...defined({ mark }),
    blocks: [...about(call), ...inputOf(call, contents), ...outcomeOf(call, contents)],
  };
}

function markOf(call: ToolCallState): 'done' | 'failed' | 'refused' | undefined {
  if (call.status === 'cancelled') return 'refused';
  return call.status === 'completed' ? (call.success ? 'done' : 'failed') : undefined;
}

const CONFIRMATION_TEXTS = {
  'not-needed': undefined,
  'user-action': 'Allowed by a person',
  setting: 'Allowed by a setting',
} as const;

const CANCELLATION_TEXTS = {
  denied: 'Denied',
  skipped: 'It did not finish',
  'result-denied': 'Its result was refused',
} as const;

function about(call: ToolCallState): Block[] {
  const lines: (string | undefined)[] = [];
  if (call.intention !== undefined) lines.push(call.intention);
  if ('confirmed' in call) {
    const option = call.selectedOption === undefined ? '' : ` (${call.selectedOption.label})`;
    const person = byPerson(call['x-answeredBy']);
    const confirmation =
      call.confirmed === 'user-action' && person !== ''
        ? `Allowed${person}`
        : CONFIRMATION_TEXTS[call.confirmed];
    lines.push(confirmation && `${confirmation}${option}`);
  }
  if (call.status === 'cancelled') {
    const reason = call.reasonMessage === undefined ? '' : `: ${textOf(call.reasonMessage)}`;
    lines.push(`${CANCELLATION_TEXTS[call.reason]}${byPerson(call['x-answeredBy'])}${reason}`);
    if (call.userSuggestion !== undefined) lines.push(`Suggested instead: ${call.userSuggestion.text}`);
  } else if (call.status !== 'completed') lines.push(`At the time of the export: ${call.status}`);
  return lines.flatMap((text): Block[] =>
    text === undefined || text === '' ? [] : [{ kind: 'line', text }],
  );
}

function inputOf(call: ToolCallState, contents: TurnContents): Block[] {
  const given = call.status === 'streaming' ? call.partialInput : call.toolInput;
  const whole = typeof given === 'object' ? contents.text(given.uri) : undefined;
  const input = whole ?? (given === undefined ? '' : inputText(given));
  if (input.trim() === '') return [];
  const json = indented(input);
  return [
    json === undefined
      ? { kind: 'code', label: 'Input', text: input }
      : { kind: 'code', label: 'Input', text: json, language: 'json' },
  ];
}

function indented(input: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(input), null, 2);
  } catch {
    return undefined;
  }
}

function outcomeOf(call: ToolCallState, contents: TurnContents): Block[] {
  const blocks: Block[] = [];
  const edits = call.status === 'pending-confirmation' ? (call.edits?.items ?? []) : [];
  for (const edit of edits) blocks.push(editBlock(edit, contents));
  if ('content' in call) for (const block of call.content ?? []) blocks.push(contentBlock(block, contents));
  if ('structuredContent' in call && call.structuredContent !== undefined) {
    const text = JSON.stringify(call.structuredContent, null, 2);
    blocks.push({ kind: 'code', label: 'Structured result', text, language: 'json' });
  }
  if ('error' in call && call.error !== undefined) {
    const { code, message } = call.error;
    blocks.push({ kind: 'error', text: code === undefined ? message : `${code}: ${message}` });
  }
  return blocks;
}

function contentBlock(block: ToolResultContent, contents: TurnContents): Block {
  switch (block.type) {
    case 'text':
      return { kind: 'code', label: 'Result', text: block.text };
    case 'embeddedResource':
      return bytes('Result', block.contentType, block.data);
    case 'resource':
      return contents.reference('Result', block);
    case 'fileEdit':
      return editBlock(block, contents);
    case 'terminal': {
      const { result } = block;
      if (result === undefined)
        return {
          kind: 'code',
          label: `Terminal ${block.title}`,
          text: contents.terminal(block.resource)?.text ?? '(the terminal is gone)',
        };
      const ended = result.exitCode === undefined ? 'Terminal' : `Terminal, exit code ${result.exitCode}`;
      const label = result.truncated === true ? `${ended}, shortened` : ended;
      return { kind: 'code', label, text: result.preview ?? '' };
    }
    case 'subagent':
      return { kind: 'chat', title: block.title, chat: block.resource };
    // What newer versions send passes through unchanged.
    default:
      return { kind: 'line', text: 'A result of a kind unknown to this version' };
  }
}

function editBlock({ before, after, diff }: FileEdit, contents: TurnContents): Block {
  const label = nameOf(before?.uri, after?.uri);
  const old = before === undefined ? '' : contents.text(before.content.uri);
  const now = after === undefined ? '' : contents.text(after.content.uri);
  const patch =
    old === undefined || now === undefined
      ? undefined
      : createTwoFilesPatch(
          pathOf(before?.uri) ?? '/dev/null',
          pathOf(after?.uri) ?? '/dev/null',
          old,
          now,
          undefined,
          undefined,
          { timeout: DIFF_TIMEOUT_MS },
        );
  if (patch !== undefined)
    return { kind: 'diff', label, text: patch.replace(/^(?:Index: .*\n)?=+\n/, '').trimEnd() };
  const counts = diff === undefined ? '' : ` (+${diff.added ?? '?'} −${diff.removed ?? '?'} lines)`;
  return { kind: 'line', text: `${label}${counts}` };
}

function nameOf(before: URI | undefined, after: URI | undefined): string {
  const from = pathOf(before);
  const to = pathOf(after);
  if (from === undefined) return `Created ${to ?? 'a file'}`;
  if (to === undefined) return `Deleted ${from}`;
  return from === to ? `Changed ${to}` : `Moved ${from} to ${to}`;
}

/** A URI as people know the file. */
export function pathOf(uri: URI | undefined): string | undefined {
  if (uri?.startsWith('file://') !== true) return uri;
  try {
    return decodeURIComponent(new URL(uri).pathname);
  } catch {
    return uri;
  }
}
