import { describe, expect, it } from 'vitest';
import type { StateAction } from '../wire/envelope.ts';
import { annotationsReducer } from './reducer.ts';
import type { Annotation, AnnotationsState } from './state.ts';

const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 4 } };
const why: Annotation = {
  id: 'why',
  origin: { session: 'ahp-session:/s', turnId: 't1' },
  resource: 'file:///a',
  range,
  resolved: true,
  entries: [{ id: 'e1', text: 'Why?' }],
  _meta: { by: 'ann' },
};
const note: Annotation = { ...why, id: 'note' };
const state: AnnotationsState = { annotations: [why, note] };

function reduce(from: AnnotationsState, action: StateAction): AnnotationsState {
  return annotationsReducer(from, action);
}

describe('annotationsReducer', () => {
  it('[ANN-1] an annotation is replaced whole and in place, or appended', () => {
    const { range: _range, ...wholeFile } = why;
    expect(reduce(state, { type: 'annotations/set', annotation: wholeFile }).annotations).toStrictEqual([
      wholeFile,
      note,
    ]);
    const added = { ...why, id: 'new' };
    expect(reduce(state, { type: 'annotations/set', annotation: added }).annotations).toStrictEqual([
      why,
      note,
      added,
    ]);
  });

  it('[ANN-20] an update replaces the origin as a whole', () => {
    const origin = { session: 'ahp-session:/s', chat: 'ahp-chat:/c' };
    expect(
      reduce(state, { type: 'annotations/updated', annotationId: 'why', origin }).annotations[0],
    ).toStrictEqual({ ...why, origin });
  });

  it('[ANN-1] an update changes only the given properties, also to false', () => {
    const updated = { type: 'annotations/updated', annotationId: 'why', resolved: false } as const;
    expect(reduce(state, updated).annotations).toStrictEqual([{ ...why, resolved: false }, note]);
    expect(reduce(state, { ...updated, resolved: true })).toBe(state);
    expect(reduce(state, { ...updated, annotationId: 'z' })).toBe(state);
    const moved = {
      origin: { session: 'ahp-session:/s', chat: 'ahp-chat:/c' },
      resource: 'file:///b',
      range: { ...range, end: range.start },
    };
    expect(
      reduce(state, { type: 'annotations/updated', annotationId: 'note', ...moved }).annotations,
    ).toStrictEqual([why, { ...note, ...moved }]);
  });

  it('[ANN-1] an entry is upserted in an existing annotation', () => {
    const set = { type: 'annotations/entrySet', annotationId: 'why' } as const;
    const other = { id: 'e2', text: 'Because' };
    expect(reduce(state, { ...set, entry: other }).annotations[0]?.entries).toStrictEqual([
      ...why.entries,
      other,
    ]);
    const again = { id: 'e1', text: 'Why so?' };
    expect(reduce(state, { ...set, entry: again }).annotations[0]?.entries).toStrictEqual([again]);
    expect(reduce(state, { ...set, annotationId: 'z', entry: other })).toBe(state);
  });

  it('[ANN-1] a removal with an unknown id changes nothing', () => {
    expect(reduce(state, { type: 'annotations/removed', annotationId: 'why' }).annotations).toStrictEqual([
      note,
    ]);
    expect(reduce(state, { type: 'annotations/removed', annotationId: 'z' })).toBe(state);
    const gone = { type: 'annotations/entryRemoved', annotationId: 'why', entryId: 'e1' } as const;
    expect(reduce(state, gone).annotations[0]?.entries).toStrictEqual([]);
    expect(reduce(state, { ...gone, entryId: 'z' })).toBe(state);
    expect(reduce(state, { ...gone, annotationId: 'z' })).toBe(state);
  });
});
