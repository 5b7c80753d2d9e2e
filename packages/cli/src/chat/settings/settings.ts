import type {
  SessionConfigPropertySchema,
  SessionConfigState,
  SessionConfigValueItem,
  SessionModelInfo,
} from '@agenthost/protocol';
import { shownValue } from '../../input/settings.ts';
import { oneLine } from '../../render/plain-text.ts';
import type { OverlayLines } from '../app/panel.ts';
import { type Editor, layoutEditor } from '../composer/editor.ts';
import { EMPTY_LINE, type Line, line, span } from '../text/line.ts';
import { cutLine } from '../text/wrap.ts';

/** A value to choose. */
export interface Choice {
  readonly value: unknown;
  readonly label: string;
  readonly description: string;
}

/** How a setting is changed. `isSearched`: there are more choices than these, which the host finds by a text. */
export type SettingInput =
  | { readonly kind: 'choice'; readonly choices: readonly Choice[]; readonly isSearched: boolean }
  | { readonly kind: 'text'; readonly type: SessionConfigPropertySchema['type']; readonly text: string }
  | { readonly kind: 'fixed' };

/** One setting of a session as it is shown and changed. */
export interface Setting {
  /** Property of the session's config; absent: the model of the next messages. */
  readonly key: string | undefined;
  readonly title: string;
  readonly description: string;
  readonly value: unknown;
  /** The value for people. */
  readonly shown: string;
  readonly input: SettingInput;
}

/** Settings of a chat: the model of the next messages, then the config of the session. */
export function settingsOf({
  models,
  model,
  config,
}: {
  readonly models: readonly SessionModelInfo[];
  readonly model: string | undefined;
  readonly config: SessionConfigState | undefined;
}): Setting[] {
  const properties = Object.entries(config?.schema.properties ?? {});
  return [
    modelSetting(models, model),
    ...properties.map(([key, property]) => settingOf(key, property, config?.values[key])),
  ];
}

function modelSetting(models: readonly SessionModelInfo[], model: string | undefined): Setting {
  const choices = models.map(({ id, name }) => ({
    value: id,
    label: id,
    description: name === id ? '' : name,
  }));
  return {
    key: undefined,
    title: 'Model',
    description: 'Model of your next messages in this chat',
    value: model,
    shown: model ?? "the agent's choice",
    // An agent that lists none may take any.
    input:
      choices.length === 0
        ? { kind: 'text', type: 'string', text: model ?? '' }
        : { kind: 'choice', choices, isSearched: false },
  };
}

function settingOf(key: string, property: SessionConfigPropertySchema, value: unknown): Setting {
  const { title, description = '' } = property;
  const input = inputOf(property, value);
  const label =
    input.kind === 'choice' ? input.choices.find((choice) => choice.value === value)?.label : undefined;
  return { key, title: title || key, description, value, shown: label ?? shownValue(value), input };
}

function inputOf(property: SessionConfigPropertySchema, value: unknown): SettingInput {
  const { type, enum: values, enumLabels = [], enumDescriptions = [] } = property;
  if (property.sessionMutable !== true) return { kind: 'fixed' };
  if (type === 'boolean') {
    return { kind: 'choice', choices: [choice(true, 'yes'), choice(false, 'no')], isSearched: false };
  }
  if (values === undefined && property.enumDynamic !== true)
    return { kind: 'text', type, text: shownValue(value) };
  const choices = (values ?? []).map((each, index) =>
    choice(each, enumLabels[index] ?? shownValue(each), enumDescriptions[index]),
  );
  return { kind: 'choice', choices, isSearched: property.enumDynamic === true };
}

const choice = (value: unknown, label: string, description = ''): Choice => ({ value, label, description });

/** Choices that the host found. */
export const foundChoices = (items: readonly SessionConfigValueItem[]): Choice[] =>
  items.map(({ value, label, description }) => choice(value, label, description));

/** The choices that have every word of a filter. */
export function matching(choices: readonly Choice[], filter: string): Choice[] {
  const words = filter.toLowerCase().split(/\s+/);
  return choices.filter(({ value, label, description }) => {
    const text = `${shownValue(value)}\n${label}\n${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

const mark = (isAt: boolean): string => (isAt ? '▸ ' : '  ');

/** All settings, one to a line. */
export function settingRows(settings: readonly Setting[], selected: number, width: number): OverlayLines {
  const titleCells = Math.min(28, Math.max(0, ...settings.map(({ title }) => oneLine(title).length)));
  const lines = settings.map(({ title, shown, input }, index): Line => {
    const isAt = index === selected;
    const name = oneLine(title, titleCells).padEnd(titleCells);
    const value = oneLine(shown, 200) || '(nothing)';
    const note = input.kind === 'fixed' ? '  fixed at the creation of the session' : '';
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
