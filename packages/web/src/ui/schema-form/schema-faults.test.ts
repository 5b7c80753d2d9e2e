import type { ConfigSchema } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { emptyValue, schemaFaults } from './schema-faults.ts';

const schema: ConfigSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name' },
    model: { type: 'string', title: 'Model', default: 'small' },
    count: { type: 'number', title: 'Count' },
    roots: {
      type: 'array',
      title: 'Roots',
      items: { type: 'string', title: 'Root' },
      minItems: 1,
      maxItems: 2,
    },
    server: {
      type: 'object',
      title: 'Server',
      properties: { url: { type: 'string', title: 'URL' } },
      required: ['url'],
    },
  },
  required: ['name', 'model'],
};

describe('faults of values', () => {
  it('misses a required value only when it has no default', () => {
    expect(Object.keys(schemaFaults(schema, {}))).toEqual(['name']);
  });

  it('finds a number that is none, and lists that are too short or too long', () => {
    expect(Object.keys(schemaFaults(schema, { name: 'a', count: 'x', roots: [] }))).toEqual([
      'count',
      'roots',
    ]);
    expect(Object.keys(schemaFaults(schema, { name: 'a', roots: ['a', 'b', 'c'] }))).toEqual(['roots']);
    expect(schemaFaults(schema, { name: 'a', count: 1, roots: ['a'] })).toEqual({});
  });

  it('names the missing field of an object', () => {
    expect(schemaFaults(schema, { name: 'a', server: {} })['server']).toContain('URL');
  });
});

it('starts a new entry with the default, the first choice, or an empty value', () => {
  expect(emptyValue({ type: 'string', title: '', default: 'x' })).toBe('x');
  expect(emptyValue({ type: 'string', title: '', enum: ['a', 'b'] })).toBe('a');
  expect(emptyValue({ type: 'object', title: '' })).toEqual({});
  expect(emptyValue(undefined)).toBe('');
});
