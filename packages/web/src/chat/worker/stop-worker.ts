import type { DispatchOutcome, SessionHandle } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { text } from '../../text/text.ts';
import { reportOutcome } from '../report-outcome.ts';

/** Cancels the running turn of a worker chat, and tells the person when the host does not. The chat need not be open. */
export function stopWorker(session: Pick<SessionHandle, 'openChat'>, chat: URI): Promise<void> {
  return reportOutcome(text.chat.stopWorker, cancelTurn(session, chat));
}

async function cancelTurn(session: Pick<SessionHandle, 'openChat'>, chat: URI): Promise<DispatchOutcome> {
  const worker = await session.openChat(chat, { turns: 1 });
  try {
    return await worker.cancel();
  } finally {
    worker.dispose();
  }
}
