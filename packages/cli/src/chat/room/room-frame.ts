import type { SessionHandle } from '@agenthost/client';
import { SessionStatus } from '@agenthost/protocol';
import { homely, oneLine } from '../../render/plain-text.ts';
import type { Marks } from '../../render/screen.ts';
import { shownPath } from '../../render/tool-call.ts';
import { type Frame, filled, hintLines, hintRows, ruleLine, type Size, windowed } from '../app/frame.ts';
import type { OverlayPanel, Surroundings } from '../app/panel.ts';
import { popupLines } from '../composer/completion.ts';
import { purposeText } from '../composer/composer.ts';
import { carriedLine } from '../composer/draft.ts';
import { layoutEditor } from '../composer/editor.ts';
import { EMPTY_LINE, type Line, line, type Span, span } from '../text/line.ts';
import { justified } from '../text/wrap.ts';
import { emptyChat } from '../transcript/transcript.ts';
import { chatTitle, orderedChats } from './chats-panel.ts';
import type { Conversation } from './conversation.ts';
import { queueLines, waitingIn } from './queue-panel.ts';

/** An open session as it is drawn. */
export interface RoomView {
  readonly session: SessionHandle;
  /** The chat that shows. */
  readonly conversation: Conversation;
  /** Questions that wait in other chats of this session. */
  readonly otherAsks: number;
  /** The panel on top of the chat. */
  readonly overlay: OverlayPanel | undefined;
}

const MAX_COMPOSER_ROWS = 8;
const MAX_QUEUE_ROWS = 5;
const SMALL_WINDOW_ROWS = 12;

/** A session in the window: transcript, questions, message, queue, keys and status. Small windows leave parts out. */
export function roomFrame(room: RoomView, { columns, rows }: Size, around: Surroundings): Frame {
  const { conversation } = room;
  const width = Math.max(10, columns);
  const header = headerLine(room, width, around);
  const bottom = [...hintLines(around.hints, width, hintRows(rows)), around.status];
  const overlay = room.overlay?.lines(width - 2);
  if (overlay !== undefined) {
    const height = rows - 1 - bottom.length;
    const { lines: inner, top } = windowed(overlay.lines, Math.max(1, height - 1), overlay.focus);
    const indented = inner.map((text): Line => [span(' '), ...text]);
    const lines = [
      header,
      ...filled([ruleLine(line(room.overlay?.title ?? '', { bold: true }), width), ...indented], height),
      ...bottom,
    ].slice(0, rows);
    const y = overlay.cursor === undefined ? -1 : overlay.cursor.y - top;
    return overlay.cursor === undefined || y < 0
      ? { lines }
      : { lines, cursor: { x: overlay.cursor.x + 1, y: y + 2 } };
  }
  // In a low window a question that is being answered has the room of the message.
  const isLow = rows < SMALL_WINDOW_ROWS && conversation.focus === 'ask';
  const writing = isLow
    ? { lines: [], cursor: { x: 0, y: 0 } }
    : composerPart(conversation, width, Math.max(1, Math.min(MAX_COMPOSER_ROWS, rows - 8)));
  const fixed = 1 + bottom.length + writing.lines.length;
  const waiting = queueLines(waitingIn(conversation.chat.mirror.state), {
    width,
    height: Math.min(MAX_QUEUE_ROWS, Math.max(0, rows - fixed - 4)),
    selected: conversation.focus === 'queue' ? conversation.queue.current?.pending.id : undefined,
    isIdle: !conversation.isRunning,
  });
  const free = rows - fixed - waiting.length;
  const most = isLow ? free - 1 : Math.min(free - 1, Math.floor(free * 0.7));
  const asking = askPart(conversation, width, Math.max(2, most));
  const left = Math.max(1, free - asking.lines.length);
  const transcript = transcriptPart(conversation, width, left);
  const lines = [header, ...transcript, ...asking.lines, ...writing.lines, ...waiting, ...bottom].slice(
    0,
    rows,
  );
  const askTop = 1 + transcript.length;
  const cursor =
    conversation.focus === 'composer' && !conversation.isReadOnly
      ? { x: writing.cursor.x, y: askTop + asking.lines.length + writing.cursor.y }
      : conversation.focus === 'ask' && asking.cursor !== undefined
        ? { x: asking.cursor.x, y: askTop + asking.cursor.y }
        : undefined;
  return cursor === undefined ? { lines } : { lines, cursor };
}

function headerLine(room: RoomView, width: number, { home, marks }: Surroundings): Line {
  const { session, conversation } = room;
  const { state } = session.mirror;
  const parts: Span[] = [span(oneLine(state.title) || 'New session', { bold: true })];
  const chats = orderedChats(state.chats);
  const at = chats.findIndex(({ chat }) => chat.resource === conversation.chat.mirror.uri);
  const current = chats[at]?.chat;
  if (chats.length > 1 && current !== undefined) {
    const own = chatTitle(current, at);
    const name = own === oneLine(state.title) ? 'chat' : own;
    parts.push(span(`  ${name} ${at + 1} of ${chats.length}`, { color: 'cyan' }));
  }
  const folder = current?.workingDirectories?.[0] ?? state.workingDirectories?.[0];
  const { model } = conversation;
  const agent = `${oneLine(state.provider)}${model === undefined ? '' : ` (${oneLine(model, 40)})`}`;
  parts.push(span(`  ${agent}`, { dim: true }));
  if (folder !== undefined) parts.push(span(`  ${homely(shownPath(folder), home)}`, { dim: true }));
  return justified(parts, stateWord(room, marks), width);
}

function stateWord({ session, conversation, otherAsks }: RoomView, marks: Marks): Line {
  const { status, lifecycle } = session.mirror.state;
  const others: Span[] =
    otherAsks === 0 ? [] : [span(`${marks.asks} ${otherAsks} elsewhere  `, { color: 'yellow' })];
  const behind = conversation.chat.backgroundWork.length;
  if (behind > 0) others.push(span(`${behind} in the background  `, { dim: true }));
  if (lifecycle === 'creating') return [...others, span('starts', { color: 'cyan' })];
  if (lifecycle === 'failed') return [...others, span('failed', { color: 'red' })];
  if (conversation.asks.length > 0) return [...others, span('asks', { color: 'yellow', bold: true })];
  if (conversation.isRunning) {
    const activity = oneLine(conversation.chat.mirror.state.activity ?? '', 30);
    return [...others, span(activity === '' ? 'working' : activity, { color: 'cyan' })];
  }
  const isError = (status & SessionStatus.Error) !== 0;
  return [...others, isError ? span('error', { color: 'red' }) : span('idle', { dim: true })];
}

function transcriptPart(conversation: Conversation, width: number, height: number): Line[] {
  const { transcript } = conversation;
  if (transcript.turns.length > 0) return transcript.lines(width, height);
  return [
    ...Array.from({ length: Math.max(0, height - 2) }, () => EMPTY_LINE),
    emptyChat('Nothing was said here yet.'),
    EMPTY_LINE,
  ].slice(-height);
}

interface Part {
  readonly lines: readonly Line[];
  readonly cursor: { readonly x: number; readonly y: number };
}

function composerPart(conversation: Conversation, width: number, height: number): Part {
  const { composer, transcript, chat } = conversation;
  const { purpose, proposals } = composer;
  const resent =
    purpose.kind === 'resend'
      ? transcript.turns.find(({ id }) => id === purpose.turnId)?.message.text
      : undefined;
  const said = purposeText(purpose, resent ?? '') || transcript.edgeText;
  const carried = carriedLine(composer.carried);
  const rule = ruleLine(
    [
      ...carried,
      ...(said === ''
        ? []
        : [
            span(carried.length === 0 ? said : `  ${said}`, {
              color: purpose.kind === 'new' ? 'gray' : 'yellow',
            }),
          ]),
    ],
    width,
  );
  if (conversation.isReadOnly) {
    return {
      lines: [rule, line('  A worker’s chat: read-only.', { dim: true })],
      cursor: { x: 0, y: 1 },
    };
  }
  const layout = layoutEditor(composer.editor, width - 2, height);
  const isFocused = conversation.focus === 'composer';
  const sign = (index: number): Span =>
    span(index === 0 ? '› ' : '  ', isFocused ? { color: 'cyan', bold: true } : { dim: true });
  const hint = chat.mirror.state.activeTurn === undefined ? 'Type a message' : 'Type a message for the queue';
  const lines = composer.isEmpty
    ? [[sign(0), span(hint, { dim: true })]]
    : layout.lines.map((text, index): Line => [sign(index), ...text]);
  const { popup } = proposals;
  const proposed = popup === undefined || !isFocused ? [] : popupLines(popup, width, Math.min(6, height));
  return { lines: [rule, ...lines, ...proposed], cursor: { x: layout.column + 2, y: 1 + layout.row } };
}

function askPart(
  conversation: Conversation,
  width: number,
  height: number,
): { lines: readonly Line[]; cursor?: Part['cursor'] } {
  const { ask, asks, askPanel, focus } = conversation;
  if (ask === undefined || askPanel === undefined) return { lines: [] };
  const panel = askPanel.lines(width - 1, { isFocused: focus === 'ask', height: height - 1 });
  const label = asks.length > 1 ? `question ${asks.indexOf(ask) + 1} of ${asks.length}` : 'question';
  const rule = ruleLine(
    [span(focus === 'ask' ? label : `${label}: Tab to answer`, { color: 'yellow' })],
    width,
  );
  const shown = windowed(panel.lines, height - 1, panel.focusRow);
  const lines = [rule, ...shown.lines.map((text): Line => [span(' '), ...text])];
  if (panel.cursor === undefined) return { lines };
  const y = panel.cursor.row - shown.top + 1;
  return y < 1 || y >= lines.length ? { lines } : { lines, cursor: { x: panel.cursor.column + 1, y } };
}
