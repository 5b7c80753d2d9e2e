import {
  type ActiveTurn,
  type Author,
  type ChatInputAnswer,
  type ChatInputQuestion,
  type ExportedAttachments,
  type ExportedChatHead,
  type ExportedSession,
  type ExportHead,
  errorOf,
  type InputRequestResponsePart,
  type Message,
  type MessageAttachment,
  type ResponsePart,
  type Turn,
  textOf,
} from '@agenthost/protocol';
import { byPerson } from '../render/by-person.ts';
import { type Block, bytes, TurnContents } from './blocks.ts';
import { pathOf, toolCallBlock } from './tool-call-blocks.ts';

/** A turn as a page shows it. */
export interface TurnBlocks {
  readonly message: readonly Block[];
  readonly answer: readonly Block[];
}

/** Blocks of an ended or running turn. */
export function turnBlocks(turn: Turn | ActiveTurn, attachments: ExportedAttachments): TurnBlocks {
  const contents = new TurnContents(attachments);
  return {
    message: [...personBlock(turn['x-by']), ...messageBlocks(turn.message, contents)],
    answer: [...turn.responseParts.flatMap((part) => partBlocks(part, contents)), ...endOf(turn)],
  };
}

/** The person behind a message, if it is known. */
const personBlock = (by: Author | undefined): Block[] =>
  by?.person === undefined ? [] : [{ kind: 'line', text: `From ${by.person}` }];

/** A message that waits or is being written, for instance. */
export function messageBlocks(message: Message, contents = new TurnContents({})): Block[] {
  return [
    { kind: 'markdown', text: message.text },
    ...(message.attachments ?? []).map((attachment) => attachmentBlock(attachment, contents)),
  ];
}

function attachmentBlock(attachment: MessageAttachment, contents: TurnContents): Block {
  const { label } = attachment;
  switch (attachment.type) {
    case 'simple':
      return attachment.modelRepresentation === undefined
        ? { kind: 'line', text: `Attached: ${label}` }
        : { kind: 'code', label: `Attached: ${label}`, text: attachment.modelRepresentation };
    case 'embeddedResource':
      return bytes(`Attached: ${label}`, attachment.contentType, attachment.data);
    case 'resource': {
      const { uri, selection } = attachment;
      const lines =
        selection === undefined ? '' : linesOf(selection.range.start.line, selection.range.end.line);
      return contents.reference(`Attached: ${pathOf(uri) ?? label}${lines}`, attachment);
    }
    case 'annotations':
      return { kind: 'line', text: `Attached: ${label} (annotations)` };
    case 'chat':
      return { kind: 'line', text: `Attached: ${label} (chat)` };
    default:
      return { kind: 'line', text: `Attached: ${label}` };
  }
}

const linesOf = (start: number, end: number): string =>
  start === end ? `, line ${start + 1}` : `, lines ${start + 1} to ${end + 1}`;

function partBlocks(part: ResponsePart, contents: TurnContents): Block[] {
  switch (part.kind) {
    case 'markdown':
      return part.content.trim() === '' ? [] : [{ kind: 'markdown', text: part.content }];
    case 'reasoning':
      return [{ kind: 'fold', summary: 'Reasoning', blocks: [{ kind: 'markdown', text: part.content }] }];
    case 'toolCall':
      return [toolCallBlock(part.toolCall, contents)];
    case 'contentRef':
      return [contents.reference('Content', part)];
    case 'systemNotification':
      return [{ kind: 'line', text: textOf(part.content) }];
    case 'inputRequest':
      return [questionsBlock(part)];
    default:
      return [{ kind: 'line', text: 'A part of a kind unknown to this version' }];
  }
}

const RESPONSE_WORDS = { accept: 'answered', decline: 'declined', cancel: 'dismissed' } as const;

/** Questions and what was answered. */
function questionsBlock({ request, response, 'x-answeredBy': by }: InputRequestResponsePart): Block {
  const outcome = response === undefined ? 'not answered' : RESPONSE_WORDS[response];
  const { message, url, questions = [], answers = {} } = request;
  return {
    kind: 'fold',
    summary: `Asked: ${message ?? questions[0]?.message ?? url ?? 'something'} (${outcome}${response === undefined ? '' : byPerson(by)})`,
    blocks: [
      ...(url === undefined ? [] : [{ kind: 'line', text: url } as const]),
      ...questions.map((question): Block => {
        const answer = Object.hasOwn(answers, question.id) ? answers[question.id] : undefined;
        const { title } = question;
        const asked = title === undefined ? question.message : `${title}: ${question.message}`;
        return { kind: 'line', text: `${asked} → ${answerText(question, answer)}` };
      }),
    ],
  };
}

function answerText(question: ChatInputQuestion, answer: ChatInputAnswer | undefined): string {
  if (answer === undefined) return '(no answer)';
  if (answer.state === 'skipped') return ['(skipped)', ...(answer.freeformValues ?? [])].join(' ');
  const { value } = answer;
  const labelOf = (id: string): string =>
    ('options' in question ? question.options.find((option) => option.id === id)?.label : undefined) ?? id;
  const free = 'freeformValues' in value ? (value.freeformValues ?? []) : [];
  switch (value.kind) {
    case 'selected':
      return [labelOf(value.value), ...free].join(', ');
    case 'selected-many':
      return [...value.value.map(labelOf), ...free].join(', ');
    case 'boolean':
      return value.value ? 'yes' : 'no';
    default:
      return String(value.value);
  }
}

function endOf(turn: Turn | ActiveTurn): Block[] {
  if (!('state' in turn))
    return [{ kind: 'line', text: 'This turn was still running at the time of the export.' }];
  if (turn.state === 'cancelled')
    return [{ kind: 'line', text: `Cancelled${byPerson(turn['x-cancelledBy'])}.` }];
  if (turn.state === 'complete') return [];
  return [{ kind: 'error', text: errorOf(turn)?.message ?? 'The turn failed' }];
}

type Facts = readonly (readonly [string, string])[];

/** Display name of a session. */
export const sessionName = ({ title, resource }: ExportedSession): string => title || resource;

/** Display name of a chat. */
export const chatName = ({ title, resource }: ExportedChatHead): string => title || resource;

const pathsOf = (uris: readonly string[] | undefined): string | undefined => uris?.map(pathOf).join(', ');

/** Facts about a session, by name. */
export const sessionFacts = ({ session, exportedAt, host }: ExportHead): Facts =>
  [
    ['Agent', session.provider],
    ['Folder', pathsOf(session.workingDirectories)],
    ['Project', session.project?.displayName],
    ['Created', session.createdAt],
    ['Last changed', session.modifiedAt],
    ['Error', session.creationError?.message],
    ['Session', session.resource],
    ['Exported', `${exportedAt} from ${host}`],
  ].flatMap(([name = '', value]) => (value === undefined ? [] : [[name, value] as const]));

/** Facts about a chat. */
export function chatFacts({ origin, workingDirectories, modifiedAt }: ExportedChatHead): Facts {
  const begun = {
    fork: 'as a copy of another chat',
    sideChat: 'beside another chat, which its agent knows',
    tool: 'by a tool call, as a worker',
  };
  return [
    ['Last changed', modifiedAt],
    ['Folder', pathsOf(workingDirectories)],
    ['Begun', origin === undefined || origin.kind === 'user' ? undefined : begun[origin.kind]],
  ].flatMap(([name = '', value]) => (value === undefined ? [] : [[name, value] as const]));
}

/** Pending content of a chat: queued messages and the draft. */
export function waitingBlocks({ steeringMessage, queuedMessages = [], draft }: ExportedChatHead): Block[] {
  const waiting = [...(steeringMessage === undefined ? [] : [steeringMessage]), ...queuedMessages];
  return [
    ...waiting.map(
      ({ message, 'x-by': by }): Block => ({
        kind: 'fold',
        summary: `Waits: ${message.text}`,
        blocks: [...personBlock(by), ...messageBlocks(message)],
      }),
    ),
    ...(draft === undefined || (draft.text === '' && draft.attachments === undefined)
      ? []
      : [{ kind: 'fold', summary: `Draft: ${draft.text}`, blocks: messageBlocks(draft) } as const]),
  ];
}
