import type { ToolCallState, ToolResultContent } from '@agenthost/protocol';
import { byPerson } from '../../render/by-person.ts';
import { oneLine, plain } from '../../render/plain-text.ts';
import type { Marks } from '../../render/screen.ts';
import { editLine, inputText, sentence, toolCallTitle } from '../../render/tool-call.ts';
import { type Line, line, type Span, type Style, span } from '../text/line.ts';
import { wrapLine, wrapText } from '../text/wrap.ts';

/** Options of the layout of tool calls. */
export interface ToolCallLook {
  readonly width: number;
  readonly marks: Marks;
  /** Input and all of the output, too. */
  readonly isExpanded: boolean;
  /** The last lines of a terminal, when it is looked at. */
  readonly terminalTail: (uri: string) => readonly string[] | undefined;
}

/** Lines of output that a call shows that nobody asked for more of. */
const COLLAPSED_OUTPUT_LINES = 5;
const EXPANDED_OUTPUT_LINES = 400;

/** A tool call: what it does in one line, and below it what there is to see. */
export function toolCallLines(toolCall: ToolCallState, look: ToolCallLook): Line[] {
  const { mark, style, title, after } = headOf(toolCall, look.marks);
  const head = codeSpans(title);
  if (after !== '') head.push(span(after, { dim: true }));
  return [
    ...wrapLine(head, look.width, { first: [span(`${mark} `, style)], rest: [span('  ')] }),
    ...detailLines(toolCall, look),
  ];
}

/** A sentence with what stands between backticks as code. */
export const codeSpans = (text: string): Span[] =>
  text
    .split(/`([^`]+)`/)
    .map((piece, index) => span(piece, index % 2 === 1 ? { color: 'cyan' } : undefined))
    .filter((piece) => piece.text !== '');

interface Head {
  readonly mark: string;
  readonly style: Style;
  readonly title: string;
  readonly after: string;
}

function headOf(toolCall: ToolCallState, marks: Marks): Head {
  const title = toolCallTitle(toolCall);
  switch (toolCall.status) {
    case 'streaming':
      return { mark: marks.running, style: { dim: true }, title, after: ' ...' };
    case 'running':
      return { mark: marks.running, style: { color: 'cyan' }, title, after: '' };
    case 'auth-required':
      return {
        mark: marks.asks,
        style: { color: 'yellow' },
        title,
        after: `  waits for a sign-in to ${oneLine(toolCall.auth.resource.resource, 200)}`,
      };
    case 'pending-confirmation':
      return {
        mark: marks.asks,
        style: { color: 'yellow', bold: true },
        title,
        after: '  waits for approval',
      };
    case 'pending-result-confirmation':
      return {
        mark: marks.asks,
        style: { color: 'yellow', bold: true },
        title,
        after: '  its result waits for approval',
      };
    case 'completed': {
      const done = sentence(toolCall.pastTenseMessage) || title;
      if (toolCall.success)
        return { mark: marks.done, style: { color: 'green' }, title: done, after: howAllowed(toolCall) };
      const why = oneLine(toolCall.error?.message ?? '', 1_000);
      return {
        mark: marks.failed,
        style: { color: 'red' },
        // Some sentences have the reason already.
        title: done.endsWith(why) ? done : `${done}: ${why}`,
        after: '',
      };
    }
    case 'cancelled': {
      const reasons = { denied: 'denied', skipped: 'skipped', 'result-denied': 'result denied' } as const;
      const why = sentence(toolCall.reasonMessage);
      const after = `  ${reasons[toolCall.reason]}${byPerson(toolCall['x-answeredBy'])}${why === '' ? '' : ` (${why})`}`;
      return { mark: marks.refused, style: { color: 'yellow' }, title, after };
    }
    default:
      return toolCall satisfies never;
  }
}

function howAllowed(call: ToolCallState & { status: 'completed' }): string {
  if (call.confirmed === 'setting') return '  allowed by a setting';
  const person = byPerson(call['x-answeredBy']);
  return person === '' ? '' : `  allowed${person}`;
}

function detailLines(toolCall: ToolCallState, look: ToolCallLook): Line[] {
  const { width, isExpanded } = look;
  const lines: Line[] = [];
  if (isExpanded && 'toolInput' in toolCall && toolCall.toolInput !== undefined) {
    lines.push(...barred(plain(inputText(toolCall.toolInput)), width, { dim: true }));
  }
  // What it would do stands in the question.
  if (!('content' in toolCall)) return lines;
  for (const content of toolCall.content ?? []) lines.push(...contentLines(content, toolCall.status, look));
  return lines;
}

function contentLines(
  content: ToolResultContent,
  status: ToolCallState['status'],
  look: ToolCallLook,
): Line[] {
  const { width, isExpanded } = look;
  switch (content.type) {
    case 'text': {
      // Of a call that is over, what it did is told already.
      if (status === 'completed' && !isExpanded) return [];
      return tail(plain(content.text), isExpanded ? EXPANDED_OUTPUT_LINES : COLLAPSED_OUTPUT_LINES, width);
    }
    case 'fileEdit':
      return barred(editLine(content), width, {});
    case 'terminal': {
      if (content.result !== undefined)
        return tail(
          plain(content.result.preview ?? ''),
          isExpanded ? EXPANDED_OUTPUT_LINES : COLLAPSED_OUTPUT_LINES,
          width,
        );
      const shown = look.terminalTail(content.resource);
      if (status !== 'running' || shown === undefined) return [];
      return shown.flatMap((text) => barred(text, width, { dim: true }));
    }
    case 'subagent': {
      const name = oneLine(content.agentName ?? '');
      const title = `${name === '' ? '' : `${name}: `}${oneLine(content.title)}`;
      return [...barred(`worker ${title}`, width, { color: 'magenta' })];
    }
    case 'resource':
      return isExpanded ? barred(oneLine(content.uri, 1_000), width, { dim: true }) : [];
    case 'embeddedResource':
      return isExpanded ? barred(oneLine(content.contentType), width, { dim: true }) : [];
    default:
      return [];
  }
}

function tail(text: string, limit: number, width: number): Line[] {
  const rows = text.trimEnd() === '' ? [] : text.trimEnd().split('\n');
  const shown = rows.slice(-limit);
  const left = rows.length - shown.length;
  const more =
    left > 0
      ? barred(`... ${left} more line${left === 1 ? '' : 's'} above`, width, { dim: true, italic: true })
      : [];
  return [...more, ...shown.flatMap((row) => barred(row, width, { dim: true }))];
}

/** Text behind a bar that ties it to the call above. */
export const barred = (text: string, width: number, style: Style): Line[] =>
  wrapText(text, width, style, { first: line('  │ ', { color: 'gray' }) });
