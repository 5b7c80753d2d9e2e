import { expect, test } from 'vitest';
import type { StateAction } from '../wire/envelope.ts';
import { findActionFault, findParamsFault, sizeText, weightOf } from './check.ts';
import { MESSAGE_TOTAL, TEXT_LIMITS } from './table.ts';

const MI = 1024 * 1024;
const title = (length: number): StateAction => ({ type: 'session/titleChanged', title: 'x'.repeat(length) });
const draft = (more: object): StateAction => ({
  type: 'chat/draftChanged',
  draft: { text: 'look', origin: { kind: 'user' }, ...more },
});
const photo = (length: number) => ({
  type: 'embeddedResource',
  label: 'a',
  contentType: 'image/png',
  data: 'A'.repeat(length),
});

/** The first fault as text. */
const faultOf = (action: StateAction): string => {
  const fault = findActionFault(action);
  return fault === undefined ? 'none' : sizeText(fault);
};

test('a text may be as long as the limit of its field, and the refusal names field, limit and size', () => {
  expect(findActionFault(title(TEXT_LIMITS.name.max))).toBeUndefined();
  expect(faultOf(title(12 * MI))).toBe('action.title: at most 512 characters, got 12,582,912');
  // The host refuses an empty name of a token with the same limit.
  expect(findParamsFault('x-createToken', { channel: 'ahp-root://', name: 'x'.repeat(101) })?.max).toBe(100);
  expect(findParamsFault('x-searchSessions', { channel: 'ahp-root://', query: 'x'.repeat(1_001) })).toEqual({
    kind: 'size',
    field: 'params.query',
    unit: 'characters',
    max: 1_000,
    actual: 1_001,
  });
});

test('the limit of a field depends on its parent if its name is ambiguous', () => {
  expect(findActionFault(draft({ attachments: [photo(12 * MI)] }))).toBeUndefined();
  expect(faultOf(draft({ attachments: [photo(12 * MI + 1)] }))).toContain(
    'action.draft.attachments[0].data: at most 12,582,912 characters',
  );
  expect(faultOf({ type: 'terminal/input', data: 'x'.repeat(MI + 1) })).toContain('1,048,576');
});

test('values in an open field have the limit of that field, regardless of their names', () => {
  expect(findActionFault(draft({ _meta: { title: 'x'.repeat(10_000) } }))).toBeUndefined();
  const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`k${index}`, 'x'.repeat(10_000)]));
  expect(faultOf(draft({ _meta: many }))).toMatch(
    /^action\.draft\._meta: at most 65,536 characters altogether/,
  );
});

test('content that the host stores outside of the state counts for no total, all other content does', () => {
  const four = [photo(3 * MI), photo(3 * MI), photo(3 * MI), photo(3 * MI)];
  expect(findActionFault(draft({ attachments: four }))).toBeUndefined();
  expect(faultOf(draft({ attachments: [...four, ...four] }))).toContain('attachments: at most 15,728,640');
  // The host does not store attachments of an unknown kind elsewhere.
  expect(faultOf(draft({ attachments: [{ ...photo(3 * MI), type: 'hologram' }] }))).toMatch(
    /^action: at most 1,572,864 characters altogether/,
  );
  const result = { success: true, pastTenseMessage: 'did' };
  const complete = (content: object[]): StateAction =>
    JSON.parse(
      JSON.stringify({
        type: 'chat/toolCallComplete',
        turnId: 't',
        toolCallId: 'c',
        result: { ...result, content },
      }),
    );
  expect(findActionFault(complete([{ type: 'text', text: 'x'.repeat(8 * MI) }]))).toBeUndefined();
  // Blocks that stay in the state.
  const small = Array.from({ length: 40 }, () => ({ type: 'text', text: 'x'.repeat(60_000) }));
  expect(faultOf(complete(small))).toContain('characters altogether');
});

test('the weight of a value includes its keys and numbers', () => {
  expect(weightOf('abc')).toBe(11);
  expect(weightOf([1, true, null])).toBe(32);
  expect(weightOf({ key: 'abc' })).toBe(8 + 3 + 11);
  expect(weightOf('x'.repeat(MESSAGE_TOTAL.max))).toBeGreaterThan(MESSAGE_TOTAL.max);
});

test('an import is not refused because of long texts', () => {
  expect(findParamsFault('x-importTurns', { turns: [{ turn: { id: 'x'.repeat(MI) } }] })).toBeUndefined();
});
