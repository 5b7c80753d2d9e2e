import { expect, test } from 'vitest';
import type { RuleCustomization } from './customization.ts';
import { decisionsAbout, isEnabled, withDecision } from './customization-decisions.ts';

const rule: RuleCustomization = { type: 'rule', id: 'r', uri: 'file:///r.md', name: 'r' };

test('[CUST-20] decisions are read from the field of their type, and the first one holds', () => {
  expect(isEnabled(rule)).toBe(true);
  const decisions = [{ kind: 'global', enabled: false }];
  const decided = {
    ...rule,
    enabled: false,
    _meta: { 'agenthost.enablement': [...decisions, { kind: 'x' }] },
  };
  expect(decisionsAbout(decided)).toEqual(decisions);
  expect(isEnabled(decided)).toBe(false);
  const enablement = [
    { kind: 'session' as const, enabled: true },
    { kind: 'global' as const, enabled: false },
  ];
  const plugin = { type: 'plugin' as const, id: 'p', uri: 'file:///p', name: 'p', enablement };
  expect(decisionsAbout(plugin)).toBe(enablement);
  expect(isEnabled(plugin)).toBe(true);
});

test('[CUST-21] one decision changes, and the others stay, in the order of the protocol', () => {
  const workspace = 'file:///w';
  const both = withDecision([{ kind: 'global', enabled: false }], {
    level: 'workspace',
    enabled: true,
    workspace,
  });
  expect(both).toEqual([
    { kind: 'workspace', uri: workspace, enabled: true },
    { kind: 'global', enabled: false },
  ]);
  expect(withDecision(both, { level: 'session', enabled: false })[0]).toEqual({
    kind: 'session',
    enabled: false,
  });
  expect(withDecision(both, { level: 'global', enabled: undefined })).toEqual([both[0]]);
  expect(withDecision([], { level: 'workspace', enabled: true })).toEqual([]);
});
