import type { AutomationEntry } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { automationFacts, automationLine, nextText, stateText } from './lines.ts';

const now = Date.parse('2026-11-28T12:00:00Z');
const facts = { now, home: '/home/user' };

const entry: AutomationEntry = {
  resource: 'ahp-automation:/4f2a91c0-aaaa',
  definition: {
    title: 'Nightly\u001b[2J',
    message: { text: 'run the tests', origin: { kind: 'automation' } },
    session: {
      provider: 'demo',
      workingDirectories: ['file:///home/user/shop'],
      config: { approvals: 'edits' },
    },
    enabled: true,
    triggers: [
      { id: 's', kind: 'schedule', schedule: { expression: '0 3 * * *', timeZone: 'Europe/Berlin' } },
    ],
    disableConditions: [{ kind: 'afterRuns', max: 5 }],
  },
  nextRunAt: '2026-11-29T02:00:00Z',
  runs: [
    {
      resource: 'ahp-automation-run:/1a2b3c4d5e',
      automation: 'ahp-automation:/4f2a91c0-aaaa',
      origin: { kind: 'trigger', triggerId: 's', scheduledFor: '2026-11-28T02:00:00Z', catchUp: true },
      lifecycle: {
        status: 'failed',
        createdAt: '2026-11-28T11:00:00Z',
        startedAt: '2026-11-28T11:00:00Z',
        completedAt: '2026-11-28T11:02:00Z',
        error: { errorType: 'x', message: 'out of\nluck' },
      },
      primarySession: 'ahp-session:/77b0aa1234',
      sessionCount: 1,
    },
  ],
  operations: ['update', 'remove', 'run'],
  createdAt: '2026-11-01T00:00:00Z',
  modifiedAt: '2026-11-01T00:00:00Z',
  runCount: 2,
  customizations: [
    {
      type: 'plugin',
      id: 'kit',
      uri: 'file:///kit',
      name: 'Kit',
      version: '2',
      load: { kind: 'degraded', message: 'hooks/hooks.json: no JSON\nskills/a: no description' },
    },
    {
      ...{ type: 'plugin', id: 'own', uri: 'file:///own', name: 'Own', load: { kind: 'loaded' } },
      enablement: [{ kind: 'global', enabled: false }],
    },
  ],
  _meta: { missed: { count: 4, last: '2026-11-28T02:00:00.000Z', isMadeUp: true } },
};

test('an automation is a line with its next and last run, in its own time zone', () => {
  expect(automationLine(entry, facts)).toBe(
    '4f2a91c0  on   Sun 2026-11-29 03:00  failed 58 min ago     Nightly',
  );
  expect(nextText(entry, now)).toBe(
    'next: Sun 2026-11-29 03:00, Mon 2026-11-30 03:00, Tue 2026-12-01 03:00 (Europe/Berlin), the first in 14 h',
  );
});

test('[AUTO-6] all facts of an automation are told, and what was missed', () => {
  expect(automationFacts(entry, facts)).toEqual([
    'id      4f2a91c0-aaaa',
    'title   Nightly',
    'state   enabled',
    'when    0 3 * * * (Europe/Berlin)',
    'next    Sun 2026-11-29 03:00, Mon 2026-11-30 03:00, Tue 2026-12-01 03:00',
    'missed  4 runs while the host was away, the last Sat 2026-11-28 03:00 (Europe/Berlin); one run makes up for all',
    'ends    after 5 scheduled runs; 2 so far',
    'agent   demo',
    'folder  ~/shop',
    'config  approvals=edits',
    'plugins Kit 2 (degraded: hooks/hooks.json: no JSON skills/a: no description)',
    '        Own (off)',
    'prompt  run the tests',
    'runs',
    '  1a2b3c4d  failed     58 min ago  took 2 min   for missed times  session 77b0aa12  out of luck',
  ]);
});

test.each([
  [{}, 'disabled'],
  [{ disabledBecause: 'afterRuns' }, 'disabled: it has made its 2 scheduled runs'],
  [{ disabledBecause: 'afterDate' }, 'disabled: its end has come'],
  [
    { disabledBecause: 'tokenEnded' },
    'disabled: the token of the client that saved it has ended; enable it to continue',
  ],
])('[AUTO-12] a disabled automation says why: %j', (_meta, text) => {
  const disabled = { ...entry, _meta, definition: { ...entry.definition, enabled: false } };
  expect(stateText(disabled)).toBe(text);
});
