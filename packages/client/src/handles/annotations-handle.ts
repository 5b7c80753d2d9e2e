import {
  type Annotation,
  type AnnotationEntry,
  type AnnotationOrigin,
  findById,
  type Message,
  type MessageAnnotationsAttachment,
  type StringOrMarkdown,
  sessionOfAnnotations,
  type TextRange,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';

/** A new annotation. */
export interface NewAnnotation {
  /** URI of the file. */
  readonly resource: URI;
  /** Default: the whole file. */
  readonly range?: TextRange;
  /** The first entry. */
  readonly text: StringOrMarkdown;
  /**
   * The chat, and the turn whose version of the file is annotated. Default: the session and the present version, which the host follows through
   * changes of the file.
   */
  readonly origin?: Omit<AnnotationOrigin, 'session'>;
  /** Default: a random one. */
  readonly id?: string;
}

/** The annotations of a session, which all clients share. The mirror shows the effect of each method at once. Dispose the handle after use. */
export class AnnotationsHandle {
  readonly mirror: Mirror<'annotations'>;
  readonly #newId: () => string;

  constructor(mirror: Mirror<'annotations'>, newId: () => string) {
    this.mirror = mirror;
    this.#newId = newId;
  }

  get uri(): URI {
    return this.mirror.uri;
  }

  /** All annotations, the oldest first. */
  get all(): readonly Annotation[] {
    return this.mirror.state.annotations;
  }

  /** The annotations that nobody has resolved. */
  get open(): readonly Annotation[] {
    return this.all.filter(({ resolved }) => !resolved);
  }

  /** An annotation by its id. */
  find(id: string): Annotation | undefined {
    return findById(this.all, id);
  }

  /** Annotates a file or a part of it. */
  add({ resource, range, text, origin, id = this.#newId() }: NewAnnotation): Promise<DispatchOutcome> {
    const annotation: Annotation = {
      id,
      origin: { session: sessionOfAnnotations(this.uri) ?? '', ...origin },
      resource,
      ...defined({ range }),
      resolved: false,
      entries: [{ id: this.#newId(), text }],
    };
    return this.mirror.dispatch({ type: 'annotations/set', annotation });
  }

  /** Appends an entry. `rejected` with `noSuchAnnotation` when the annotation is gone. */
  reply(annotationId: string, text: StringOrMarkdown): Promise<DispatchOutcome> {
    const entry: AnnotationEntry = { id: this.#newId(), text };
    return this.#on(annotationId, () => ({ type: 'annotations/entrySet', annotationId, entry }));
  }

  /** Replaces the text of an entry; the caller becomes its author. `rejected` with `noSuchAnnotation` when it is gone. */
  edit(annotationId: string, entryId: string, text: StringOrMarkdown): Promise<DispatchOutcome> {
    return this.#on(annotationId, ({ entries }) => {
      const entry = findById(entries, entryId);
      return entry && { type: 'annotations/entrySet', annotationId, entry: { ...entry, text } };
    });
  }

  /** Removes an entry; with the last one the annotation. */
  removeEntry(annotationId: string, entryId: string): Promise<DispatchOutcome> {
    return this.#on(annotationId, ({ entries }) =>
      entries.every(({ id }) => id === entryId)
        ? { type: 'annotations/removed', annotationId }
        : { type: 'annotations/entryRemoved', annotationId, entryId },
    );
  }

  resolve(annotationId: string): Promise<DispatchOutcome> {
    return this.#on(annotationId, () => ({ type: 'annotations/updated', annotationId, resolved: true }));
  }

  reopen(annotationId: string): Promise<DispatchOutcome> {
    return this.#on(annotationId, () => ({ type: 'annotations/updated', annotationId, resolved: false }));
  }

  remove(annotationId: string): Promise<DispatchOutcome> {
    return this.#on(annotationId, () => ({ type: 'annotations/removed', annotationId }));
  }

  /** Moves an annotation to another range, of another file if `resource` is given. */
  move(annotationId: string, range: TextRange, resource?: URI): Promise<DispatchOutcome> {
    return this.#on(annotationId, () => ({
      type: 'annotations/updated',
      annotationId,
      range,
      ...defined({ resource }),
    }));
  }

  /**
   * A message with annotations, by default all that are open. The host gives the agent their files, lines and texts when the turn starts. They
   * stay open.
   */
  message(text: string, ids: readonly string[] = this.open.map(({ id }) => id)): Message {
    const attachment: MessageAnnotationsAttachment = {
      type: 'annotations',
      label: ids.length === 1 ? '1 comment' : `${ids.length} comments`,
      resource: this.uri,
      annotationIds: [...ids],
    };
    return { text, origin: { kind: 'user' }, attachments: [attachment] };
  }

  dispose(): void {
    this.mirror.dispose();
  }

  async #on(
    id: string,
    action: (annotation: Annotation) => Parameters<Mirror<'annotations'>['dispatch']>[0] | undefined,
  ): Promise<DispatchOutcome> {
    const annotation = this.find(id);
    const found = annotation && action(annotation);
    if (found !== undefined) return this.mirror.dispatch(found);
    const what = annotation === undefined ? `annotation ${id}` : `such entry of annotation ${id}`;
    return { outcome: 'rejected', code: 'noSuchAnnotation', reason: `there is no ${what}` };
  }
}
