import { RequestError } from '@agentclientprotocol/sdk';
import type { InputQuestions, InputResponse } from '@agenthost/host/agent';
import { type JsonObject, objectOf, textOf } from '../json.ts';
import { contentOf, readQuestions, UnknownForm } from './elicitation-form.ts';

/** What agents are told that people can be asked. */
export const ELICITATION_CAPABILITIES = { form: {}, url: {} };

/** Asks people in the turn that runs; `undefined` when none does. */
export type AskPeople = (
  questions: InputQuestions,
  withdrawn: AbortSignal,
) => Promise<InputResponse> | undefined;

type Outcome =
  | { action: 'accept'; content?: Record<string, string | number | boolean | string[]> }
  | { action: 'decline' | 'cancel' };

/** The elicitations of one connection: what agents ask people by `elicitation/create`. */
export class Elicitations {
  /** Pages that people were asked to open, by the agent's id of the elicitation. */
  readonly #pages = new Map<string, AbortController>();

  /**
   * Answers a request. Cancelled when no turn runs whose people could be asked, when the turn ends first, and when the agent takes
   * the request back (`withdrawn`). Rejects with `RequestError` when it asks for what cannot be asked.
   */
  async create(params: JsonObject, withdrawn: AbortSignal, ask: AskPeople): Promise<Outcome> {
    if (params['mode'] === 'url') return this.#page(params, withdrawn, ask);
    // Agents that know of forms alone may leave the mode out.
    if (params['mode'] !== undefined && params['mode'] !== 'form') throw refused('unknown mode');
    const questions = questionsOf(params);
    const given = await ask(
      { ...messageOf(params), ...(questions.length === 0 ? {} : { questions }) },
      withdrawn,
    );
    if (given?.response !== 'accept') return { action: given?.response ?? 'cancel' };
    return { action: 'accept', content: contentOf(given.answers) };
  }

  /** The agent says that what it asked people to do on a page is done: nobody has to answer any more. */
  complete(params: JsonObject): void {
    this.#pages.get(textOf(params['elicitationId']) ?? '')?.abort();
  }

  async #page(params: JsonObject, withdrawn: AbortSignal, ask: AskPeople): Promise<Outcome> {
    const url = webPage(params['url']);
    if (url === undefined) throw refused('url is no page of the web');
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

/** Clients open it on a click, so nothing but a page of the web gets through. */
function webPage(value: unknown): string | undefined {
  const text = textOf(value);
  if (text === undefined || !URL.canParse(text)) return undefined;
  return ['http:', 'https:'].includes(new URL(text).protocol) ? text : undefined;
}

const refused = (reason: string): RequestError => RequestError.invalidParams({ reason });
