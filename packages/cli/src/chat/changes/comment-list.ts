import type { AnnotationsHandle } from '@agenthost/client';
import { type Annotation, textOf, type URI } from '@agenthost/protocol';
import { pathIn } from '../../changes/file-names.ts';
import { oneLine } from '../../render/plain-text.ts';
import type { OverlayLines } from '../app/panel.ts';
import { type Line, line, span } from '../text/line.ts';
import { cutLine } from '../text/wrap.ts';

/** The open comments of a session, one of them chosen. */
export class CommentList {
  readonly #comments: AnnotationsHandle;
  readonly #folders: readonly URI[];
  #selected: string | undefined;

  constructor(comments: AnnotationsHandle, folders: readonly URI[]) {
    this.#comments = comments;
    this.#folders = folders;
  }

  /** The chosen comment; the first one when it is gone. `undefined`: there is none. */
  get chosen(): Annotation | undefined {
    const { open } = this.#comments;
    return open.find(({ id }) => id === this.#selected) ?? open[0];
  }

  /** Chooses the comment that stands `by` places further. */
  move(by: number): void {
    const { open } = this.#comments;
    const at = open.findIndex(({ id }) => id === this.chosen?.id);
    this.#selected = open[Math.max(0, Math.min(open.length - 1, at + by))]?.id;
  }

  /** Where a comment is: file and line. */
  placeOf({ resource, range }: Annotation): string {
    const path = oneLine(pathIn(this.#folders, resource), 500);
    return range === undefined ? path : `${path}:${range.start.line + 1}`;
  }

  lines(width: number): OverlayLines {
    const lines: Line[] = [];
    let focus = 0;
    for (const comment of this.#comments.open) {
      const isAt = comment === this.chosen;
      if (isAt) focus = lines.length;
      const outdated = comment['x-outdated'] === true ? '  outdated' : '';
      lines.push(
        cutLine(
          [
            span(isAt ? '▸ ' : '  '),
            span(this.placeOf(comment), isAt ? { inverse: true } : { color: 'cyan' }),
            span(outdated, { color: 'yellow' }),
          ],
          width,
        ),
      );
      for (const { text, 'x-by': by } of comment.entries)
        lines.push(
          cutLine(
            [
              span('    ┃ '),
              span(by?.name === undefined ? '' : `${oneLine(by.name, 40)}: `, { dim: true }),
              span(oneLine(textOf(text), 500)),
            ],
            width,
          ),
        );
    }
    return { lines: lines.length === 0 ? [line('no open comment', { dim: true })] : lines, focus };
  }
}
