import { describe, expect, it } from 'vitest';
import { joinParts } from './presence-hub.ts';

describe('joinParts', () => {
  it('joins the channels of all parts, each once', () => {
    const parts = [{ showing: ['a', 'b'] }, { showing: ['b', 'c'] }];
    expect(joinParts(parts)).toEqual({ showing: ['a', 'b', 'c'] });
  });

  it('keeps the typing of the latest part that types', () => {
    const parts = [{ typing: { chat: 'a' } }, { typing: { chat: 'b' } }, { showing: ['c'] }];
    expect(joinParts(parts)).toEqual({ showing: ['c'], typing: { chat: 'b' } });
  });

  it('names at most 16 channels', () => {
    const showing = Array.from({ length: 20 }, (_, index) => `uri-${index}`);
    expect(joinParts([{ showing }]).showing).toHaveLength(16);
  });
});
