import { oneLine } from '../../render/plain-text.ts';
import type { OverlayLines } from '../app/panel.ts';
import { type Editor, layoutEditor } from '../composer/editor.ts';
import { EMPTY_LINE, type Line, line, span } from '../text/line.ts';
import { cutLine } from '../text/wrap.ts';
import type { Choice, Setting } from './settings.ts';

const mark = (isAt: boolean): string => (isAt ? '▸ ' : '  ');

/** All settings, one to a line. */
export function settingRows(settings: readonly Setting[], selected: number, width: number): OverlayLines {
  const titleCells = Math.min(28, Math.max(0, ...settings.map(({ title }) => oneLine(title).length)));
  const lines = settings.map(({ title, shown, input }, index): Line => {
    const isAt = index === selected;
    const name = oneLine(title, titleCells).padEnd(titleCells);
    const value = oneLine(shown, 200) || '(nothing)';
    const note = input.kind === 'fixed' ? '  fixed since the session was made' : '';
    return cutLine(
      [
        span(mark(isAt)),
        span(name, isAt ? { inverse: true } : {}),
        span(`  ${value}`, { color: 'cyan' }),
        span(note, { dim: true }),
      ],
      width,
    );
  });
  const description = oneLine(settings[selected]?.description ?? '', 300);
  return {
    lines: [...lines, EMPTY_LINE, cutLine(line(`  ${description}`, { dim: true }), width)],
    focus: selected,
  };
}

/** The choices of one setting, and what is typed to find some. */
export function choiceRows(
  setting: Setting,
  { choices, selected, filter }: { choices: readonly Choice[]; selected: number; filter: Editor },
  width: number,
): OverlayLines {
  const label = '  Filter: ';
  const column = layoutEditor(filter, width, 1).column;
  const said = oneLine(filter.text, 200);
  const rows = choices.map(({ value, label: name, description }, index): Line => {
    const isAt = index === selected;
    const more = [value === setting.value ? 'now' : '', oneLine(description, 200)].filter(
      (text) => text !== '',
    );
    return cutLine(
      [
        span(mark(isAt)),
        span(oneLine(name, 100) || '(nothing)', isAt ? { inverse: true } : {}),
        span(more.length === 0 ? '' : `  ${more.join('  ')}`, { dim: true }),
      ],
      width,
    );
  });
  const none = rows.length === 0 ? [cutLine(line('  Nothing matches.', { dim: true }), width)] : [];
  return {
    lines: [
      cutLine(
        [span(label, { bold: true }), said === '' ? span('type to filter', { dim: true }) : span(said)],
        width,
      ),
      ...rows,
      ...none,
    ],
    focus: selected + 1,
    cursor: { x: Math.min(width - 1, label.length + column), y: 0 },
  };
}

/** The text of one setting, being typed. */
export function textRows(setting: Setting, editor: Editor, width: number): OverlayLines {
  const { lines, row, column } = layoutEditor(editor, width - 2, 12);
  const shown = lines.map((text, index): Line => [span(index === 0 ? '› ' : '  '), ...text]);
  const description = oneLine(setting.description, 300);
  return {
    lines: [...shown, EMPTY_LINE, cutLine(line(`  ${description}`, { dim: true }), width)],
    focus: row,
    cursor: { x: column + 2, y: row },
  };
}
