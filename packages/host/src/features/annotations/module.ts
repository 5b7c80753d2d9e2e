import {
  type Annotation,
  type AnnotationAnchor,
  type AnnotationEntry,
  type AnnotationsAction,
  findById,
  isWithinScope,
} from '@agenthost/protocol';
import { defined, sameJson } from '@agenthost/protocol/values';
import type { ChannelModule, Planned } from '../../handler-port/channel-module.ts';
import type { Channel } from '../../sync/channel.ts';
import { anchorOf, hiddenAnchorOf, setHiddenAnchor } from '../../sync/hidden-anchors.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import type { ReadLines } from '../../turns/contents/annotated-files.ts';
import { makeAnchor } from '../../workspace/line-anchor.ts';
import { checkAnnotations, checkPlace, checkRoom } from './rules.ts';

export interface AnnotationParts {
  readonly sync: Sync;
  readonly readLines: ReadLines;
  /** True: clients must not see the lines of annotations that the action makes or moves. Default: false. */
  readonly hidesLines?: boolean;
}

/** The lines of a file that an action needs, as they were read before. */
interface Read {
  readonly uri: string;
  readonly lines: Awaited<ReturnType<ReadLines>>;
}

type Annotations = Channel<'annotations'>;

/** Plans the actions of clients on the annotations of a session [ANN-1] [ANN-20]. */
export const annotationsModule = (parts: AnnotationParts): ChannelModule<'annotations'> => ({
  plan: (channel, action, { scope }) => {
    if (isWithinScope(scope, 'interact')) return planAction(parts, channel, action);
    // A role in the session. Files of the host are closed to it, so the lines must not become part of the state.
    const refusal = checkPlace(channel.state, action, directoriesOf(parts.sync, channel.session));
    return refusal ?? planAction({ ...parts, hidesLines: true }, channel, action);
  },
});

const directoriesOf = (sync: Sync, session: string | undefined): readonly string[] =>
  sync.registry.getOf('session', session ?? '')?.state.workingDirectories ?? [];

/** Plans an action of a client or an agent. Entries that it writes name their author. */
export function planAction(
  parts: AnnotationParts,
  channel: Annotations,
  action: AnnotationsAction,
  read?: Read,
): Planned<'annotations'> {
  const rejection = checkAnnotations(channel.state, action, channel.session ?? '');
  if (rejection !== undefined) return rejection;
  const uri = fileOf(parts, channel, action);
  if (uri !== undefined && read?.uri !== uri)
    // Others act meanwhile, so the action is planned again.
    return parts.readLines(uri).then((lines) => () => planAction(parts, channel, action, { uri, lines }));
  switch (action.type) {
    case 'annotations/set':
      return planSet(parts, channel, action.annotation, read);
    case 'annotations/updated':
      return planUpdate(parts, channel, action, read);
    case 'annotations/entrySet':
      return planEntry(channel, action);
    case 'annotations/removed':
      return { action, after: (tx) => setHiddenAnchor(tx, channel, action.annotationId, undefined) };
    default:
      return { action };
  }
}

/** The file whose lines the host has to remember for an action; `undefined`: none. */
function fileOf(
  { sync }: AnnotationParts,
  channel: Annotations,
  action: AnnotationsAction,
): string | undefined {
  const { annotations } = channel.state;
  const next = nextOf(annotations, action);
  if (next?.range === undefined || !isAboutPresent(sync, channel.session, next)) return undefined;
  const before = findById(annotations, next.id);
  const isAnchored = before !== undefined && anchorOf(channel, before) !== undefined;
  return isAnchored && isSamePlace(before, next) ? undefined : next.resource;
}

/** The annotation as an action that may move it makes it. */
function nextOf(annotations: readonly Annotation[], action: AnnotationsAction): Annotation | undefined {
  if (action.type === 'annotations/set') return action.annotation;
  if (action.type !== 'annotations/updated') return undefined;
  const before = findById(annotations, action.annotationId);
  const { resource, range, origin } = action;
  if (before === undefined || (resource === undefined && range === undefined)) return undefined;
  return { ...before, ...defined({ resource, range, origin }) };
}

/** An annotation of an older version has a range of that version, which says nothing about the present file. */
function isAboutPresent(sync: Sync, session: string | undefined, { origin }: Annotation): boolean {
  if (origin.turnId === undefined) return true;
  const main = sync.registry.getOf('session', session ?? '')?.state.defaultChat;
  const chat = sync.registry.getOf('chat', origin.chat ?? main ?? '');
  const { activeTurn, turns = [] } = chat?.outline ?? {};
  return (activeTurn ?? turns.at(-1))?.id === origin.turnId;
}

const isSamePlace = (one: Annotation, other: Annotation): boolean =>
  one.resource === other.resource &&
  sameJson(one.range, other.range) &&
  one.origin.turnId === other.origin.turnId;

function planSet(
  parts: AnnotationParts,
  channel: Annotations,
  given: Annotation,
  read: Read | undefined,
): Planned<'annotations'> {
  const before = findById(channel.state.annotations, given.id);
  const entries = given.entries.map((entry) => withFirstAuthor(before, entry));
  const { annotation, hidden } = anchored(parts, channel, { ...given, entries }, read);
  return (
    checkRoom(channel, annotation, hidden) ?? {
      action: { type: 'annotations/set', annotation },
      before: (tx) => {
        store(tx, parts.sync, channel);
        setHiddenAnchor(tx, channel, annotation.id, hidden);
      },
    }
  );
}

/** A moved annotation gets another anchor. No action of the protocol carries one but `annotations/set`. */
function planUpdate(
  parts: AnnotationParts,
  channel: Annotations,
  action: Extract<AnnotationsAction, { type: 'annotations/updated' }>,
  read: Read | undefined,
): Planned<'annotations'> {
  const { annotations } = channel.state;
  const before = findById(annotations, action.annotationId);
  const next = nextOf(annotations, action);
  if (before === undefined || next === undefined || isSamePlace(before, next)) return { action };
  const isResolved = action.resolved ?? before.resolved;
  const { annotation, hidden } = anchored(parts, channel, { ...next, resolved: isResolved }, read);
  const isFollowed = anchorOf(channel, before) !== undefined || annotation['x-anchor'] !== undefined;
  return (
    checkRoom(channel, annotation, hidden) ?? {
      action,
      after: (tx) => {
        setHiddenAnchor(tx, channel, annotation.id, hidden);
        if (isFollowed) tx.emit(channel, { type: 'annotations/set', annotation });
      },
    }
  );
}

function planEntry(
  channel: Annotations,
  action: Extract<AnnotationsAction, { type: 'annotations/entrySet' }>,
): Planned<'annotations'> {
  const before = findById(channel.state.annotations, action.annotationId);
  if (before === undefined) return { action };
  const entry = withFirstAuthor(before, action.entry);
  const others = before.entries.filter(({ id }) => id !== entry.id);
  return (
    checkRoom(channel, { ...before, entries: [...others, entry] }, hiddenAnchorOf(channel, before.id)) ?? {
      action: { ...action, entry },
    }
  );
}

/** An entry whose text has not changed keeps its author. */
function withFirstAuthor(before: Annotation | undefined, entry: AnnotationEntry): AnnotationEntry {
  const present = findById(before?.entries, entry.id);
  if (present === undefined || !sameJson(present.text, entry.text)) return entry;
  const { 'x-by': _, ...unsigned } = entry;
  return { ...unsigned, ...defined({ 'x-by': present['x-by'] }) };
}

/** An annotation with the host's own fields in place of those that a client sent, and its anchor if clients must not see it. */
interface Anchored {
  readonly annotation: Annotation;
  readonly hidden?: AnnotationAnchor | undefined;
}

function anchored(
  { hidesLines }: AnnotationParts,
  channel: Annotations,
  given: Annotation,
  read: Read | undefined,
): Anchored {
  const { 'x-anchor': _, 'x-outdated': __, ...annotation } = given;
  const before = findById(channel.state.annotations, given.id);
  if (before !== undefined && anchorOf(channel, before) !== undefined && isSamePlace(before, annotation)) {
    const { 'x-anchor': anchor, 'x-outdated': outdated } = before;
    return {
      annotation: { ...annotation, ...defined({ 'x-anchor': anchor, 'x-outdated': outdated }) },
      hidden: hiddenAnchorOf(channel, before.id),
    };
  }
  if (annotation.range === undefined || read?.uri !== annotation.resource || typeof read.lines === 'string')
    return { annotation };
  const anchor = makeAnchor(read.lines, annotation.range);
  return hidesLines === true
    ? { annotation, hidden: anchor }
    : { annotation: { ...annotation, ...defined({ 'x-anchor': anchor }) } };
}

/** Writes the first row of the channel: sessions without annotations have none. */
function store(tx: Tx, sync: Sync, channel: Annotations): void {
  if (channel.hostData.isStored === true) return;
  tx.setHostData(channel, { ...channel.hostData, isStored: true });
  sync.registry.writeSnapshot(tx, channel);
}
