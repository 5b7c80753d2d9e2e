import type { SessionConfigSchema } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { checkConfig, findConfigFault } from './values.ts';

const schema: SessionConfigSchema = {
  type: 'object',
  required: ['model'],
  properties: {
    model: { type: 'string', title: 'Model', enum: ['small', 'large'] },
    branch: { type: 'string', title: 'Branch', enum: ['main'], enumDynamic: true },
    depth: { type: 'number', title: 'Depth' },
    fast: { type: 'boolean', title: 'Fast' },
    tags: { type: 'array', title: 'Tags', items: { type: 'string', title: 'Tag' } },
    pair: { type: 'array', title: 'Pair', minItems: 1, maxItems: 2 },
    extra: { type: 'object', title: 'Extra' },
    labels: {
      type: 'object',
      title: 'Labels',
      properties: { count: { type: 'number', title: 'Count' } },
      required: ['count'],
      additionalProperties: { type: 'string', title: 'Label' },
    },
  },
};

describe('config values', () => {
  it.each<[string, Record<string, unknown>]>([
    ['each of its type', { model: 'small', depth: 1, fast: false, tags: ['a'], extra: {} }],
    ['of fields that are named or not', { labels: { count: 1, other: 'a' } }],
    ['of a list that grows', { branch: 'topic' }],
    ['none', {}],
  ])('[SESS-1] are taken when they fit: %s', (_, values) => {
    expect(findConfigFault(schema, values)).toBeUndefined();
  });

  it.each<[Record<string, unknown>, string]>([
    [{ colour: 'red' }, 'colour: unknown key'],
    [{ toString: 1 }, 'toString: unknown key'],
    [{ model: 'huge' }, 'model: expected one of "small", "large"'],
    [{ depth: '1' }, 'depth: expected a number'],
    [{ fast: 0 }, 'fast: expected a boolean'],
    [{ tags: 'a' }, 'tags: expected an array'],
    [{ tags: ['a', 1] }, 'tags: expected an array, each item a string'],
    [{ extra: [] }, 'extra: expected an object'],
    [{ extra: null }, 'extra: expected an object'],
    [{ labels: {} }, 'labels: expected an object with count'],
    [{ labels: { count: '1' } }, 'labels: expected an object, count a number'],
    [{ labels: { count: 1, toString: 2 } }, 'labels: expected an object, toString a string'],
    [{ branch: 3 }, 'branch: expected a string'],
  ])('[SESS-1] [SESS-9] %j are refused: %s', (values, fault) => {
    const found = findConfigFault(schema, values);
    expect(found && `${found.key}: ${found.problem}`).toBe(fault);
  });

  it('[ROOT-23] that are lists have as many items as their setting allows', () => {
    expect(findConfigFault(schema, { pair: [1] })).toBeUndefined();
    expect(findConfigFault(schema, { pair: [1, 2] })).toBeUndefined();
    expect(findConfigFault(schema, { pair: [] })?.problem).toContain('at least 1 items');
    expect(findConfigFault(schema, { pair: [1, 2, 3] })?.problem).toContain('at most 2 items');
  });

  it('[SESS-1] that are required may come from the defaults', () => {
    expect(() => checkConfig(schema, {}, { model: 'small' })).not.toThrow();
    expect(() => checkConfig(schema, {}, {})).toThrow(/params\.config\.model: required/);
    expect(() => checkConfig(schema, { depth: 'x' }, { model: 'small', depth: 'x' })).toThrow(
      /params\.config\.depth: expected a number/,
    );
  });
});
