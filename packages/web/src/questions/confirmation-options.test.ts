import type { ConfirmationOption } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { groupOptions, numbered } from './confirmation-options.ts';

const option = (id: string, kind: 'approve' | 'deny', more: object = {}): ConfirmationOption => ({
  id,
  label: id,
  kind,
  ...more,
});

describe('options of an approval', () => {
  it('are plain yes and no when the tool call has none', () => {
    expect(groupOptions(undefined)).toEqual({ once: [{}], lasting: [], deny: [{}] });
    expect(groupOptions([], false)).toEqual({ once: [], lasting: [], deny: [{}] });
  });

  it('never begin with a lasting one', () => {
    const grouped = groupOptions([
      option('always', 'approve', { 'x-lasting': true }),
      option('once', 'approve'),
      option('no', 'deny'),
    ]);
    expect(grouped.once.map(({ id }) => id)).toEqual(['once']);
    expect(grouped.lasting.map(({ id }) => id)).toEqual(['always']);
    expect(numbered(grouped).map(({ id }) => id)).toEqual(['once', 'no', 'always']);
  });

  it('get no plain yes when all approvals last', () => {
    const grouped = groupOptions([option('always', 'approve', { 'x-lasting': true })]);
    expect(grouped.once).toEqual([]);
    expect(numbered(grouped)).toEqual([{}, { id: 'always', label: 'always' }]);
  });

  it('are ordered by their group, and keep their order within it', () => {
    const grouped = groupOptions([
      option('second', 'approve', { group: 2 }),
      option('first', 'approve', { group: 1 }),
      option('third', 'approve', { group: 2 }),
    ]);
    expect(grouped.once.map(({ id }) => id)).toEqual(['first', 'second', 'third']);
  });
});
