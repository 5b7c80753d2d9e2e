import { pathToFileURL } from 'node:url';
import type { ExportPart, ImportedTurn, ImportSource, SessionHandle } from '@agenthost/client';
import type { ExportedChatHead, ExportedSession, ResponsePart, Turn } from '@agenthost/protocol';
import { openRequests } from '@agenthost/protocol';
import { completedTurn, markdownOf, userMessage } from '@agenthost/testkit';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { quickly, Stage, seen } from '../terminals/stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open();
});

afterEach(() => stage.close());

async function exported(uri: string): Promise<ExportPart[]> {
  const parts: ExportPart[] = [];
  for await (const part of stage.asking.sessions.export(uri)) parts.push(part);
  return parts;
}

/** Turns exported parts into the source of an import. */
function sourceOf(parts: readonly ExportPart[]): ImportSource & { readonly turns: ImportedTurn[] } {
  let session: ExportedSession | undefined;
  const chats: ExportedChatHead[] = [];
  const turns: ImportedTurn[] = [];
  for (const part of parts) {
    const chat = chats.at(-1)?.resource ?? '';
    if (part.type === 'session') ({ session } = part.head);
    else if (part.type === 'chat') chats.push(part.chat);
    else if (part.type === 'turn') turns.push({ chat, turn: part.turn });
    else turns.push({ chat, openTurn: part.turn });
  }
  if (session === undefined) throw new Error('no session in it');
  return { session, chats, turns };
}

/** An export without times and with URIs replaced by numbers in their order. Exports of a session and of its copy are equal. */
function comparable(parts: readonly ExportPart[]): unknown {
  const names = new Map<string, string>();
  const times = new Set(['createdAt', 'modifiedAt', 'exportedAt']);
  return JSON.parse(
    JSON.stringify(parts, (key, value: unknown) => {
      // A file does not decide the agent's settings; the host does.
      if (times.has(key) || key === 'askBeforeWriting') return undefined;
      // The agent of a copy did not begin its turns, so it cannot resume them [CHAT-22].
      if (key === 'resumable') return undefined;
      // A copy has terminals of its own.
      if (key === 'resource' && String(value).startsWith('ahp-terminal:')) return undefined;
      if (typeof value !== 'string' || !/^(?:ahp-[a-z]+|agenthost-content):\//.test(value)) return value;
      const name = names.get(value) ?? `uri-${names.size}`;
      names.set(value, name);
      return name;
    }),
  );
}

async function ready(session: SessionHandle): Promise<SessionHandle> {
  await seen(session.mirror, ({ lifecycle }) => lifecycle === 'ready' || undefined);
  return session;
}

/** Too large to stay inside its message. */
const PHOTO = {
  type: 'embeddedResource',
  label: 'photo.png',
  contentType: 'image/png',
  data: Buffer.alloc(600_000, 0xf0).toString('base64'),
} as const;

/** A session with every kind of content that the demo agent can produce. */
async function rich(): Promise<SessionHandle> {
  const { asking } = await stage.session();
  await asking.prompt(quickly('reason look first; say **here**; write a.txt one; edit a.txt two; read a.txt'))
    .result;
  await asking.prompt(
    quickly('tool weather {"city":"Zurich"}\nlist\ndelegate 2 say I am at it\nbig 300\nusage 3 4'),
  ).result;
  await asking.prompt(quickly('run echo hello\nnotify one thing; fail it broke')).result;
  const asked = asking.prompt({
    ...quickly('question text single'),
    attachments: [
      { type: 'simple', label: 'note', modelRepresentation: 'a note' },
      { type: 'embeddedResource', label: 'dot.png', data: 'iVBORw0KGgo=', contentType: 'image/png' },
      PHOTO,
    ],
  });
  const request = await seen(asking.chat.mirror, (state) => openRequests(state)[0]);
  await asking.chat.inputRequest(request.id).accept({ name: 'Sour', size: 'large' });
  await asked.result;
  const draft = { ...userMessage('what about'), attachments: [PHOTO] };
  await asking.chat.mirror.dispatch({ type: 'chat/draftChanged', draft });
  return asking;
}

describe('an exported session', () => {
  test('comes back unchanged except for ids, times and settings of its agent, a second time too', async () => {
    const session = await rich();
    await session.rename('Bread');
    await session.setMetadata({ ticket: '42' });
    const first = await exported(session.uri);
    const copies = [
      await stage.asking.sessions.import(sourceOf(first)),
      await stage.asking.sessions.import(sourceOf(first)),
    ];
    for (const copy of copies) {
      await ready(copy);
      expect(comparable(await exported(copy.uri))).toEqual(comparable(first));
    }
    const uris = [session, ...copies].flatMap(({ mirror }) => [
      mirror.uri,
      ...mirror.confirmed.chats.map(({ resource }) => resource),
    ]);
    expect(new Set(uris).size).toBe(uris.length);
    expect(uris).toHaveLength(12);
    // The copies do not need contents of the original.
    await stage.asking.sessions.dispose(session.uri);
    const [copy] = copies;
    expect(comparable(await exported(copy?.uri ?? ''))).toEqual(comparable(first));
  });

  test('comes back with any text', async () => {
    const folder = pathToFileURL(stage.folder).href;
    const { config: _, ...empty } = sourceOf(await exported((await stage.session()).asking.uri)).session;
    const text = fc.oneof(fc.string(), fc.constantFrom('ahp-chat:/a', '</details>', '\u0000\u001b[2J'));
    const part = fc.oneof(
      fc.record({ kind: fc.constantFrom('markdown', 'reasoning'), id: fc.uuid(), content: text }),
      fc.record({ kind: fc.constant('systemNotification'), content: text }),
    ) as fc.Arbitrary<ResponsePart>;
    const turn: fc.Arbitrary<Turn> = fc
      .record({ said: text, parts: fc.array(part, { maxLength: 3 }), isCut: fc.boolean() })
      .map(({ said, parts, isCut }) => ({
        id: 'set below',
        message: userMessage(said),
        responseParts: parts,
        state: isCut ? 'cancelled' : 'complete',
      }));
    const chats = fc.array(fc.array(turn, { maxLength: 45 }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(chats, async (contents) => {
        const heads = contents.map(
          (__, index): ExportedChatHead => ({
            resource: `ahp-chat:/${index}`,
            title: `chat ${index}`,
            status: 1,
            modifiedAt: '2026-01-01T00:00:00.000Z',
            ...(index === 0
              ? { origin: { kind: 'user' } }
              : { origin: { kind: 'fork', chat: 'ahp-chat:/0', turnId: '0-0' } }),
          }),
        );
        const turns = contents.flatMap((list, chat) =>
          list.map((each, index) => ({
            chat: `ahp-chat:/${chat}`,
            turn: { turn: { ...each, id: `${chat}-${index}` } },
          })),
        );
        const session = { ...empty, workingDirectories: [folder], defaultChat: 'ahp-chat:/0' };
        const copy = await stage.asking.sessions.import({ session, chats: heads, turns });
        await ready(copy);
        const back = sourceOf(await exported(copy.uri));
        expect(back.turns.map(({ turn: each }) => each)).toEqual(turns.map(({ turn: each }) => each));
        expect(back.chats.map(({ title }) => title)).toEqual(heads.map(({ title }) => title));
        for (const { origin } of back.chats.slice(1))
          expect(origin).toEqual({ kind: 'fork', chat: back.chats[0]?.resource, turnId: '0-0' });
        await stage.asking.sessions.dispose(copy.uri);
      }),
      { numRuns: 15 },
    );
  });

  test('pages, searches, forks and runs turns like any other after its import', async () => {
    const { session } = sourceOf(await exported((await stage.session()).asking.uri));
    const turns = Array.from({ length: 450 }, (_, index) => ({
      chat: session.defaultChat ?? '',
      turn: { turn: completedTurn(`t${index}`, index === 3 ? 'the sourdough rises' : `answer ${index}`) },
    }));
    const chats = [
      { resource: session.defaultChat ?? '', title: '', status: 1, modifiedAt: '2026-01-01T00:00:00Z' },
    ];
    const copy = await ready(await stage.asking.sessions.import({ session, chats, turns }, { turns: 10 }));
    expect(copy.chat.mirror.confirmed.turns.map(({ id }) => id).at(0)).toBe('t440');
    await copy.chat.mirror.fetchOlderTurns();
    expect(copy.chat.mirror.confirmed.turns.at(0)?.id).toBe('t390');
    const { items } = await stage.asking.sessions.search('sourdough rises');
    expect(items).toMatchObject([{ session: { resource: copy.uri }, turnId: 't3', field: 'response' }]);
    expect(sourceOf(await exported(copy.uri)).turns.map(({ turn }) => turn?.turn.id)).toEqual(
      turns.map(({ turn }) => turn.turn.id),
    );
    const fork = await copy.fork('t2');
    expect(fork.chat.mirror.confirmed.turns.map(({ id }) => id)).toEqual(['t0', 't1', 't2']);
    const answer = await copy.prompt(quickly('recall')).result;
    expect(markdownOf(answer)).toContain('prompt of t449');
  });

  test('holds the parts of a running turn so far, and the import ends that turn with a reason', async () => {
    const { asking } = await stage.session();
    const prompt = asking.prompt(quickly('say begun; ask'));
    await seen(asking.chat.mirror, ({ activeTurn }) =>
      activeTurn?.responseParts.some(
        (part) => part.kind === 'toolCall' && part.toolCall.status === 'pending-confirmation',
      ) === true
        ? true
        : undefined,
    );
    const source = sourceOf(await exported(asking.uri));
    const copy = await ready(await stage.asking.sessions.import(source));
    const [turn] = copy.chat.mirror.confirmed.turns;
    expect(turn?.state).toBe('error');
    expect(markdownOf(turn)).toContain('begun');
    expect(turn?.responseParts.slice(-2)).toMatchObject([
      { kind: 'toolCall', toolCall: { status: 'cancelled', reason: 'skipped' } },
      {
        kind: 'error',
        error: {
          errorType: 'exportedWhileRunning',
          message: 'This turn was still running when its session was exported',
        },
      },
    ]);
    expect(copy.chat.mirror.confirmed.activeTurn).toBeUndefined();
    await asking.cancel();
    await prompt.result;
  });

  test('contains contents that are larger than a frame', async () => {
    const { session } = sourceOf(await exported((await stage.session()).asking.uri));
    const uri = 'agenthost-content:/large';
    const data = '€😀x'.repeat(2_500_000);
    const turn: Turn = { ...completedTurn('t'), responseParts: [{ kind: 'contentRef', uri }] };
    const chats = [{ resource: 'ahp-chat:/a', title: '', status: 1, modifiedAt: '2026-01-01T00:00:00Z' }];
    const contents = [{ uri, contentType: 'text/plain', encoding: 'utf-8' as const, data }];
    const copy = await stage.asking.sessions.import({
      session,
      chats,
      turns: [{ chat: 'ahp-chat:/a', turn: { turn, contents } }],
    });
    const [back] = sourceOf(await exported(copy.uri)).turns;
    const [content] = back?.turn?.contents ?? [];
    expect(content?.uri).not.toBe(uri);
    expect(content?.data === data).toBe(true);
  });
});
