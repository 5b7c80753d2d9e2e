import { setTimeout as pause } from 'node:timers/promises';
import type { Mirror } from '@agenthost/client';
import { type ChatState, openRequests } from '@agenthost/protocol';
import { approved, openCalls, resultJudged, turnStarted } from '@agenthost/testkit';
import type { Doer } from './doer.ts';

/** Prompts of the demo agent that need several deeds of people one after another, which random deeds seldom complete. */
const PROMPTS = [
  '\ntool look {"at":"it"}',
  'ask result; ask; ask twice',
  'question text; question text',
  'fail on purpose; big 300; big 300',
  '\ndelegate stream 30 every 3\ndelegate stream 10 every 3',
] as const;

/** A person who answers everything that one turn asks for, until the turn ends. */
export class PatientUser {
  readonly #doers: readonly Doer[];
  readonly #session: string;
  #last: string | undefined;

  constructor(doers: readonly Doer[], session: string) {
    this.#doers = doers;
    this.#session = session;
  }

  /**
   * Completes one of the prompts in a new chat, which no random deed reaches before the next kill, and disposes of the chat of the round before.
   * Needs a host that asks for approvals.
   */
  async play(round: number): Promise<void> {
    const doer = this.#doers[round % this.#doers.length];
    if (doer === undefined) throw new Error('nobody plays');
    doer.dispatch(this.#session, {
      type: 'session/activeClientSet',
      activeClient: { clientId: doer.name, tools: [{ name: 'look' }] },
    });
    if (this.#last !== undefined) await doer.client.request('disposeChat', { channel: this.#last });
    const uri = `ahp-chat:/patient-${round}`;
    this.#last = uri;
    await doer.client.request('createChat', { channel: this.#session, chat: uri });
    const chat = await doer.client.subscribe(uri, { kind: 'chat' });
    try {
      doer.dispatch(uri, turnStarted(`patient-${round}`, PROMPTS[round % PROMPTS.length]));
      await this.#untilDone(doer, chat);
    } finally {
      chat.dispose();
    }
  }

  async #untilDone(doer: Doer, chat: Mirror<'chat'>): Promise<void> {
    const goneOn = new Set<string>();
    for (;;) {
      await Promise.all(this.#doers.map((each) => each.settled()));
      await doer.client.ping();
      const state = chat.confirmed;
      const last = state.turns.at(-1);
      if (state.activeTurn !== undefined) this.#goOn(doer, chat.uri, state, goneOn);
      else if (last?.state === 'error' && !goneOn.has(last.id)) {
        goneOn.add(last.id);
        doer.dispatch(chat.uri, { type: 'chat/turnResume', turnId: last.id });
      } else if (last !== undefined) return;
      await pause(5);
    }
  }

  /** `goneOn`: ids of the calls that got partial content, and of resumed turns. */
  #goOn(doer: Doer, uri: string, state: ChatState, goneOn: Set<string>): void {
    const turnId = state.activeTurn?.id ?? '';
    for (const { status, toolCallId, contributor } of openCalls(state))
      if (status === 'pending-confirmation') doer.dispatch(uri, approved(turnId, toolCallId));
      else if (status === 'pending-result-confirmation')
        doer.dispatch(uri, resultJudged(turnId, toolCallId, true));
      else if (contributor?.kind === 'client') {
        const owner = this.#doers.find(({ name }) => name === contributor.clientId);
        const content = [{ type: 'text' as const, text: 'seen' }];
        if (!goneOn.has(toolCallId))
          owner?.dispatch(uri, { type: 'chat/toolCallContentChanged', turnId, toolCallId, content });
        else
          owner?.dispatch(uri, {
            type: 'chat/toolCallComplete',
            turnId,
            toolCallId,
            result: { success: true, pastTenseMessage: 'Looked', content },
          });
        goneOn.add(toolCallId);
      }
    for (const { id: requestId, questions = [] } of openRequests(state)) {
      const [question] = questions;
      if (question === undefined) throw new Error(`no question in ${requestId}`);
      const answer = { state: 'submitted', value: { kind: 'text', value: 'yes' } } as const;
      // The host rejects the first answer.
      for (const questionId of ['no such question', question.id])
        doer.dispatch(uri, { type: 'chat/inputAnswerChanged', requestId, questionId, answer });
      doer.dispatch(uri, { type: 'chat/inputCompleted', requestId, response: 'accept' });
    }
  }
}
