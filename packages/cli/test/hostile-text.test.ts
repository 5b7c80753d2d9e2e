// Hostile text in everything that shows it: no renderer passes on control sequences or invisible characters.
import type { TurnEvent } from '@agenthost/client';
import type { ExportedTurn, TerminalInfo } from '@agenthost/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { statusLine } from '../src/chat/app/frame.ts';
import { approvalLines } from '../src/chat/ask/approval-lines.ts';
import { formOf } from '../src/chat/ask/form.ts';
import { formLines } from '../src/chat/ask/form-lines.ts';
import { popupLines } from '../src/chat/composer/completion.ts';
import { carriedLine } from '../src/chat/composer/draft.ts';
import { editorOf, layoutEditor } from '../src/chat/composer/editor.ts';
import { settledMarkdown } from '../src/chat/markdown/stream.ts';
import { chatLines } from '../src/chat/room/chats-panel.ts';
import { queueLines } from '../src/chat/room/queue-panel.ts';
import { sessionRow } from '../src/chat/sessions/session-list.ts';
import type { Line } from '../src/chat/text/line.ts';
import { TurnLayout } from '../src/chat/transcript/turn-lines.ts';
import { terminalLine } from '../src/commands/term/list.ts';
import { htmlPage } from '../src/export/html-page.ts';
import { markdownPage } from '../src/export/markdown-page.ts';
import { idOf, shortId } from '../src/input/ids.ts';
import { report } from '../src/program/report.ts';
import { choicesFor, showChoices, showQuestion } from '../src/question/confirmation.ts';
import { showQuestions } from '../src/question/input-request.ts';
import { jsonLine } from '../src/render/plain-text.ts';
import { Screen } from '../src/render/screen.ts';
import { sessionLine } from '../src/render/session-line.ts';
import { editLine, shownPath, toolCallLine } from '../src/render/tool-call.ts';
import { endLine, TurnPrinter } from '../src/render/turn-printer.ts';
import { introduceHost } from '../src/serve/announcement.ts';
import { holderText } from '../src/term/holding.ts';
import { FakeContext } from './fake-context.ts';
import {
  calls,
  chatOf,
  edit,
  harmless,
  hostile,
  request,
  responseParts,
  summary,
  turnOf,
  waiting,
} from './hostile-fixtures.ts';

const runs = { numRuns: 150 };
const marks = { done: '+', failed: 'x', refused: '-', running: '>', asks: '?', dot: '-' };

/** Output of a screen without colours, on both streams. */
function printed(show: (screen: Screen, context: FakeContext) => void): string {
  const context = new FakeContext();
  show(new Screen(context), context);
  return context.out + context.err;
}
const said = (lines: readonly Line[]): string =>
  lines.map((spans) => spans.map(({ text }) => text).join('')).join('\n');

describe('text of other people', () => {
  test.each<[string, (evil: string) => string]>([
    ['a session in a list', (evil) => sessionLine(summary(evil), { now: 0, home: '/home' })],
    ['a session’s id', (evil) => shortId(`ahp-session:/${evil}`)],
    [
      'a path',
      (evil) =>
        `${shownPath(evil)}${shownPath(`file:///${encodeURIComponent(evil.replace(/\p{Surrogate}/gu, ''))}`)}`,
    ],
    ['a file’s change', (evil) => editLine(edit(evil))],
    [
      'choices',
      (evil) =>
        waiting(evil)
          .flatMap((each) => choicesFor(each))
          // Each choice on a line, without the line end of the program itself.
          .map((choice) => printed((screen) => showChoices(screen, [choice])).slice(0, -1))
          .join(''),
    ],
    [
      'a terminal in a list',
      (evil) => {
        const terminal: TerminalInfo = {
          resource: `ahp-terminal:/${evil}`,
          title: evil,
          claim: { kind: 'client', clientId: evil },
          lifecycle: { status: 'running' },
        };
        const state = { ...terminal, cwd: `file:///${evil}`, content: [] };
        return terminalLine(terminal, 1, { home: '/home', state });
      },
    ],
    [
      'who holds a terminal',
      (evil) =>
        holderText('ahp-terminal:/t', {
          kind: 'session',
          session: `ahp-session:/${evil}`,
          chat: evil,
          toolCallId: evil,
        }),
    ],
  ])('is one harmless line: %s', (what, shown) => {
    fc.assert(
      fc.property(hostile, (evil) => {
        const text = shown(evil);
        harmless(text, what);
        expect(text).not.toContain('\n');
      }),
      runs,
    );
  });

  test('is harmless in the output of commands', () => {
    fc.assert(
      fc.property(hostile, (evil) => {
        const events: TurnEvent[] = [
          { type: 'text', partId: 'a', text: evil },
          { type: 'reasoning', partId: 'b', text: evil },
          ...calls(evil).map((toolCall): TurnEvent => ({ type: 'toolCall', change: 'running', toolCall })),
          ...responseParts(evil).map((part): TurnEvent => ({ type: 'part', part })),
        ];
        harmless(
          printed((screen) => {
            const printer = new TurnPrinter(screen, evil, true);
            printer.begin();
            for (const event of events) printer.show(event);
            screen.note(endLine(turnOf(evil), screen));
            for (const toolCall of calls(evil)) screen.note(toolCallLine(toolCall, screen) ?? '');
          }),
          'a turn',
        );
        harmless(
          printed((screen) => {
            for (const toolCall of waiting(evil)) showQuestion(screen, toolCall);
            showQuestions(screen, request(evil));
          }),
          'questions',
        );
        harmless(
          printed((screen) => {
            const error = new Error(evil, { cause: new Error(evil) });
            report(error, screen, { isJson: false, isVerbose: true });
            report(error, screen, { isJson: true, isVerbose: false });
          }),
          'an error',
        );
        harmless(
          printed((screen, context) =>
            introduceHost(context, screen, {
              url: 'http://127.0.0.1:1',
              host: evil,
              dataDir: evil,
              certificate: { fingerprint: 'AB', warnings: [evil] },
              pageUrl: `http://127.0.0.1:1/${evil}`,
              token: undefined,
              tokenFile: evil,
              agents: { offered: [evil], installed: [], defaultAgent: evil },
            }),
          ),
          'a host',
        );
      }),
      runs,
    );
  });

  test('is whole and harmless in JSON', () => {
    fc.assert(
      fc.property(hostile, (evil) => {
        const text = jsonLine({ [evil]: evil });
        harmless(text.slice(0, -1), 'a line of JSON');
        expect(text.indexOf('\n')).toBe(text.length - 1);
        expect(JSON.parse(text)).toEqual({ [evil]: evil });
      }),
      runs,
    );
  });

  test('is harmless in the window of chat', () => {
    fc.assert(
      fc.property(hostile, (evil) => {
        const chat = chatOf(evil);
        const look = { width: 40, isExpanded: true, terminalTail: () => undefined };
        const pending = { id: 'p', message: turnOf(evil).message };
        const facts = { width: 40, address: 'here', notice: undefined, opening: false, now: 0 };
        const shown: Record<string, readonly Line[]> = {
          turn: new TurnLayout(marks).lines(turnOf(evil), look),
          markdown: settledMarkdown(evil, 40),
          session: [
            sessionRow(summary(evil), {
              width: 90,
              now: 0,
              home: '/h',
              marks,
              isSelected: true,
              snippet: undefined,
            }),
          ],
          chats: chatLines([chat], {
            width: 60,
            selected: chat.resource,
            current: chat.resource,
            defaultChat: undefined,
            now: 0,
          }),
          queue: queueLines([{ kind: 'queued', pending }], {
            width: 60,
            height: 5,
            selected: 'p',
            isIdle: true,
          }),
          carried: [carriedLine({ ...turnOf(evil).message, model: { id: evil }, agent: { uri: evil } })],
          popup: popupLines(
            { items: [{ insertText: evil, attachment: { type: 'simple', label: evil } }], selected: 0 },
            60,
            5,
          ),
          editor: layoutEditor(editorOf(evil), 40, 5).lines,
          status: [statusLine({ state: 'waiting', attempt: 1, retryAt: 1, reason: evil }, facts)],
          form: formLines(formOf(request(evil)), 60, { marks, isFocused: true }).lines,
          ...Object.fromEntries(
            waiting(evil).map((toolCall, index) => [
              `approval ${index}`,
              approvalLines(
                { toolCall, choice: 0, mode: 'choose', editor: editorOf(evil), isExpanded: true },
                60,
                { marks, isFocused: true },
              ).lines,
            ]),
          ),
        };
        for (const [what, lines] of Object.entries(shown)) {
          harmless(said(lines), what);
          // An extra line would move everything below it.
          for (const each of lines) expect(said([each]), what).not.toContain('\n');
        }
      }),
      runs,
    );
  });

  test.each([
    ['HTML', htmlPage],
    ['Markdown', markdownPage],
  ])('is harmless in an export as %s, which may be read in a terminal', async (_, page) => {
    await fc.assert(
      fc.asyncProperty(hostile, async (evil) => {
        const turn: ExportedTurn = {
          turn: turnOf(evil),
          contents: [{ uri: evil, encoding: 'utf-8', data: evil, contentType: evil }],
        };
        const session = {
          resource: `ahp-session:/${evil}`,
          provider: evil,
          title: evil,
          status: 1,
          lifecycle: 'ready',
        } as const;
        const head = {
          format: 'agenthost-session',
          version: 1,
          exportedAt: evil,
          host: evil,
          session,
        } as const;
        let text = '';
        async function* parts() {
          yield { type: 'session', head } as const;
          yield { type: 'chat', chat: chatOf(evil) } as const;
          yield { type: 'turn', turn } as const;
        }
        for await (const piece of page(parts())) text += piece;
        harmless(text, 'a page');
      }),
      runs,
    );
  });

  test('keeps the characters of scripts and emoji', () => {
    expect(idOf('ahp-session:/a\u200bb')).toBe('a\u200bb');
    expect(shortId('ahp-session:/a\u200bb')).toBe('ab');
    expect(sessionLine({ ...summary('x'), title: 'نمی‌خواهم 👩‍👩‍👧 ❤️' }, { now: 0, home: '/' })).toContain(
      'نمی‌خواهم 👩‍👩‍👧 ❤️',
    );
  });
});
