import type { ModelMessage } from 'ai';
import { isObject, numberOf, objectOf, objectsOf, textOf } from '../../acp/json.ts';

/** The beginning of a conversation in short, in place of its turns. */
export interface Summary {
  readonly text: string;
  /** Id of the first turn that is not a part of the summary. */
  readonly fromTurn: string;
}

/** Cost so far. */
export interface Cost {
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}

/**
 * What a model agent stores with a chat. The completed turns are in the host's journal already and are not stored again: this is only what
 * they do not have.
 */
export interface ModelMemory {
  readonly summary?: Summary;
  /** The answer so far of a turn that is not complete, to resume it [CHAT-23]. */
  readonly turn?: { readonly id: string; readonly messages: readonly ModelMessage[] };
  readonly cost?: Cost;
}

/** Reads a saved memory. An invalid one gives an empty memory. */
export function readMemory(saved: unknown): ModelMemory {
  const { summary, turn, cost } = objectOf(saved);
  return {
    ...readSummary(summary),
    ...readTurn(turn),
    ...readCost(cost),
  };
}

function readSummary(saved: unknown): Pick<ModelMemory, 'summary'> {
  const text = textOf(objectOf(saved)['text']);
  const fromTurn = textOf(objectOf(saved)['fromTurn']);
  return text === undefined || fromTurn === undefined ? {} : { summary: { text, fromTurn } };
}

function readTurn(saved: unknown): Pick<ModelMemory, 'turn'> {
  const id = textOf(objectOf(saved)['id']);
  if (id === undefined) return {};
  const messages = objectsOf(objectOf(saved)['messages']);
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- this agent wrote the messages; `hasRole` checks their roles
  return { turn: { id, messages: messages.filter(hasRole) as unknown as ModelMessage[] } };
}

const hasRole = (message: unknown): boolean =>
  isObject(message) && ['user', 'assistant', 'tool'].includes(String(message['role']));

function readCost(saved: unknown): Pick<ModelMemory, 'cost'> {
  const amount = numberOf(objectOf(saved)['amount']);
  const currency = textOf(objectOf(saved)['currency']);
  return amount === undefined || currency === undefined ? {} : { cost: { amount, currency } };
}
