import { useEffect, useMemo, useState } from 'react';
import { visibleText } from '../../text/visible-text.ts';
import type { LineChange } from '../code/code-messages.ts';
import { compareInWorker } from '../code/code-service.ts';
import { compareLines, linesOf } from './compare-lines.ts';
import { type DiffSection, lacksFinalNewline, lineEndingOf, sectionsOf } from './diff-model.ts';

/** Texts up to this length are compared here, longer ones in the worker. Characters. */
const OWN_LENGTH = 20_000;
/** Comparing here takes at most this long. Milliseconds. */
const OWN_TIMEOUT_MS = 15;
/** Larger texts are not compared. Characters. */
const MAX_LENGTH = 5_000_000;

/** A comparison for display. */
export type Diff =
  | { readonly state: 'working' }
  | {
      readonly state: 'ready';
      readonly sections: readonly DiffSection[];
      /** Whether the comparison took too long, so that the whole old text is followed by the new one. */
      readonly isRough: boolean;
    };

/** Both texts as they are compared and shown, and what differs besides the lines. */
export interface ComparedTexts {
  readonly before: string;
  readonly after: string;
  /** `undefined`: the same, or one has none. */
  readonly endings: { readonly before: string; readonly after: string } | undefined;
  readonly lacksNewlineBefore: boolean;
  readonly lacksNewlineAfter: boolean;
}

/** Prepares two versions of a file; an absent one is empty. */
export function useComparedTexts(before: string | undefined, after: string | undefined): ComparedTexts {
  return useMemo(() => {
    const endings = { before: lineEndingOf(before ?? ''), after: lineEndingOf(after ?? '') };
    const haveEndings = endings.before !== '–' && endings.after !== '–';
    return {
      before: visibleText(before ?? ''),
      after: visibleText(after ?? ''),
      endings: haveEndings && endings.before !== endings.after ? endings : undefined,
      lacksNewlineBefore: lacksFinalNewline(before ?? ''),
      lacksNewlineAfter: lacksFinalNewline(after ?? ''),
    };
  }, [before, after]);
}

/** Compares two texts by lines: small ones at once, large ones in the worker. */
export function useDiff({ before, after }: ComparedTexts, ignoresWhitespace = false): Diff {
  const own = useMemo(() => ownDiff(before, after, ignoresWhitespace), [before, after, ignoresWhitespace]);
  const [compared, setCompared] = useState<
    | {
        readonly before: string;
        readonly after: string;
        readonly ignoresWhitespace: boolean;
        readonly diff: Diff;
      }
    | undefined
  >(undefined);
  useEffect(() => {
    if (own !== undefined) return undefined;
    let isCurrent = true;
    compareInWorker(before, after, ignoresWhitespace)
      .then((changes) => {
        if (isCurrent) setCompared({ before, after, ignoresWhitespace, diff: ready(changes, before, after) });
      })
      .catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [own, before, after, ignoresWhitespace]);
  if (own !== undefined) return own;
  const isPresent =
    compared?.before === before &&
    compared.after === after &&
    compared.ignoresWhitespace === ignoresWhitespace;
  return isPresent ? compared.diff : WORKING;
}

const WORKING: Diff = { state: 'working' };

function ownDiff(before: string, after: string, ignoresWhitespace: boolean): Diff | undefined {
  const length = before.length + after.length;
  if (before === '' || after === '' || length > MAX_LENGTH) {
    const isRough = before !== '' && after !== '';
    return { state: 'ready', sections: sectionsOf(whole(before, after)), isRough };
  }
  if (length > OWN_LENGTH) return undefined;
  const changes = compareLines(before, after, { timeoutMs: OWN_TIMEOUT_MS, ignoresWhitespace });
  return changes === undefined ? undefined : ready(changes, before, after);
}

const ready = (changes: readonly LineChange[] | undefined, before: string, after: string): Diff => ({
  state: 'ready',
  sections: sectionsOf(changes ?? whole(before, after)),
  isRough: changes === undefined,
});

const whole = (before: string, after: string): LineChange[] => [
  { kind: 'removed', lines: linesOf(before) },
  { kind: 'added', lines: linesOf(after) },
];
