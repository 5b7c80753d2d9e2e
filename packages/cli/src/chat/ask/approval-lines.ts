import { type AskedToolCall, choicesFor, DENY_ONLY } from '../../question/confirmation.ts';
import { plain } from '../../render/plain-text.ts';
import type { Marks } from '../../render/screen.ts';
import { inputText, sentence, toolCallDetails, toolCallTitle } from '../../render/tool-call.ts';
import { windowed } from '../app/frame.ts';
import { type Editor, layoutEditor } from '../composer/editor.ts';
import { type Line, line, span } from '../text/line.ts';
import { cutLine, wrapLine, wrapText } from '../text/wrap.ts';
import type { PanelLines } from './form-lines.ts';

/** State of the answer to a pending tool call. */
export interface ApprovalView {
  readonly toolCall: AskedToolCall;
  /** Index of the choice under the cursor. */
  readonly choice: number;
  /** Choosing an option, typing a reason, or editing the input. */
  readonly mode: 'choose' | 'reason' | 'edit';
  readonly editor: Editor;
  readonly isExpanded: boolean;
}

/** A tool call that waits: what it would do, and the answers to choose from. */
export function approvalLines(
  { toolCall, choice, mode, editor, isExpanded }: ApprovalView,
  width: number,
  { marks, isFocused }: { marks: Marks; isFocused: boolean },
): PanelLines {
  const asked =
    toolCall.status === 'pending-confirmation'
      ? sentence(toolCall.confirmationTitle)
      : 'May the agent see the result?';
  const title = toolCallTitle(toolCall);
  const said = new Set<string>();
  /** Agents say the same in several fields. */
  const isSaid = (text: string): boolean => {
    const words = text.replace(/[`?]/g, '').trim();
    return said.size === said.add(words).size;
  };
  isSaid(asked === '' ? title : asked);
  const lines: Line[] = wrapLine(line(asked === '' ? title : asked, { bold: true }), width, {
    first: [span(`${marks.asks} `, { color: 'yellow', bold: true })],
    rest: [span('  ')],
  });
  if (asked !== '' && !isSaid(title))
    lines.push(...wrapText(title, width, undefined, { first: [span('  ')] }));
  if (mode === 'edit') {
    const layout = layoutEditor(editor, width - 4, 12);
    const start = lines.length;
    lines.push(...layout.lines.map((text): Line => [span('  │ ', { color: 'cyan' }), ...text]));
    const row = start + layout.row;
    return { lines, cursor: { row, column: layout.column + 4 }, focusRow: row };
  }
  const details =
    isExpanded && toolCall.toolInput !== undefined
      ? plain(inputText(toolCall.toolInput)).split('\n')
      : toolCallDetails(toolCall);
  let headRows = lines.length;
  let isHeadWhole = false;
  for (const text of details.filter((text) => !isSaid(text))) {
    lines.push(...wrapText(text, width, { dim: true }, { first: [span('  │ ', { color: 'gray' })] }));
    // The first detail with a word in it is the file or the command.
    if (!isHeadWhole) headRows = lines.length;
    isHeadWhole ||= /[\p{L}\p{N}]/u.test(text);
  }
  if (mode === 'reason') {
    const label = '  Reason: ';
    const layout = layoutEditor(editor, width - label.length, 3);
    const start = lines.length;
    lines.push(
      ...layout.lines.map(
        (text, index): Line => [
          span(index === 0 ? label : ' '.repeat(label.length), { bold: true }),
          ...text,
        ],
      ),
    );
    const row = start + layout.row;
    return { lines, cursor: { row, column: layout.column + label.length }, focusRow: row };
  }
  const start = lines.length;
  for (const [index, { label, isApproval }] of choicesFor(toolCall).entries()) {
    const isAt = index === choice && isFocused;
    const color = isApproval ? 'green' : 'red';
    lines.push([span(isAt ? '  ▸ ' : '    '), span(label, isAt ? { inverse: true, color } : { color })]);
  }
  if (toolCall.isDenyOnly === true)
    lines.push(...wrapText(DENY_ONLY, width, { dim: true }, { first: [span('    ')] }));
  return { lines, focusRow: start + choice, headRows };
}

/** Shown when a question does not fit. It cannot be approved then. */
export const TOO_SMALL = 'too small to answer here';

/** Fits a panel into `height` lines: the question, and the lines around the focus. `undefined` if the question does not fit. */
export function fitted(panel: PanelLines, height: number): PanelLines | undefined {
  const { lines, focusRow, headRows = 0 } = panel;
  if (lines.length <= height || headRows === 0) return panel;
  const room = height - headRows;
  if (room < 1) return undefined;
  const rest = windowed(lines.slice(headRows), room, focusRow - headRows);
  return {
    lines: [...lines.slice(0, headRows), ...rest.lines],
    focusRow: focusRow - rest.top,
  };
}

/** Placeholder for a question that does not fit. */
export const tooSmall = (width: number, height: number): PanelLines => ({
  lines: [cutLine(line(TOO_SMALL, { color: 'yellow', bold: true }), width)].slice(0, height),
  focusRow: 0,
});
