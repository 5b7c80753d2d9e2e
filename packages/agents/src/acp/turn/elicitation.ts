import { RequestError } from '@agentclientprotocol/sdk';
import type { InputQuestions, InputResponse } from '@agenthost/host/agent';
import { type JsonObject, objectOf, textOf } from '../json.ts';
import { contentOf, readQuestions, UnknownForm } from './elicitation-form.ts';

/** The kinds of elicitation that are offered to agents. */
export const ELICITATION_CAPABILITIES = { form: {}, url: {} };

/** Asks people in the running turn. Returns `undefined` when no turn runs. */
export type AskPeople = (
  questions: InputQuestions,
  withdrawn: AbortSignal,
) => Promise<InputResponse> | undefined;

type Outcome =
  | { action: 'accept'; content?: Record<string, string | number | boolean | string[]> }
  | { action: 'decline' | 'cancel' };

/** The elicitations of one connection (`elicitation/create`). */
export class Elicitations {
  /** Pages that people were asked to open, by the agent's elicitation id. */
  readonly #pages = new Map<string, AbortController>();

  /**
   * Answers a request. The outcome is cancelled when no turn runs, when the turn ends first, or when the
   * agent withdraws the request (`withdrawn`). Rejects with `RequestError` for an invalid request.
   */
  async create(params: JsonObject, withdrawn: AbortSignal, ask: AskPeople): Promise<Outcome> {
    if (params['mode'] === 'url') return this.#page(params, withdrawn, ask);
    // Agents that only support forms may omit the mode.
    if (params['mode'] !== undefined && params['mode'] !== 'form')
      throw refused('mode: expected form or url');
    const questions = questionsOf(params);
    const given = await ask(
      { ...messageOf(params), ...(questions.length === 0 ? {} : { questions }) },
      withdrawn,
    );
    if (given?.response !== 'accept') return { action: given?.response ?? 'cancel' };
    return { action: 'accept', content: contentOf(given.answers) };
  }

  /** The agent reports that the task on a page is done, so no answer is needed any more. */
  complete(params: JsonObject): void {
    this.#pages.get(textOf(params['elicitationId']) ?? '')?.abort();
  }

  async #page(params: JsonObject, withdrawn: AbortSignal, ask: AskPeople): Promise<Outcome> {
    const url = webPage(params['url']);
    if (url === undefined) throw refused('url: expected an http or https URL');
    const id = textOf(params['elicitationId']);
    const done = new AbortController();
    if (id !== undefined) this.#pages.set(id, done);
    try {
      const given = await ask({ ...messageOf(params), url }, AbortSignal.any([withdrawn, done.signal]));
      return { action: done.signal.aborted ? 'accept' : (given?.response ?? 'cancel') };
    } finally {
      if (id !== undefined && this.#pages.get(id) === done) this.#pages.delete(id);
    }
  }
}

function questionsOf(params: JsonObject): ReturnType<typeof readQuestions> {
  try {
    return readQuestions(objectOf(params['requestedSchema']));
  } catch (error) {
    if (error instanceof UnknownForm) throw refused(error.message);
    throw error;
  }
}

function messageOf(params: JsonObject): { message?: string } {
  const message = textOf(params['message']);
  return message === undefined ? {} : { message };
}

/** Clients open the URL on a click, so only web pages are accepted. */
function webPage(value: unknown): string | undefined {
  const text = textOf(value);
  if (text === undefined || !URL.canParse(text)) return undefined;
  return ['http:', 'https:'].includes(new URL(text).protocol) ? text : undefined;
}

const refused = (reason: string): RequestError => RequestError.invalidParams({ reason });
