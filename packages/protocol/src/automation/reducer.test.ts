import { expect, it } from 'vitest';
import { automationReducer } from './reducer.ts';
import type { AutomationEntry, AutomationState } from './state.ts';

const entry = (resource: string, title: string): AutomationEntry => ({
  resource,
  definition: {
    title,
    message: { text: 'Go', origin: { kind: 'automation' } },
    session: {},
    enabled: true,
    triggers: [],
  },
  runs: [],
  operations: ['run'],
  createdAt: '2026-01-01T00:00:00.000Z',
  modifiedAt: '2026-01-01T00:00:00.000Z',
});
const [a, b] = [entry('ahp-automation:/a', 'A'), entry('ahp-automation:/b', 'B')];
const state: AutomationState = { entries: [a, b] };

it('[AUTO-8] an automation is replaced whole in its place, appended, and removed by name', () => {
  const renamed = entry(a.resource, 'C');
  expect(automationReducer(state, { type: 'automation/set', automation: renamed }).entries).toStrictEqual([
    renamed,
    b,
  ]);
  const more = entry('ahp-automation:/c', 'D');
  expect(automationReducer(state, { type: 'automation/set', automation: more }).entries).toStrictEqual([
    a,
    b,
    more,
  ]);
  expect(automationReducer(state, { type: 'automation/removed', resource: a.resource })).toStrictEqual({
    entries: [b],
  });
  expect(automationReducer(state, { type: 'automation/removed', resource: 'ahp-automation:/x' })).toBe(state);
});

it('[AUTO-8] requests change nothing', () => {
  const { resource, definition } = a;
  expect(automationReducer(state, { type: 'automation/createRequested', resource, definition })).toBe(state);
  expect(
    automationReducer(state, { type: 'automation/updateRequested', resource, changes: { title: 'X' } }),
  ).toBe(state);
});
