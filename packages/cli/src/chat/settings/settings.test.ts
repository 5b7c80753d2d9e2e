import type { SessionConfigState } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { editorOf } from '../composer/editor.ts';
import type { Line } from '../text/line.ts';
import { lineCells } from '../text/wrap.ts';
import { choiceRows, matching, settingRows, settingsOf, textRows } from './settings.ts';

const config: SessionConfigState = {
  schema: {
    type: 'object',
    properties: {
      mode: {
        type: 'string',
        title: 'Mode',
        description: 'How far it goes',
        enum: ['ask', 'yolo'],
        enumLabels: ['Ask first', 'Just do it'],
        sessionMutable: true,
      },
      web: { type: 'boolean', title: 'Web', sessionMutable: true },
      born: { type: 'string', title: 'Born as' },
      name: { type: 'string', title: 'Name', enum: ['Ada'], enumDynamic: true, sessionMutable: true },
      limit: { type: 'number', title: 'Limit', sessionMutable: true },
    },
  },
  values: { mode: 'yolo', web: true, born: 'x', name: 'Tony', limit: 3 },
};
const models = [
  { id: 'small', provider: 'p', name: 'Small one' },
  { id: 'large', provider: 'p', name: 'large' },
];
const said = (lines: readonly Line[]): string[] =>
  lines.map((spans) =>
    spans
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );

test('the model comes first, then the config of the session, each with its value in words', () => {
  const settings = settingsOf({ models, model: 'small', config });
  expect(settings.map(({ title, shown, input }) => [title, shown, input.kind])).toEqual([
    ['Model', 'small', 'choice'],
    ['Mode', 'Just do it', 'choice'],
    ['Web', 'yes', 'choice'],
    ['Born as', 'x', 'fixed'],
    ['Name', 'Tony', 'choice'],
    ['Limit', '3', 'text'],
  ]);
  expect(settings.flatMap(({ input }) => (input.kind === 'choice' ? [input.isSearched] : []))).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

test('for an agent without listed models any name is accepted, and a session without config has no other setting', () => {
  expect(settingsOf({ models: [], model: undefined, config: undefined })).toMatchObject([
    { title: 'Model', shown: "the agent's choice", input: { kind: 'text', text: '' } },
  ]);
});

test('choices are found by every typed word in value, label and description', () => {
  const [model] = settingsOf({ models, model: undefined, config });
  const choices = model?.input.kind === 'choice' ? model.input.choices : [];
  expect(matching(choices, '').map(({ value }) => value)).toEqual(['small', 'large']);
  expect(matching(choices, 'ONE small').map(({ value }) => value)).toEqual(['small']);
  expect(matching(choices, 'medium')).toEqual([]);
});

test('rows fit their window, mark the selected and the current value, and contain no control sequences', () => {
  const evil = 'a\u001b[2Jb'.repeat(40);
  const settings = settingsOf({ models, model: evil, config });
  const [model] = settings;
  if (model?.input.kind !== 'choice') throw new Error('no choice');
  const { choices } = model.input;
  const filter = editorOf(evil);
  for (const width of [12, 40, 80]) {
    const all = [
      settingRows(settings, 1, width),
      choiceRows({ ...model, value: 'large' }, { choices, selected: 0, filter }, width),
      textRows(model, filter, width),
    ];
    for (const { lines } of all)
      for (const each of lines) {
        expect(lineCells(each)).toBeLessThanOrEqual(Math.max(width, 12 + 2));
        expect(said([each])[0]).not.toContain('\u001b');
      }
  }
  const rows = said(settingRows(settings, 1, 80).lines);
  expect(rows[1]).toMatch(/^▸ Mode +Just do it$/);
  expect(rows[3]).toContain('fixed at the creation of the session');
  expect(rows.at(-1)).toBe('  How far it goes');
  const shown = choiceRows({ ...model, value: 'large' }, { choices, selected: 0, filter: editorOf('') }, 80);
  expect(said(shown.lines)).toEqual(['  Filter: type to filter', '▸ small  Small one', '  large  now']);
});
