import type { ConfigSchema } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { changedValues, splitSchema } from './split-schema.ts';

const schema: ConfigSchema = {
  type: 'object',
  properties: {
    defaultAgent: { type: 'string', title: 'Agent' },
    maxTerminals: { type: 'number', title: 'Terminals', default: 256 },
    pageHosts: { type: 'array', title: 'Hosts', default: [] },
  },
  required: ['defaultAgent'],
};

it('divides settings into usual ones and limits', () => {
  const { usual, limits } = splitSchema(schema);
  expect(Object.keys(usual.properties)).toEqual(['defaultAgent', 'pageHosts']);
  expect(usual.required).toEqual(['defaultAgent']);
  expect(Object.keys(limits.properties)).toEqual(['maxTerminals']);
  expect(limits.required).toEqual([]);
});

it('sends the values that differ, and the default of a removed value', () => {
  const before = { defaultAgent: 'demo', maxTerminals: 10, pageHosts: ['http://a'] };
  expect(changedValues(schema, before, before)).toEqual({});
  expect(changedValues(schema, before, { ...before, pageHosts: [] })).toEqual({ pageHosts: [] });
  expect(changedValues(schema, before, { defaultAgent: 'x', pageHosts: ['http://a'] })).toEqual({
    defaultAgent: 'x',
    maxTerminals: 256,
  });
});
