import {
  findActionFault,
  invalidParams,
  isWithinScope,
  type StateAction,
  scopeOfAction,
  sizeText,
} from '@agenthost/protocol';
import type { Choice } from '@agenthost/protocol/dialects';
import { validateAction } from '@agenthost/protocol/validate';
import { defined } from '@agenthost/protocol/values';
import { type Plan, type Rejection, reject } from '../../handler-port/channel-module.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { Connection } from '../connection/connection.ts';
import { scopeRefusal, scopeSentence } from './caller.ts';

// Clients of 0.4 choose a model and an agent for a session or chat. Later versions name them in each message [DIA-1].

/** A choice as a client sends it. */
interface Given {
  readonly model?: unknown;
  readonly agent?: unknown;
}

/** Plans a choice for a session. It is kept, put into later messages of clients of 0.4, and shown to these clients alone. */
export function planChoice(
  sync: Sync,
  connection: Connection,
  { session, action, given }: { session: Channel<'session'>; action: StateAction; given: Given },
): Plan<'session'> | Rejection {
  if ('model' in given && given.model === undefined) return reject('invalidAction', 'model is missing');
  const checked = checkedChoice(given);
  if ('code' in checked) return checked;
  const { scope } = connection.identity;
  if (!isWithinScope(scope, checked.least)) {
    const refusal = scopeRefusal(action.type, {}, { held: scope, needed: checked.least });
    return reject('permissionDenied', scopeSentence(refusal), refusal);
  }
  return {
    isPrivate: true,
    // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- an action of 0.4, on its way back to clients of 0.4
    action: action as never,
    before: (tx) => {
      // A field of `given` that is `undefined` ends the earlier choice.
      const { model, agent } = session.hostData.chosen ?? {};
      const kept = defined({
        model: 'model' in given ? undefined : model,
        agent: 'agent' in given ? undefined : agent,
      });
      tx.setHostData(session, { ...session.hostData, chosen: { ...kept, ...checked.choice } });
      for (const { sink } of session.subscriptions.values())
        if (sink !== connection && isOld(sink)) sync.sendPrivate(sink, { channel: session.uri, action });
    },
  };
}

const isOld = (sink: unknown): boolean =>
  sink instanceof Connection && sink.isOnline && sink.translator.dialect.hasChoices;

/** Returns the function that keeps the choice with which a session or chat is created; `undefined`: there is none. Throws if it is invalid. */
export function firstChoice(
  connection: Connection,
  method: string,
  params: unknown,
): ((tx: Tx, sync: Sync) => void) | undefined {
  if (!connection.translator.dialect.hasChoices) return undefined;
  const { channel, chat, model, agent } = Object(params);
  const uri = method === 'createSession' ? channel : method === 'createChat' ? chat : undefined;
  const given = defined({ model, agent });
  if (uri === undefined || Object.keys(given).length === 0) return undefined;
  const checked = checkedChoice(given);
  if ('code' in checked) throw invalidParams(checked.reason);
  const { choice: chosen } = checked;
  return (tx, sync) => {
    const created = sync.registry.get(uri);
    if (created?.is('session') || created?.is('chat'))
      tx.setHostData(created, { ...created.hostData, chosen });
  };
}

/** Checks a choice as the draft that has it in later versions. */
function checkedChoice(given: Given): { choice: Choice; least: ReturnType<typeof leastOf> } | Rejection {
  const message = { text: '', origin: { kind: 'user' }, ...defined({ ...given }) };
  const checked = validateAction({ type: 'chat/draftChanged', draft: message });
  if (!checked.ok) return reject('invalidAction', checked.error);
  const { action } = checked;
  const fault = findActionFault(action);
  if (fault !== undefined) return reject('tooLarge', sizeText(fault), fault);
  const draft = action.type === 'chat/draftChanged' ? action.draft : undefined;
  return { choice: defined({ model: draft?.model, agent: draft?.agent }), least: leastOf(action) };
}

const leastOf = (action: StateAction) => scopeOfAction(action) ?? 'interact';
