import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ChannelAction, ChannelKind, ClientAction } from './channels.ts';
import {
  ACTION_CHANNEL,
  CHANNEL_KINDS,
  CLIENT_ACTIONS,
  type ClientActionType,
  isActionType,
  isClientAction,
} from './channels.ts';
import type { StateAction } from './envelope.ts';

/** The actions that clients may dispatch according to the protocol, without their channel. */
const MARKED: Record<ChannelKind, string> = {
  root: 'configChanged',
  session:
    'titleChanged isReadChanged isArchivedChanged activeClientSet activeClientRemoved customizationToggled ' +
    'mcpServerStartRequested mcpServerStopRequested mcpServerBackgroundRequested configChanged ' +
    'workingDirectorySet workingDirectoryRemoved workingDirectoryReplaced',
  chat:
    'turnStarted toolCallConfirmed toolCallComplete toolCallResultConfirmed toolCallContentChanged turnCancelled ' +
    'turnResume truncated pendingMessageSet pendingMessageRemoved queuedMessagesReordered draftChanged inputAnswerChanged ' +
    'inputCompleted isReadChanged isArchivedChanged workingDirectorySet workingDirectoryRemoved',
  terminal: 'input resized claimed titleChanged cleared',
  changeset: 'filesReviewChanged',
  annotations: 'set updated removed entrySet entryRemoved',
  resourceWatch: '',
  automation: 'createRequested updateRequested removed',
  automationRun: 'cancelRequested',
  canvas: '',
};

describe('the actions that clients may dispatch', () => {
  it('[ACT-3] are exactly the marked actions of the protocol', () => {
    const marked = Object.entries(MARKED).flatMap(([kind, names]) =>
      names
        .split(' ')
        .filter((name) => name !== '')
        .map((name) => `${kind}/${name}`),
    );
    expect(CLIENT_ACTIONS.toSorted()).toEqual(marked.toSorted());
    expect(marked).toHaveLength(47);
    expectTypeOf<ClientAction['type']>().toEqualTypeOf<ClientActionType>();
  });

  it('[ACT-3] do not include session/defaultChatChanged, unknown names and inherited names', () => {
    const names = ['session/defaultChatChanged', 'chat/delta', 'x-own/action', 'toString', ''];
    expect(names.filter(isClientAction)).toEqual([]);
    expect(isClientAction('chat/turnStarted')).toBe(true);
  });
});

describe('the channel of each action', () => {
  it('is the prefix of its name', () => {
    for (const [type, kind] of Object.entries(ACTION_CHANNEL)) expect(type.split('/')[0]).toBe(kind);
  });

  it('is known for every action, and every kind of channel has actions', () => {
    expectTypeOf<keyof typeof ACTION_CHANNEL>().toEqualTypeOf<StateAction['type']>();
    expectTypeOf<ChannelAction[ChannelKind]>().toEqualTypeOf<StateAction>();
    expectTypeOf<(typeof CHANNEL_KINDS)[number]>().toEqualTypeOf<ChannelKind>();
    expect([...new Set(Object.values(ACTION_CHANNEL))].toSorted()).toEqual(CHANNEL_KINDS.toSorted());
  });

  it('[ACT-6] is unknown for types outside the protocol', () => {
    expect(['future/action', 'x-own/action', '__proto__', 'constructor'].filter(isActionType)).toEqual([]);
  });
});

const schemaFile = fileURLToPath(
  new URL('../../../../../shared/protocol/1.0.0/schema.json', import.meta.url),
);
const hasSchema = existsSync(schemaFile);
if (!hasSchema) console.warn(`skipped: the protocol's schema is not at ${schemaFile}`);

it.runIf(process.env.REQUIRE_ALL === '1')('the schema of the protocol exists', () => {
  expect(hasSchema, schemaFile).toBe(true);
});

describe.skipIf(!hasSchema)('compared with the schema of the protocol', () => {
  const text = hasSchema ? readFileSync(schemaFile, 'utf8') : '{"$defs":{}}';
  const definitions: Record<string, { properties?: Record<string, { const?: unknown }> }> =
    JSON.parse(text).$defs;

  it('every action of this package is one of the schema', () => {
    const types = Object.entries(definitions)
      .filter(([name]) => name.endsWith('Action'))
      .map(([, definition]) => definition.properties?.type?.const)
      .filter((type) => typeof type === 'string');
    expect(Object.keys(ACTION_CHANNEL).filter((type) => !types.includes(type))).toEqual([]);
  });
});
