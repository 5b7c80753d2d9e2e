import { randomId } from '@agenthost/client';
import { channelUri, type Message, type URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { HostLink } from '../../live/host-link.ts';
import { text } from '../../text/text.ts';
import { showError } from '../../ui/toasts.tsx';
import { reportOutcome } from '../session-actions.ts';
import { createSurely } from './create-surely.ts';

/** The choices for a new session. */
export interface NewSession {
  readonly provider?: string | undefined;
  /** URI. Absent: the host's default folder. */
  readonly folder?: URI | undefined;
  readonly config: Readonly<Record<string, unknown>>;
  /** Empty: the session starts without a message. */
  readonly message: string;
  /** Id of a model. Absent: the agent's default. */
  readonly model?: string | undefined;
}

/**
 * Creates a session and sends its first message. Resolves with the session's URI as soon as the session exists. Rejects like `Sessions.create`; a
 * refused message is shown as an error. Waits for the host when the connection is lost meanwhile.
 */
export async function startSession(
  link: HostLink,
  { provider, folder, config, message, model }: NewSession,
): Promise<URI> {
  if (link.client === undefined) throw new Error(text.newSession.offline);
  const session = await createSurely(link.client, {
    uri: channelUri('session', randomId()),
    ...(folder === undefined ? {} : { workingDirectories: [folder] }),
    ...defined({ provider }),
    config: { ...config },
  });
  const { chat, mirror } = session;
  const first: Message = {
    text: message,
    origin: { kind: 'user' },
    ...(model === undefined ? {} : { model: { id: model } }),
  };
  if (message.trim() !== '') {
    const dispatched = chat.mirror.dispatch({
      type: 'chat/turnStarted',
      turnId: randomId(),
      startedAt: new Date().toISOString(),
      message: first,
    });
    void dispatched.then((outcome) => {
      if (outcome.outcome === 'rejected') showError(text.newSession.messageFailed(outcome.reason));
    });
  } else if (model !== undefined) {
    // The composer takes the model of the draft.
    void reportOutcome(chat.setDraft(first));
  }
  const { uri } = mirror;
  session.dispose();
  return uri;
}
