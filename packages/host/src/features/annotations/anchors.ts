import {
  type Annotation,
  type AnnotationAnchor,
  annotationsUri,
  findById,
  type TextRange,
} from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { Log } from '../../lib/log.ts';
import type { Channel } from '../../sync/channel.ts';
import { anchorOf } from '../../sync/hidden-anchors.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import type { ReadLines } from '../../turns/contents/annotated-files.ts';
import { findAnchor } from '../../workspace/line-anchor.ts';

interface Parts {
  readonly sync: Sync;
  readonly readLines: ReadLines;
  readonly log: Log;
}

type Annotations = Channel<'annotations'>;

/** Actions after which files may have changed. */
const ENDS_TURN: ReadonlySet<string> = new Set(['chat/turnComplete', 'chat/turnCancelled', 'chat/error']);

/**
 * Moves annotations to where their lines are now, and marks those whose lines are gone. Looks at the files when the annotations are loaded and at
 * the end of each turn of the session. Annotations of the version of a turn stay where they are.
 */
export class Anchors {
  readonly #parts: Parts;
  /** The running search of each channel. */
  readonly #running = new Map<Annotations, Promise<void>>();
  /** The channels whose search has to start again. */
  readonly #again = new Set<Annotations>();
  #isStopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  observe(): void {
    const { sync } = this.#parts;
    sync.registry.onLoaded((channel) => {
      if (channel.is('annotations')) this.#look(channel);
    });
    sync.observe('chat', (tx, { channel, action }) => {
      if (!ENDS_TURN.has(action.type)) return;
      const annotations = sync.registry.getOf('annotations', annotationsUri(channel.session ?? ''));
      if (annotations !== undefined) tx.effect(() => this.#look(annotations));
    });
  }

  /** Resolves when no search runs any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running.values());
  }

  #look(channel: Annotations): void {
    if (this.#running.has(channel)) this.#again.add(channel);
    else if (
      !this.#isStopped &&
      channel.state.annotations.some((each) => followed(channel, each) !== undefined)
    )
      this.#running.set(channel, this.#run(channel));
  }

  async #run(channel: Annotations): Promise<void> {
    const release = channel.pin();
    try {
      do {
        this.#again.delete(channel);
        await this.#follow(channel);
      } while (this.#again.has(channel) && !this.#isStopped);
    } catch (error) {
      this.#parts.log.warn({ error, channel: channel.uri }, 'cannot find the lines of annotations');
    } finally {
      this.#running.delete(channel);
      this.#again.delete(channel);
      release();
    }
  }

  async #follow(channel: Annotations): Promise<void> {
    const { sync, readLines } = this.#parts;
    const files = new Set(
      channel.state.annotations
        .filter((each) => followed(channel, each) !== undefined)
        .map(({ resource }) => resource),
    );
    for (const uri of files) {
      const lines = await readLines(uri);
      // A file that cannot be read says nothing about its lines.
      if (lines === 'unreadable') continue;
      for (const { id } of channel.state.annotations.filter(({ resource }) => resource === uri)) {
        // Thousands of annotations are found in as many iterations of the event loop.
        await sync.path.nextTurn();
        if (this.#isStopped || !channel.isAlive) return;
        const annotation = findById(channel.state.annotations, id);
        if (annotation?.resource !== uri) continue;
        const place = followed(channel, annotation);
        if (place === undefined) continue;
        const found = lines === 'missing' ? undefined : findAnchor(lines, place.anchor, place.range);
        if (!isNew(annotation, found)) continue;
        sync.transact('host', (tx) => {
          // A transaction of the host may run later, when others have acted.
          if (channel.isAlive && findById(channel.state.annotations, id) === annotation)
            move(tx, channel, annotation, found);
        });
      }
    }
  }
}

/** The last place and the anchor of an annotation that is followed; `undefined`: it is not. */
function followed(
  channel: Annotations,
  annotation: Annotation,
): { readonly range: TextRange; readonly anchor: AnnotationAnchor } | undefined {
  const { range, origin } = annotation;
  if (origin.turnId !== undefined || range === undefined) return undefined;
  const anchor = anchorOf(channel, annotation);
  return anchor && { range, anchor };
}

const isNew = (annotation: Annotation, found: TextRange | undefined): boolean =>
  found === undefined
    ? annotation['x-outdated'] !== true
    : annotation['x-outdated'] === true || !sameJson(found, annotation.range);

/** `x-outdated` changes by `annotations/set` alone, so that clients that do not know it have the same state. */
function move(tx: Tx, channel: Annotations, annotation: Annotation, range: TextRange | undefined): void {
  const { 'x-outdated': isOutdated, ...rest } = annotation;
  if (range === undefined)
    tx.emit(channel, { type: 'annotations/set', annotation: { ...rest, 'x-outdated': true } });
  else if (isOutdated === true) tx.emit(channel, { type: 'annotations/set', annotation: { ...rest, range } });
  else tx.emit(channel, { type: 'annotations/updated', annotationId: annotation.id, range });
}
