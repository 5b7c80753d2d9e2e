import { describe, expect, it } from 'vitest';
import { type DraftVersions, mergeDraft } from './merge-draft.ts';

const versions = (some: Partial<DraftVersions>): DraftVersions => ({
  local: '',
  base: '',
  remote: '',
  isWriting: false,
  wasSent: false,
  ...some,
});

describe('[CHAT-14] a shared draft', () => {
  it('is followed by a field in which nobody writes', () => {
    expect(mergeDraft(versions({ remote: 'theirs' }))).toBe('adopt');
    expect(mergeDraft(versions({ local: 'old', base: 'old', remote: 'theirs' }))).toBe('adopt');
  });

  it('never replaces the text of the person here', () => {
    const written = { local: 'mine', base: 'mine', isWriting: true };
    expect(mergeDraft(versions({ ...written, remote: 'theirs' }))).toBe('offer');
    expect(mergeDraft(versions({ ...written, remote: '' }))).toBe('keep');
    expect(mergeDraft(versions({ local: 'mine', base: 'old', remote: 'theirs' }))).toBe('offer');
  });

  it('is removed from all fields when its text was sent', () => {
    expect(mergeDraft(versions({ local: 'a', base: 'a', isWriting: true, wasSent: true }))).toBe('adopt');
    expect(mergeDraft(versions({ local: 'a and more', base: 'a', wasSent: true }))).toBe('keep');
  });

  it('is kept when the host still has the common version', () => {
    expect(mergeDraft(versions({ local: 'mine', base: 'old', remote: 'old' }))).toBe('keep');
    expect(mergeDraft(versions({ local: '', base: 'old', remote: 'old' }))).toBe('keep');
  });

  it('is the same when both wrote the same', () => {
    expect(mergeDraft(versions({ local: 'x', base: '', remote: 'x', isWriting: true }))).toBe('same');
  });
});
