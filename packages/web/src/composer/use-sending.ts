import {
  ChannelLost,
  type ChatHandle,
  type DispatchOutcome,
  DispatchRejected,
  type Prompt,
} from '@agenthost/client';
import type { AgentSelection, Message, ModelSelection } from '@agenthost/protocol';
import { useCallback, useState } from 'react';
import { messageOf as errorText } from '../live/host-link.ts';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import type { ChatDraft } from './draft/chat-draft.ts';
import { type DraftContent, isEmptyDraft, messageOf } from './draft/draft-content.ts';
import { tellMessageSent } from './message-sent.ts';

/** Where a message goes: a turn of its own, the queue, the running turn, or in the place of an earlier turn. */
export type SendMode = 'prompt' | 'queue' | 'steer' | { readonly replaceTurn: string };

/** Sends drafts of a chat. */
export interface Sending {
  /** Why the last message came back. */
  readonly problem: string | undefined;
  readonly clearProblem: () => void;
  /** Sends the draft and empties the field. A rejected message comes back into the field. */
  readonly send: (mode: SendMode, selection: Selection) => void;
}

/** Model and custom agent of a message. */
export interface Selection {
  readonly model?: ModelSelection | undefined;
  readonly agent?: AgentSelection | undefined;
}

/** Sends drafts of a chat; see `Sending`. */
export function useSending(chat: ChatHandle, draft: ChatDraft): Sending {
  const [problem, setProblem] = useState<string>();
  const send = useCallback(
    (mode: SendMode, selection: Selection): void => {
      if (isEmptyDraft(draft.content)) return;
      const content = draft.take();
      setProblem(undefined);
      const giveBack = (reason: string, taken: DraftContent): void => {
        draft.giveBack(taken);
        setProblem(text.composer.rejected(visibleText(reason)));
      };
      void deliver(chat, mode, messageOf(content, selection)).then((reason) => {
        if (reason !== undefined) giveBack(reason, content);
      });
      draft.clearShared();
      tellMessageSent(chat);
    },
    [chat, draft],
  );
  return { problem, clearProblem: useCallback(() => setProblem(undefined), []), send };
}

/** Resolves with the reason when the host did not take the message. */
async function deliver(chat: ChatHandle, mode: SendMode, message: Message): Promise<string | undefined> {
  if (mode === 'queue') return reasonOf(await chat.enqueue(message));
  if (mode === 'steer') return reasonOf(await chat.steer(message));
  let prompt: Prompt;
  try {
    prompt = mode === 'prompt' ? chat.prompt(message) : await chat.resend(mode.replaceTurn, message);
  } catch (error) {
    return errorText(error);
  }
  try {
    await prompt.result;
    return undefined;
  } catch (error) {
    if (error instanceof DispatchRejected) return error.reason;
    // Any other failure belongs to the turn, which the transcript shows.
    return error instanceof ChannelLost ? text.composer.chatGone : undefined;
  }
}

function reasonOf(outcome: DispatchOutcome): string | undefined {
  switch (outcome.outcome) {
    case 'accepted':
      return undefined;
    case 'rejected':
    case 'dropped':
      return outcome.reason;
    case 'ignored':
      return text.composer.chatGone;
    default:
      return outcome satisfies never;
  }
}
