import type { ExportedChatHead, ExportedSession, ExportHead } from '@agenthost/protocol';
import type { Block } from './block.ts';
import { pathOf } from './tool-call-blocks.ts';
import { messageBlocks, questionsBlock } from './turn-blocks.ts';

type Facts = readonly (readonly [string, string])[];

/** What a session is called. */
export const sessionName = ({ title, resource }: ExportedSession): string => title || resource;

/** What a chat is called. */
export const chatName = ({ title, resource }: ExportedChatHead): string => title || resource;

/** What there is to know of a session, by name. */
export const sessionFacts = ({ session, exportedAt, host }: ExportHead): Facts =>
  [
    ['Agent', session.provider],
    ['Folder', pathOf(session.workingDirectory)],
    ['Project', session.project?.displayName],
    ['Created', session.createdAt],
    ['Last changed', session.modifiedAt],
    ['Error', session.creationError?.message],
    ['Session', session.resource],
    ['Exported', `${exportedAt} from ${host}`],
  ].flatMap(([name = '', value]) => (value === undefined ? [] : [[name, value] as const]));

/** What there is to know of a chat. */
export function chatFacts({ origin, workingDirectory, modifiedAt }: ExportedChatHead): Facts {
  const begun = { fork: 'as a copy of another chat', tool: 'by a tool call, as a worker' };
  return [
    ['Last changed', modifiedAt],
    ['Folder', pathOf(workingDirectory)],
    ['Begun', origin === undefined || origin.kind === 'user' ? undefined : begun[origin.kind]],
  ].flatMap(([name = '', value]) => (value === undefined ? [] : [[name, value] as const]));
}

/** What waits in a chat: questions, messages to come, a draft. */
export function waitingBlocks({
  inputRequests = [],
  steeringMessage,
  queuedMessages = [],
  draft,
}: ExportedChatHead): Block[] {
  const waiting = [...(steeringMessage === undefined ? [] : [steeringMessage]), ...queuedMessages];
  return [
    ...inputRequests.map((request) => questionsBlock(request, 'not answered yet')),
    ...waiting.map(
      ({ message }): Block => ({
        kind: 'fold',
        summary: `Waits: ${message.text}`,
        blocks: messageBlocks(message),
      }),
    ),
    ...(draft === undefined || (draft.text === '' && draft.attachments === undefined)
      ? []
      : [{ kind: 'fold', summary: `Draft: ${draft.text}`, blocks: messageBlocks(draft) } as const]),
  ];
}
