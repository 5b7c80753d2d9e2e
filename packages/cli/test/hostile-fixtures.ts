// Hostile text of other people in every field that a renderer shows.
import type {
  ChatInputQuestion,
  ChatInputRequest,
  ChatSummary,
  ResponsePart,
  SessionSummary,
  ToolCallConfirmationState,
  ToolCallState,
  Turn,
} from '@agenthost/protocol';
import { completedTurn } from '@agenthost/testkit';
import fc from 'fast-check';
import { expect } from 'vitest';

/**
 * Control characters, direction marks and zero-width characters. Independent of the program's own list, so that the tests check that list.
 */
const FORBIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0001}-\u{e007f}]/u;

const ESC = '\u001b';
export const hostile = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('title', ' a ', 'ä', '日本', '`', '**', '<b>', '&#27;', '\\') },
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          `${ESC}[31m`,
          `${ESC}[2J`,
          `${ESC}[8m`,
          `${ESC}]0;owned\u0007`,
          `${ESC}]52;c;ZXZpbA==${ESC}\\`,
          `${ESC}]8;;http://evil.example\u0007`,
          `${ESC}P+q544e${ESC}\\`,
          `${ESC}_Gi=1;AAAA${ESC}\\`,
          `${ESC}(0`,
          `${ESC}c`,
          ESC,
          '\u009b2J',
          '\u009d0;owned\u009c',
          '\u0090q\u009c',
          '\u0085',
          '\r',
          '\r\n',
          '\n',
          '\t',
          '\b\b\b',
          '\u0000',
          '\u007f',
          '\u0007',
          '\u202e',
          '\u2066',
          '\u200f',
          '\u061c',
          '\u200b',
          '\u2060',
          '\ufeff',
          '\u00ad',
          '\u2028',
          '\u2029',
          '\u{e0041}',
          '\ud83d',
        ),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          '[',
          ']',
          ';',
          '0',
          'm',
          ...Array.from({ length: 33 }, (_, code) => String.fromCharCode(127 + code)),
        ),
      },
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(''));

export const harmless = (text: string, where: string): void =>
  expect(FORBIDDEN.exec(text)?.[0], where).toBeUndefined();

const at = '2026-01-01T00:00:00.000Z';
export const summary = (evil: string): SessionSummary => ({
  resource: `ahp-session:/${evil}`,
  provider: evil,
  title: evil,
  activity: evil,
  status: 1,
  createdAt: evil,
  modifiedAt: evil,
  workingDirectories: [`file:///${encodeURIComponent(evil.replace(/\p{Surrogate}/gu, ''))}`],
  project: { uri: `file:///${evil}`, displayName: evil },
});
export const chatOf = (evil: string): ChatSummary => ({
  resource: `ahp-chat:/${evil}`,
  title: evil,
  status: 1,
  modifiedAt: at,
  origin: { kind: 'fork', chat: `ahp-chat:/${evil}`, turnId: evil },
});
const call = (evil: string) =>
  ({
    toolCallId: evil,
    toolName: 'terminal',
    displayName: evil,
    intention: evil,
    invocationMessage: evil,
    toolInput: evil,
  }) as const;
export const edit = (evil: string) =>
  ({
    before: { uri: `file:///${evil}`, content: { uri: evil } },
    after: { uri: evil, content: { uri: evil } },
  }) as const;
export const calls = (evil: string): ToolCallState[] => [
  { ...call(evil), status: 'running', confirmed: 'setting' },
  {
    ...call(evil),
    status: 'completed',
    confirmed: 'user-action',
    success: true,
    pastTenseMessage: evil,
    content: [
      { type: 'text', text: evil },
      {
        type: 'terminal',
        resource: `ahp-terminal:/${evil}`,
        title: evil,
        result: { preview: evil, exitCode: 1 },
      },
      { type: 'embeddedResource', contentType: evil, data: evil },
      { type: 'subagent', resource: `ahp-chat:/${evil}`, title: evil },
      { type: 'fileEdit', ...edit(evil) },
    ],
  },
  {
    ...call(evil),
    status: 'completed',
    confirmed: 'not-needed',
    success: false,
    pastTenseMessage: evil,
    error: { message: evil },
  },
  { ...call(evil), status: 'cancelled', reason: 'denied', reasonMessage: evil },
];
export const waiting = (evil: string): ToolCallConfirmationState[] => [
  {
    ...call(evil),
    status: 'pending-confirmation',
    confirmationTitle: evil,
    options: [{ id: evil, label: evil, kind: 'approve' }],
  },
  { ...call(evil), status: 'pending-confirmation', edits: { items: [edit(evil)] } },
  {
    ...call(evil),
    status: 'pending-result-confirmation',
    confirmed: 'setting',
    success: true,
    pastTenseMessage: evil,
    content: [{ type: 'text', text: evil }],
  },
];
const questions = (evil: string): ChatInputQuestion[] => [
  { id: 'a', kind: 'text', title: evil, message: evil, defaultValue: evil },
  {
    id: 'b',
    kind: 'single-select',
    message: evil,
    options: [{ id: evil, label: evil, description: evil, recommended: true }],
  },
];
export const request = (evil: string): ChatInputRequest => ({
  id: 'r',
  message: evil,
  url: evil,
  questions: questions(evil),
  answers: { a: { state: 'draft', value: { kind: 'text', value: evil } } },
});
export const responseParts = (evil: string): ResponsePart[] => [
  { kind: 'markdown', id: 'm', content: evil },
  {
    kind: 'markdown',
    id: 'l',
    content: `[x](<http://e/${evil}>) ![${evil}](x) \`${evil}\`\n\n\`\`\`${evil}\n${evil}\n\`\`\``,
  },
  { kind: 'reasoning', id: 'r', content: evil },
  ...[...calls(evil), ...waiting(evil)].map((toolCall) => ({ kind: 'toolCall', toolCall }) as const),
  { kind: 'systemNotification', content: evil },
  { kind: 'contentRef', uri: evil },
  { kind: 'inputRequest', request: request(evil), response: 'accept' },
];
export const turnOf = (evil: string): Turn => ({
  ...completedTurn('t'),
  message: {
    text: evil,
    origin: { kind: 'user' },
    attachments: [
      { type: 'resource', label: evil, uri: `file:///${evil}` },
      { type: 'simple', label: evil, modelRepresentation: evil },
      { type: 'embeddedResource', label: evil, contentType: `image/png;${evil}`, data: evil },
    ],
  },
  responseParts: [...responseParts(evil), { kind: 'error', error: { errorType: evil, message: evil } }],
  state: 'error',
});
