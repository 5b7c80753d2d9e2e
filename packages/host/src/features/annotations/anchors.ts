import { type Annotation, annotationsUri, findById } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { Log } from '../../lib/log.ts';
import type { Channel } from '../../sync/channel.ts';
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
    else if (!this.#isStopped && channel.state.annotations.some(isFollowed))
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
    const files = new Set(channel.state.annotations.filter(isFollowed).map(({ resource }) => resource));
    for (const uri of files) {
      const lines = await readLines(uri);
      // A file that cannot be read says nothing about its lines.
      if (lines === 'unreadable') continue;
      for (const { id } of channel.state.annotations.filter(({ resource }) => resource === uri)) {
        // Thousands of annotations are found in as many iterations of the event loop.
        await sync.path.nextTurn();
        if (this.#isStopped || !channel.isAlive) return;
        const annotation = findById(channel.state.annotations, id);
        if (annotation === undefined || annotation.resource !== uri || !isFollowed(annotation)) continue;
        const { range, 'x-anchor': anchor } = annotation;
        const found = lines === 'missing' ? undefined : findAnchor(lines, anchor, range);
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

type Followed = Annotation & Required<Pick<Annotation, 'range' | 'x-anchor'>>;

const isFollowed = (annotation: Annotation): annotation is Followed =>
  annotation.origin.turnId === undefined &&
  annotation.range !== undefined &&
  annotation['x-anchor'] !== undefined;

const isNew = (annotation: Followed, found: Followed['range'] | undefined): boolean =>
  found === undefined
    ? annotation['x-outdated'] !== true
    : annotation['x-outdated'] === true || !sameJson(found, annotation.range);

/** `x-outdated` changes by `annotations/set` alone, so that clients that do not know it have the same state. */
function move(
  tx: Tx,
  channel: Annotations,
  annotation: Followed,
  range: Followed['range'] | undefined,
): void {
  const { 'x-outdated': isOutdated, ...rest } = annotation;
  if (range === undefined)
    tx.emit(channel, { type: 'annotations/set', annotation: { ...rest, 'x-outdated': true } });
  else if (isOutdated === true) tx.emit(channel, { type: 'annotations/set', annotation: { ...rest, range } });
  else tx.emit(channel, { type: 'annotations/updated', annotationId: annotation.id, range });
}
