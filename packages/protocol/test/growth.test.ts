import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ChatState,
  type ChatSummary,
  chatTotals,
  newestChange,
  type ResponsePart,
  reduceMirrored,
  type SessionState,
  type StateAction,
  type ToolCallState,
} from '../src/index.ts';

const AT = '2026-01-01T00:00:00.000Z';

/** A copy of the object that counts reads of its members. */
function counted<T extends object>(value: T, reads: { count: number }): T {
  const copy: T = { ...value };
  for (const [key, member] of Object.entries(value)) {
    Object.defineProperty(copy, key, {
      enumerable: true,
      get: () => {
        reads.count += 1;
        return member;
      },
    });
  }
  return copy;
}

const call = (id: string, status: 'running' | 'completed' | 'pending-confirmation'): ResponsePart => {
  const base = { toolCallId: id, toolName: 'edit', displayName: 'Edit', invocationMessage: 'Edit' };
  const done = { confirmed: 'not-needed' as const, success: true, pastTenseMessage: 'Edited' };
  const toolCall: ToolCallState =
    status === 'running'
      ? { ...base, status, confirmed: 'not-needed' }
      : status === 'completed'
        ? { ...base, ...done, status }
        : { ...base, status };
  return { kind: 'toolCall', toolCall };
};

const chatWith = (responseParts: ResponsePart[]): ChatState => ({
  resource: 'ahp-chat:/one',
  title: '',
  status: 8,
  modifiedAt: AT,
  turns: [],
  activeTurn: { id: 't', startedAt: AT, message: { text: 'go', origin: { kind: 'user' } }, responseParts },
});

const entry = (name: string, status = 1): ChatSummary => ({
  resource: `ahp-chat:/${name}`,
  title: name,
  status,
  modifiedAt: AT,
});

const sessionWith = (chats: ChatSummary[]): SessionState => ({
  provider: 'demo',
  title: 'Garden',
  status: 1,
  lifecycle: 'ready',
  activeClients: [],
  chats,
  defaultChat: 'ahp-chat:/0',
});

/** Number of reads of earlier state by all actions except the first ones. */
function readsOf<K extends 'chat' | 'session'>(
  kind: K,
  initial: K extends 'chat' ? ChatState : SessionState,
  reads: { count: number },
  [first, rest]: readonly [StateAction[], StateAction[]],
): number {
  let state: ChatState | SessionState = initial;
  const step = (action: StateAction): void => {
    state =
      'turns' in state ? reduceMirrored('chat', state, action) : reduceMirrored('session', state, action);
  };
  for (const action of first) step(action);
  reads.count = 0;
  for (const action of rest) step(action);
  return reads.count;
}

const SMALL = 200;
const LARGE = 4 * SMALL;
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

describe('the cost of one more action', () => {
  const oneCall = (id: string): StateAction[] => [
    { type: 'chat/toolCallStart', turnId: 't', toolCallId: id, toolName: 'edit', displayName: 'Edit' },
    {
      type: 'chat/toolCallReady',
      turnId: 't',
      toolCallId: id,
      invocationMessage: 'Edit',
      confirmed: 'not-needed',
    },
    {
      type: 'chat/toolCallComplete',
      turnId: 't',
      toolCallId: id,
      result: { success: true, pastTenseMessage: 'Edited' },
    },
  ];

  it('is the same for the next tool call after 200 and after 800', () => {
    const cost = (count: number): number => {
      const reads = { count: 0 };
      const parts = names(count).map((name) => counted(call(name, 'completed'), reads));
      return readsOf('chat', chatWith(parts), reads, [oneCall('first'), oneCall('second')]);
    };
    expect(cost(LARGE)).toBeLessThanOrEqual(cost(SMALL));
  });

  it('is the same for parallel calls that end in the order of their start', () => {
    const cost = (count: number): number => {
      const reads = { count: 0 };
      const parts = names(count).map((name) => counted(call(name, 'running'), reads));
      return readsOf('chat', chatWith(parts), reads, [oneCall('0').slice(2), oneCall('1').slice(2)]);
    };
    expect(cost(LARGE)).toBeLessThanOrEqual(cost(SMALL));
  });

  it('is the same for a change of one chat of 200 and of 800', () => {
    const cost = (count: number): number => {
      const reads = { count: 0 };
      const chats = names(count).map((name) => counted(entry(name), reads));
      return readsOf('session', sessionWith(chats), reads, [
        [{ type: 'session/chatUpdated', chat: 'ahp-chat:/7', changes: { status: 8 } }],
        [
          { type: 'session/chatUpdated', chat: 'ahp-chat:/9', changes: { status: 8 } },
          { type: 'session/chatAdded', summary: entry('new') },
          { type: 'session/titleChanged', title: 'Meadow' },
        ],
      ]);
    };
    expect(cost(LARGE)).toBeLessThanOrEqual(cost(SMALL));
  });

  it('is the same for each removed chat, last first', () => {
    const cost = (count: number): number => {
      const reads = { count: 0 };
      const chats = names(count).map((name) => counted(entry(name), reads));
      const last = names(count).toReversed();
      const removed = last
        .slice(0, 10)
        .map((name) => ({ type: 'session/chatRemoved' as const, chat: `ahp-chat:/${name}` }));
      return readsOf('session', sessionWith(chats), reads, [removed.slice(0, 1), removed.slice(1)]);
    };
    expect(cost(LARGE)).toBeLessThanOrEqual(cost(SMALL));
  });
});

describe('an index of a list', () => {
  const id = fc.constantFrom('0', '1', '63', 'a', 'b', 'c');
  const toolCallAction: fc.Arbitrary<StateAction> = fc.oneof(
    id.map((toolCallId) => ({
      type: 'chat/toolCallStart' as const,
      turnId: 't',
      toolCallId,
      toolName: 'edit',
      displayName: 'Edit',
    })),
    fc.tuple(id, fc.boolean()).map(([toolCallId, isConfirmed]) => ({
      type: 'chat/toolCallReady' as const,
      turnId: 't',
      toolCallId,
      invocationMessage: 'Edit',
      ...(isConfirmed ? { confirmed: 'not-needed' as const } : {}),
    })),
    fc.tuple(id, fc.boolean()).map(([toolCallId, requiresResultConfirmation]) => ({
      type: 'chat/toolCallComplete' as const,
      turnId: 't',
      toolCallId,
      result: { success: true, pastTenseMessage: 'Edited' },
      requiresResultConfirmation,
    })),
  );
  const status = fc.constantFrom(1, 2, 8, 24);
  const catalogueAction: fc.Arbitrary<StateAction> = fc.oneof(
    fc.tuple(id, status, fc.boolean()).map(([name, bits, isWorker]) => ({
      type: 'session/chatAdded' as const,
      summary: {
        ...entry(name, bits),
        ...(isWorker ? { origin: { kind: 'tool' as const, chat: 'c', toolCallId: 'd' } } : {}),
      },
    })),
    fc.tuple(id, status, fc.nat(5)).map(([name, bits, second]) => ({
      type: 'session/chatUpdated' as const,
      chat: `ahp-chat:/${name}`,
      changes: { status: bits, modifiedAt: `2026-01-01T00:00:0${second}.000Z` },
    })),
    id.map((name) => ({ type: 'session/chatRemoved' as const, chat: `ahp-chat:/${name}` })),
    id.map((name) => ({
      type: 'session/defaultChatChanged' as const,
      defaultChat: `ahp-chat:/${name}`,
    })),
  );

  const inputAction: fc.Arbitrary<StateAction> = fc.oneof(
    id.map((name) => ({ type: 'chat/inputRequested' as const, request: { id: name, message: 'And now?' } })),
    id.map((requestId) => ({ type: 'chat/inputCompleted' as const, requestId, response: 'cancel' as const })),
  );

  /** Applies each action to the grown state and to a fresh copy of it; sometimes to an earlier state. */
  function compare<K extends 'chat' | 'session'>(
    kind: K,
    initial: Parameters<typeof reduceMirrored<K>>[1],
    steps: readonly (readonly [StateAction, number])[],
  ): void {
    const states = [initial];
    for (const [action, back] of steps) {
      const state = states.at(-1 - Math.min(back, states.length - 1)) ?? initial;
      const next = reduceMirrored(kind, state, action);
      expect(next).toEqual(reduceMirrored(kind, structuredClone(state), action));
      if ('chats' in next) {
        const fresh = structuredClone(next.chats);
        expect(chatTotals(next.chats)).toEqual(chatTotals(fresh));
        expect(newestChange(next.chats)).toBe(newestChange(fresh));
      }
      states.push(next);
    }
  }

  const back = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(5) });

  it('does not change tool calls, also after a return to an earlier state', () => {
    const parts = names(64).map((name) => call(name, 'running'));
    fc.assert(
      fc.property(fc.array(fc.tuple(toolCallAction, back), { maxLength: 30 }), (steps) =>
        compare('chat', chatWith(parts), steps),
      ),
    );
  });

  it('does not change input requests, also after a return to an earlier state', () => {
    const parts = names(64).map(
      (name): ResponsePart => ({
        kind: 'inputRequest',
        request: { id: name, message: 'What?' },
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(inputAction, back), { maxLength: 30 }), (steps) =>
        compare('chat', chatWith(parts), steps),
      ),
    );
  });

  it('does not change the chats of a session, also after a return to an earlier state', () => {
    const chats = names(3).map((name) => entry(name));
    fc.assert(
      fc.property(fc.array(fc.tuple(catalogueAction, back), { maxLength: 30 }), (steps) =>
        compare('session', sessionWith(chats), steps),
      ),
    );
  });
});
