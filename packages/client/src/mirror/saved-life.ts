import type { StateAction, URI } from '@agenthost/protocol';

/** An action without an outcome, as a memory keeps it. */
export interface SavedAction {
  readonly channel: URI;
  readonly clientSeq: number;
  readonly action: StateAction;
  /** When it was dispatched, in milliseconds since the epoch. */
  readonly at: number;
}

/** The data with which a client continues as the same client after a reload [ACT-5]. */
export interface SavedLife {
  readonly clientId: string;
  readonly epoch: string;
  /** No action of this life was sent with this number or a higher one. */
  readonly nextClientSeq: number;
  /** In the order dispatched. */
  readonly pending: readonly SavedAction[];
}

/** Changes with the format of the text. A text of another version is not used. */
const VERSION = 1;

/** Writes a life; `pending` has the JSON of each action. */
export function writeLife(life: Omit<SavedLife, 'pending'>, pending: readonly string[]): string {
  const { clientId, epoch, nextClientSeq } = life;
  const head = JSON.stringify({ version: VERSION, clientId, epoch, nextClientSeq });
  return `${head.slice(0, -1)},"pending":[${pending.join(',')}]}`;
}

/** Reads a life. Returns `undefined` for a text of another version. Throws for any other text that `writeLife` did not write. */
export function readLife(text: string): SavedLife | undefined {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw damaged();
  const { version, clientId, epoch, nextClientSeq, pending } = value;
  if (version !== VERSION) return undefined;
  if (typeof clientId !== 'string' || typeof epoch !== 'string' || !isNumber(nextClientSeq)) throw damaged();
  let last = 0;
  const isNext = (item: unknown): item is SavedAction => {
    if (!isSavedAction(item) || item.clientSeq <= last || item.clientSeq >= nextClientSeq) return false;
    last = item.clientSeq;
    return true;
  };
  if (!Array.isArray(pending) || !pending.every(isNext)) throw damaged();
  return { clientId, epoch, nextClientSeq, pending };
}

const damaged = (): Error => new Error('the text in the memory is not that of a client');

/** The host validates the action. */
function isSavedAction(item: unknown): item is SavedAction {
  if (!isObject(item)) return false;
  const { channel, clientSeq, action, at } = item;
  return (
    typeof channel === 'string' &&
    isNumber(clientSeq) &&
    isNumber(at) &&
    isObject(action) &&
    typeof action['type'] === 'string'
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value);
