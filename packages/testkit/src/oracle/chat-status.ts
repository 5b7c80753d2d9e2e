import { type At, type Doc, doc, docs, isDoc, putActivity, since } from './doc.ts';

const [IDLE, IN_PROGRESS, INPUT_NEEDED] = [1, 8, 24];
const ASKING = ['pending-confirmation', 'pending-result-confirmation', 'auth-required'];

/** The unanswered `inputRequest` parts of the active turn. */
export function openParts(state: Doc): Doc[] {
  const turn = state['activeTurn'];
  const parts = isDoc(turn) ? docs(turn['responseParts']) : [];
  return parts.filter((part) => part['kind'] === 'inputRequest' && part['response'] === undefined);
}

/** Derives the activity bits from open questions and the active turn. */
export function deriveStatus(state: Doc): void {
  const turn = state['activeTurn'];
  const parts = isDoc(turn) ? docs(turn['responseParts']) : [];
  const isAsking =
    docs(state['inputRequests']).length > 0 ||
    openParts(state).length > 0 ||
    parts.some(
      (part) => part['kind'] === 'toolCall' && ASKING.includes(String(doc(part['toolCall'])['status'])),
    );
  if (isAsking) putActivity(state, INPUT_NEEDED);
  else putActivity(state, turn === undefined ? IDLE : IN_PROGRESS);
}

/** Before 0.9, reducers wrote the time of their clock. */
export function touch(state: Doc, at: At): void {
  if (!since(at, '0.9.0')) state['modifiedAt'] = new Date(at.now).toISOString();
}
