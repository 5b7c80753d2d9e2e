import type { ChatInputQuestion } from '@agenthost/protocol';
import { oneLine, plain } from '../../render/plain-text.ts';
import type { Marks } from '../../render/screen.ts';
import { layoutEditor } from '../composer/editor.ts';
import { type Line, line, type Span, span } from '../text/line.ts';
import { wrapLine, wrapText } from '../text/wrap.ts';
import { answerText, choicesOf, type Field, type Form, NOT_A_NUMBER, questionsOf, valueOf } from './form.ts';

/** Lines, where the cursor stands in them, and the line that should be seen. */
export interface PanelLines {
  readonly lines: readonly Line[];
  readonly cursor?: { readonly row: number; readonly column: number };
  readonly focusRow: number;
  /** Number of lines at the top that hold the question. They stay when not all lines fit. Default: 0. */
  readonly headRows?: number;
}

/** Space for a panel. */
export interface PanelRoom {
  /** Keys go to it. */
  readonly isFocused: boolean;
  /** Lines that there is room for. */
  readonly height: number;
}

/** A form: every question on a line, the present one opened. */
export function formLines(
  form: Form,
  width: number,
  { marks, isFocused }: { marks: Marks; isFocused: boolean },
): PanelLines {
  const { request } = form;
  const lines: Line[] = wrapText(
    plain(request.message ?? 'The agent asks'),
    width,
    { bold: true },
    {
      first: [span(`${marks.asks} `, { color: 'yellow', bold: true })],
      rest: [span('  ')],
    },
  );
  if (request.url !== undefined) {
    lines.push(
      ...wrapLine(line(oneLine(request.url, 2_000), { underline: true, color: 'blue' }), width, {
        first: [span('  open ')],
        rest: [span('  ')],
      }),
    );
  }
  let focusRow = 0;
  let cursor: PanelLines['cursor'];
  for (const [index, question] of questionsOf(form).entries()) {
    const field = form.fields[question.id];
    if (field === undefined) continue;
    const isAt = index === form.at && isFocused;
    lines.push(...questionLines(question, field, { width, marks, isAt }));
    if (!isAt) continue;
    focusRow = lines.length - 1;
    const open = openLines(question, field, width);
    if (open.cursor !== undefined)
      cursor = { row: lines.length + open.cursor.row, column: open.cursor.column };
    focusRow = lines.length + open.focusRow;
    lines.push(...open.lines);
  }
  return cursor === undefined ? { lines, focusRow } : { lines, focusRow, cursor };
}

function questionLines(
  question: ChatInputQuestion,
  field: Field,
  { width, marks, isAt }: { width: number; marks: Marks; isAt: boolean },
): Line[] {
  const title = oneLine(question.title ?? question.message);
  const value = valueOf(question, field);
  const isWrong = typeof value === 'string';
  const given = isWrong
    ? oneLine(field.editor.text)
    : value === undefined
      ? ''
      : answerText(question, { state: 'draft', value });
  const answer = field.isSkipped ? '(skipped)' : given;
  const problem = field.error ?? (isWrong && !isAt ? value : undefined);
  const mark = isAt ? '▸ ' : answer === '' || isWrong ? '  ' : `${marks.done} `;
  const head: Span[] = [span(title, isAt ? { bold: true } : {})];
  if (question.required !== true) head.push(span(' (optional)', { dim: true }));
  if (!isAt && answer !== '') head.push(span(`  ${answer}`, { color: 'cyan' }));
  if (problem !== undefined) head.push(span(`  ${problem}`, { color: 'red' }));
  const lines = wrapLine(head, width, {
    first: [span(`  ${mark}`, { color: 'cyan' })],
    rest: [span('    ')],
  });
  if (isAt && question.title !== undefined) {
    lines.push(...wrapText(plain(question.message), width, { dim: true }, { first: [span('    ')] }));
  }
  return lines;
}

function openLines(question: ChatInputQuestion, field: Field, width: number): PanelLines {
  const choices = choicesOf(question);
  if (choices.length === 0) {
    const layout = layoutEditor(field.editor, width - 6, 6);
    const lines = layout.lines.map(
      (text): Line => [
        span('    > ', { color: 'gray' }),
        ...(field.isProposed === true ? text.map((part) => span(part.text, { dim: true })) : text),
      ],
    );
    const limits = [
      limitsText(question),
      field.isProposed === true ? 'proposed: type another value, or press Enter' : '',
    ]
      .filter((text) => text !== '')
      .join('; ');
    const problem = unsharedText(question, field);
    return {
      lines: [
        ...lines,
        ...(limits === '' ? [] : wrapText(limits, width, { dim: true }, indented)),
        ...(problem === '' ? [] : wrapText(problem, width, { color: 'yellow' }, indented)),
      ],
      cursor: { row: layout.row, column: layout.column + 6 },
      focusRow: layout.row,
    };
  }
  const isMany = question.kind === 'multi-select';
  let cursor: PanelLines['cursor'];
  const lines = choices.map(({ id, label, more }, row): Line => {
    const isChosen = id === undefined ? field.editor.text.trim() !== '' : field.chosen.includes(id);
    const box = isMany ? (isChosen ? '[x]' : '[ ]') : isChosen ? '(•)' : '( )';
    const isAt = row === field.row;
    const head = `    ${box} ${label}`;
    if (id === undefined) {
      const layout = layoutEditor(field.editor, Math.max(8, width - head.length - 2), 1);
      if (isAt) cursor = { row, column: head.length + 1 + layout.column };
      return [span(head, isAt ? { bold: true } : {}), span(' '), ...(layout.lines[0] ?? [])];
    }
    return [
      span(head, isAt ? { inverse: true } : {}),
      ...(more === '' ? [] : [span(`  ${more}`, { dim: true })]),
    ];
  });
  return cursor === undefined ? { lines, focusRow: field.row } : { lines, focusRow: field.row, cursor };
}

const indented = { first: [span('      ')], rest: [span('      ')] };

/** Reason why an invalid answer is not shared with other clients. */
function unsharedText(question: ChatInputQuestion, field: Field): string {
  const value = valueOf(question, field);
  // Somebody tried to send it: it says so above.
  if (typeof value !== 'string' || field.error !== undefined) return '';
  if (value === NOT_A_NUMBER) return 'not shared: not a number';
  return `${plain(value)}; not shared`;
}

function limitsText(question: ChatInputQuestion): string {
  if (!('min' in question || 'max' in question || 'format' in question)) return '';
  const unit = question.kind === 'text' ? ' characters' : '';
  const { min, max } = 'min' in question || 'max' in question ? question : {};
  const range =
    min !== undefined && max !== undefined
      ? `${min} to ${max}${unit}`
      : min !== undefined
        ? `at least ${min}${unit}`
        : max !== undefined
          ? `at most ${max}${unit}`
          : '';
  const format = question.kind === 'text' && question.format !== undefined ? oneLine(question.format) : '';
  return [format, range].filter((text) => text !== '').join(', ');
}
