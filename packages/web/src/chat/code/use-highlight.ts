import { useEffect, useRef, useState } from 'react';
import type { CodeLine } from './code-messages.ts';
import { type HighlightedDocument, openHighlight } from './code-service.ts';
import { languageOf } from './languages.ts';

/** Pause between two versions of code that streams. Milliseconds. */
const PAUSE_MS = 250;
/** Longer code stays plain. Characters. */
const MAX_LENGTH = 400_000;

/** The highlighted lines of code; holes where a line is not ready. They can be those of an earlier version. */
export function useHighlight(
  code: string,
  language: string,
  isStreaming = false,
): readonly (CodeLine | undefined)[] {
  const [lines, setLines] = useState<readonly (CodeLine | undefined)[]>([]);
  const document = useRef<HighlightedDocument | undefined>(undefined);
  const grammar = code.length > MAX_LENGTH ? undefined : languageOf(language);
  useEffect(() => {
    if (grammar === undefined) return undefined;
    const opened = openHighlight(grammar, (from, added) =>
      setLines((before) => [...before.slice(0, from), ...added]),
    );
    document.current = opened;
    return () => {
      opened.close();
      document.current = undefined;
      setLines([]);
    };
  }, [grammar]);
  const latest = useRef(code);
  latest.current = code;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (!isStreaming) {
      clearTimeout(timer.current);
      timer.current = undefined;
      document.current?.update(code);
      return;
    }
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      document.current?.update(latest.current);
    }, PAUSE_MS);
  }, [code, isStreaming, grammar]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return lines;
}
