import {
  type ActiveTurn,
  type ChatInputRequest,
  errorOf,
  type InputRequestResponsePart,
  type ResponsePart,
  type Turn,
} from '@agenthost/protocol';
import { byPerson } from '../../render/by-person.ts';
import { oneLine, plain } from '../../render/plain-text.ts';
import type { Marks } from '../../render/screen.ts';
import { sentence } from '../../render/tool-call.ts';
import { answerText } from '../ask/form.ts';
import { MarkdownStream, settledMarkdown } from '../markdown/stream.ts';
import { EMPTY_LINE, type Line, line, span } from '../text/line.ts';
import { wrapLine, wrapText } from '../text/wrap.ts';
import { barred, toolCallLines } from './tool-call-lines.ts';

/** Options of the layout of turns. */
export interface TurnLook {
  readonly width: number;
  readonly isExpanded: boolean;
  readonly terminalTail: (uri: string) => readonly string[] | undefined;
}

/** Lines of thinking that show while it goes on. */
const THINKING_LINES = 3;

/**
 * Lays turns out as lines, and remembers: a turn that has ended is laid out once for each width, and of the one that runs
 * only what has changed.
 */
export class TurnLayout {
  readonly #marks: Marks;
  readonly #ended = new WeakMap<Turn, Map<string, readonly Line[]>>();
  /** Growing texts of the running turn, by turn, part and width. */
  readonly #streams = new Map<string, MarkdownStream>();
  #streamsOf = '';
  /** Turns that could not be laid out: they stay plain text. */
  readonly #plain = new Set<string>();

  constructor(marks: Marks) {
    this.#marks = marks;
  }

  /** All lines of a turn, an empty one at its end. */
  lines(turn: Turn | ActiveTurn, look: TurnLook): readonly Line[] {
    if (!('state' in turn)) return this.#safely(turn, look, true);
    const key = `${look.width}${look.isExpanded ? '+' : ''}`;
    const known = this.#ended.get(turn) ?? new Map<string, readonly Line[]>();
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = this.#safely(turn, look, false);
    // A window that is being resized passes through many widths.
    if (known.size > 4) known.clear();
    known.set(key, made);
    this.#ended.set(turn, known);
    return made;
  }

  /** One turn that cannot be laid out, for what stands in it, does not take the screen away. */
  #safely(turn: Turn | ActiveTurn, look: TurnLook, isActive: boolean): readonly Line[] {
    if (!this.#plain.has(turn.id)) {
      try {
        return this.#layout(turn, look, isActive);
      } catch {
        // The person sees the text itself: there is nothing that they could do about how it was written.
        this.#plain.add(turn.id);
      }
    }
    return plainLines(turn, look.width);
  }

  #layout(turn: Turn | ActiveTurn, look: TurnLook, isActive: boolean): Line[] {
    const lines: Line[] = [...messageLines(turn, look.width)];
    let before: ResponsePart['kind'] | undefined;
    for (const part of turn.responseParts) {
      const block = this.#part(part, turn, look, isActive);
      if (block.length === 0) continue;
      // Calls in a row stand together.
      if (!(part.kind === 'toolCall' && before === 'toolCall')) lines.push(EMPTY_LINE);
      for (const text of block) lines.push(text);
      before = part.kind;
    }
    lines.push(...endLines(turn, look.width, this.#marks), EMPTY_LINE);
    return lines;
  }

  #part(part: ResponsePart, turn: Turn | ActiveTurn, look: TurnLook, isActive: boolean): readonly Line[] {
    const { width } = look;
    switch (part.kind) {
      case 'markdown':
        return isActive
          ? this.#stream(turn.id, part.id, width).next(part.content)
          : settledMarkdown(part.content, width);
      case 'reasoning':
        return reasoningLines(part.content, look, isActive && part === turn.responseParts.at(-1));
      case 'toolCall':
        return toolCallLines(part.toolCall, { ...look, marks: this.#marks });
      case 'systemNotification':
        return wrapLine(line(sentence(part.content), { dim: true }), width, {
          first: [span(`${this.#marks.dot} `, { dim: true })],
          rest: [span('  ')],
        });
      case 'inputRequest':
        // A panel shows the open requests of a running turn.
        return part.response === undefined && isActive ? [] : requestLines(part, width, this.#marks);
      case 'contentRef':
        return [line(oneLine(part.uri, 1_000), { dim: true })];
      default:
        // Newer kinds pass through the protocol unknown.
        return [];
    }
  }

  #stream(turnId: string, partId: string, width: number): MarkdownStream {
    if (this.#streamsOf !== turnId) this.#streams.clear();
    this.#streamsOf = turnId;
    const key = `${partId} ${width}`;
    const found = this.#streams.get(key) ?? new MarkdownStream(width);
    this.#streams.set(key, found);
    return found;
  }
}

/** All words of a turn as they were written. */
function plainLines({ message, responseParts }: Turn | ActiveTurn, width: number): Line[] {
  const texts = responseParts.flatMap((part) => {
    if (part.kind === 'markdown' || part.kind === 'reasoning') return [part.content];
    return part.kind === 'toolCall' ? [part.toolCall.displayName] : [];
  });
  return [message.text, ...texts].flatMap((text) => [...wrapText(plain(text), width), EMPTY_LINE]);
}

function messageLines({ message, 'x-by': by }: Turn | ActiveTurn, width: number): Line[] {
  const look =
    message.origin.kind === 'user' ? ({ bold: true, color: 'cyan' } as const) : ({ dim: true } as const);
  const lines = wrapText(plain(message.text), width, look, { first: [span('› ', look)], rest: [span('  ')] });
  if (by?.person !== undefined) lines.push([span(`  ${oneLine(by.person)}`, { dim: true })]);
  for (const { label } of message.attachments ?? [])
    lines.push([span(`  + ${oneLine(label)}`, { dim: true })]);
  return lines;
}

function reasoningLines(content: string, { width, isExpanded }: TurnLook, isLast: boolean): Line[] {
  const text = plain(content).trim();
  if (text === '') return [];
  const quiet = { dim: true, italic: true } as const;
  const all = wrapText(text, width, quiet, { first: [span('  ')] });
  if (isExpanded) return [line('thinking', quiet), ...all];
  if (isLast) return [line('thinking', quiet), ...all.slice(-THINKING_LINES)];
  return [line(`thought, ${all.length} line${all.length === 1 ? '' : 's'}`, quiet)];
}

function requestLines(part: InputRequestResponsePart, width: number, marks: Marks): Line[] {
  const { request, response } = part;
  const said = { accept: 'answered', decline: 'declined', cancel: 'dismissed' } as const;
  const outcome =
    response === undefined ? 'not answered' : `${said[response]}${byPerson(part['x-answeredBy'])}`;
  const head = wrapLine([span(requestTitle(request)), span(`  ${outcome}`, { dim: true })], width, {
    first: [
      span(`${response === 'accept' ? marks.done : marks.refused} `, {
        color: response === 'accept' ? 'green' : 'yellow',
      }),
    ],
    rest: [span('  ')],
  });
  const answers = (request.questions ?? []).flatMap((question) =>
    barred(
      `${oneLine(question.title ?? question.message)}: ${answerText(question, request.answers?.[question.id])}`,
      width,
      {
        dim: true,
      },
    ),
  );
  return [...head, ...(response === 'accept' ? answers : [])];
}

/** Summary of an input request, one line. */
export const requestTitle = (request: ChatInputRequest): string =>
  oneLine(request.message ?? request.questions?.[0]?.message ?? 'The agent asks', 1_000);

function endLines(turn: Turn | ActiveTurn, width: number, marks: Marks): Line[] {
  if (!('state' in turn)) return [];
  if (turn.state === 'cancelled')
    return [
      EMPTY_LINE,
      line(`${marks.refused} stopped${byPerson(turn['x-cancelledBy'])}`, { color: 'yellow' }),
    ];
  if (turn.state !== 'error') return [];
  const text = oneLine(errorOf(turn)?.message ?? 'failed', 2_000);
  return [
    EMPTY_LINE,
    ...wrapLine(line(text, { color: 'red' }), width, {
      first: [span(`${marks.failed} `, { color: 'red' })],
      rest: [span('  ')],
    }),
  ];
}
