import type { AnnotationsHandle, ChangesetHandle, ChatHandle, SessionHandle } from '@agenthost/client';
import {
  type Annotation,
  type ChangesetFile,
  type SessionWorktree,
  sessionWorktree,
} from '@agenthost/protocol';
import { nameOf, totalLine } from '../../changes/change-lines.ts';
import { oneLine } from '../../render/plain-text.ts';
import { type Environment, messageOf, tellFailure } from '../app/environment.ts';
import type { OverlayLines, OverlayPanel } from '../app/panel.ts';
import { type Editor, EMPTY_EDITOR, edited, editorOf, insert, movedByLine } from '../composer/editor.ts';
import type { KeyContext } from '../keys/bindings.ts';
import type { KeyEvent } from '../keys/key-event.ts';
import { type Line, line } from '../text/line.ts';
import { diffLines, editorLines, fileLines, withLeftOut } from './changes-lines.ts';
import { CommentList } from './comment-list.ts';
import { linesOfHunk, otherHunk } from './diff-rows.ts';
import { FileDiff } from './file-diff.ts';
import { done, doneInWorktree, sendComments } from './panel-deeds.ts';
import { SCOPES, ShownChanges } from './shown-changes.ts';
import { baseNameOf, worktreeLines } from './worktree-line.ts';

const PAGE_ROWS = 10;

/** How far commands go in a list. */
const MOVES: ReadonlyMap<string, number> = new Map([
  ['up', -1],
  ['down', 1],
  ['pageUp', -PAGE_ROWS],
  ['pageDown', PAGE_ROWS],
]);

const TITLES = {
  session: 'Changes of this session',
  turn: 'Changes of the last turn',
  uncommitted: 'Uncommitted changes',
};

/** A panel that covers the list of files. */
type Layer =
  | { readonly kind: 'diff'; readonly diff: FileDiff }
  | { readonly kind: 'comments'; readonly list: CommentList }
  | {
      readonly kind: 'text';
      readonly title: string;
      editor: Editor;
      readonly save: (text: string) => void;
      readonly below: Layer | undefined;
    }
  | {
      readonly kind: 'confirm';
      readonly question: string;
      readonly yes: () => void;
      readonly below: Layer | undefined;
    };

/** Shows what has changed, takes some of it back, comments on it and commits it. */
export class ChangesPanel implements OverlayPanel {
  readonly #env: Environment;
  readonly #session: SessionHandle;
  readonly #chat: () => ChatHandle;
  readonly #close: () => void;
  readonly #shown: ShownChanges;
  #comments: AnnotationsHandle | undefined;
  #selected: string | undefined;
  #layer: Layer | undefined;
  #isDisposed = false;

  constructor(env: Environment, session: SessionHandle, chat: () => ChatHandle, close: () => void) {
    this.#env = env;
    this.#session = session;
    this.#chat = chat;
    this.#close = close;
    this.#shown = new ShownChanges(env, session, () => {
      const { uri, state } = chat().mirror;
      const turnId = state.activeTurn?.id ?? state.turns.at(-1)?.id;
      return turnId === undefined ? undefined : { chat: uri, turnId };
    });
    void this.#openComments(session);
  }

  get context(): KeyContext {
    switch (this.#layer?.kind) {
      case undefined:
        return 'changes';
      case 'diff':
        return 'diff';
      case 'text':
        return 'changesText';
      case 'comments':
        return 'comments';
      default:
        return 'confirm';
    }
  }

  get title(): string {
    const layer = this.#layer;
    if (layer?.kind === 'text') return layer.title;
    if (layer?.kind === 'confirm') return 'Are you sure?';
    if (layer?.kind === 'comments') return 'Open comments';
    if (layer?.kind === 'diff') return nameOf(layer.diff.file, this.#shown.folders);
    const { handle, scope } = this.#shown;
    const total = handle === undefined || handle.files.length === 0 ? '' : `: ${totalLine(handle.files)}`;
    return `${TITLES[scope]}${total}`;
  }

  conditions(): readonly string[] {
    const { handle } = this.#shown;
    const can = (id: string): boolean => {
      const operation = handle?.operation(id);
      return operation !== undefined && operation.status !== 'disabled' && operation.status !== 'running';
    };
    const layer = this.#layer;
    return [
      this.#file === undefined ? '' : 'hasFile',
      this.#file !== undefined && can('revert') ? 'canRevert' : '',
      layer?.kind === 'diff' && can('revert') && layer.diff.hunk !== undefined ? 'canRevertHunk' : '',
      layer?.kind === 'diff' && layer.diff.commentedLine !== undefined ? 'canComment' : '',
      can('undo') ? 'canUndo' : '',
      this.#file !== undefined && can('mark-reviewed') ? 'canReview' : '',
      this.#file !== undefined && can(this.#file._meta?.['staged'] === 'all' ? 'unstage' : 'stage')
        ? 'canStage'
        : '',
      can('commit') ? 'canCommit' : '',
      can('push') ? 'canPush' : '',
      (this.#comments?.open.length ?? 0) > 0 ? 'hasComments' : '',
      this.#worktree?.branch === undefined ? '' : 'hasWorktree',
      (this.#worktree?.ahead ?? 0) > 0 ? 'canMerge' : '',
    ];
  }

  lines(width: number): OverlayLines {
    const layer = this.#layer;
    switch (layer?.kind) {
      case 'text':
        return editorLines([], layer.editor, width);
      case 'confirm':
        return { lines: [line(layer.question)], focus: 0 };
      case 'comments':
        return layer.list.lines(width);
      case 'diff': {
        const { diff } = layer;
        if (diff.problem !== undefined) return oneRow(diff.problem);
        if (diff.rows === undefined) return oneRow('reading the file');
        return diffLines(diff.rows, { comments: this.#commentsOn(diff.file), at: diff.at, width });
      }
      default:
        return below(this.#worktree && worktreeLines(this.#worktree, width), this.#fileLines(width));
    }
  }

  run(command: string): void {
    const layer = this.#layer;
    if (layer?.kind === 'text') return this.#runInText(layer, command);
    if (layer?.kind === 'confirm') {
      this.#layer = layer.below;
      if (command === 'yes') layer.yes();
      return;
    }
    if (this.#runAnywhere(command)) return;
    if (layer?.kind === 'diff') this.#runInDiff(layer.diff, command);
    else if (layer?.kind === 'comments') this.#runInComments(layer, command);
    else this.#runInFiles(command);
  }

  type(event: KeyEvent): void {
    const layer = this.#layer;
    if (layer?.kind !== 'text') return;
    const { editor } = layer;
    layer.editor = 'text' in event ? insert(editor, event.text) : (edited(editor, event.key) ?? editor);
  }

  paste(text: string): void {
    const layer = this.#layer;
    if (layer?.kind === 'text') layer.editor = insert(layer.editor, text.replace(/\r\n?/g, '\n'));
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#shown.dispose();
    this.#comments?.dispose();
  }

  get #worktree(): SessionWorktree | undefined {
    return sessionWorktree(this.#session.mirror.state);
  }

  /** The chosen file; the first one when it is gone. */
  get #file(): ChangesetFile | undefined {
    const files = this.#shown.handle?.files ?? [];
    return files.find(({ id }) => id === this.#selected) ?? files[0];
  }

  #fileLines(width: number): OverlayLines {
    const { handle, problem, folders } = this.#shown;
    if (problem !== undefined) return oneRow(problem);
    if (handle === undefined || handle.status === 'computing') return oneRow('reading the changes');
    const { files, leftOut } = handle;
    const at = files.findIndex((file) => file === this.#file);
    const list =
      files.length === 0
        ? oneRow('nothing has changed')
        : fileLines(files, { folders, at: Math.max(0, at), width });
    return withLeftOut(list, { leftOut, folders, width });
  }

  #runInText(layer: Extract<Layer, { kind: 'text' }>, command: string): void {
    switch (command) {
      case 'newline':
        layer.editor = insert(layer.editor, '\n');
        return;
      case 'up':
      case 'down':
        layer.editor = movedByLine(layer.editor, command === 'up' ? -1 : 1) ?? layer.editor;
        return;
      case 'save': {
        const text = layer.editor.text.trim();
        if (text === '') return;
        this.#layer = layer.below;
        return layer.save(text);
      }
      case 'back':
        this.#layer = layer.below;
        return;
      default:
    }
  }

  /** Commands that work for the files and in a diff. */
  #runAnywhere(command: string): boolean {
    const { handle } = this.#shown;
    switch (command) {
      case 'undo':
        if (handle !== undefined) done(this.#env, 'not undone', handle.undo());
        return true;
      case 'send':
        if (this.#comments !== undefined) sendComments(this.#env, this.#chat(), this.#comments);
        return true;
      case 'review':
        if (handle !== undefined && this.#file !== undefined) this.#review(handle, this.#file);
        return true;
      default:
        return false;
    }
  }

  #runInFiles(command: string): void {
    const { handle, scope } = this.#shown;
    const files = handle?.files ?? [];
    const file = this.#file;
    const at = file === undefined ? 0 : files.indexOf(file);
    const by = MOVES.get(command);
    if (by !== undefined) this.#selected = files[Math.max(0, Math.min(files.length - 1, at + by))]?.id;
    if (command === 'back') return this.#close();
    if (command === 'scope')
      return this.#shown.show(SCOPES[(SCOPES.indexOf(scope) + 1) % SCOPES.length] ?? 'session');
    if (command === 'comments' && this.#comments !== undefined) {
      this.#layer = { kind: 'comments', list: new CommentList(this.#comments, this.#shown.folders) };
      return;
    }
    if (command === 'merge' || command === 'checkOut') return this.#askInWorktree(command);
    if (handle === undefined) return;
    if (command === 'commit') return this.#writeCommit(handle);
    if (command === 'push')
      return this.#ask(textOfConfirmation(handle, 'push') ?? 'Push the branch?', () =>
        done(this.#env, 'not pushed', handle.push()),
      );
    if (command === 'revertAll')
      return this.#ask(`Revert all ${totalLine(files)}? The files on disk change.`, () =>
        done(this.#env, 'not reverted', handle.revert()),
      );
    if (file === undefined) return;
    if (command === 'open') this.#layer = { kind: 'diff', diff: this.#diffOf(handle, file) };
    else if (command === 'revert') this.#askToRevert(handle, file);
    else if (command === 'stage') {
      const isStaged = file._meta?.['staged'] === 'all';
      done(this.#env, 'not staged', isStaged ? handle.unstage(file) : handle.stage(file));
    }
  }

  #runInComments(layer: Extract<Layer, { kind: 'comments' }>, command: string): void {
    const { list } = layer;
    const comments = this.#comments;
    const by = MOVES.get(command);
    if (by !== undefined) return list.move(by);
    if (command === 'back') {
      this.#layer = undefined;
      return;
    }
    const { chosen } = list;
    if (comments === undefined || chosen === undefined) return;
    if (command === 'sendOne') sendComments(this.#env, this.#chat(), comments, [chosen.id]);
    else if (command === 'resolve') tellFailure(this.#env, 'not resolved', comments.resolve(chosen.id));
    else if (command === 'answer')
      this.#layer = {
        kind: 'text',
        title: `Answer on ${list.placeOf(chosen)}`,
        editor: EMPTY_EDITOR,
        below: layer,
        save: (text) => tellFailure(this.#env, 'not answered', comments.reply(chosen.id, text)),
      };
  }

  #askInWorktree(command: 'merge' | 'checkOut'): void {
    const worktree = this.#worktree;
    if (worktree === undefined) return;
    const { worktrees } = this.#env.client.sessions;
    const branch = oneLine(worktree.branch ?? '', 200);
    if (command === 'merge')
      this.#ask(`Merge ${branch} into ${baseNameOf(worktree)}? The worktree stays.`, () =>
        doneInWorktree(this.#env, 'not merged', worktrees.merge(worktree.id)),
      );
    else
      this.#ask(`Check out ${branch} in the project? The worktree keeps its files, without a branch.`, () =>
        doneInWorktree(this.#env, 'not checked out', worktrees.open(worktree.id)),
      );
  }

  #runInDiff(diff: FileDiff, command: string): void {
    const { handle } = this.#shown;
    switch (command) {
      case 'up':
      case 'down':
        return diff.move(command === 'up' ? -1 : 1);
      case 'pageUp':
      case 'pageDown':
        return diff.move(command === 'pageUp' ? -PAGE_ROWS : PAGE_ROWS);
      case 'nextHunk':
      case 'previousHunk':
        return diff.moveTo(otherHunk(diff.rows ?? [], diff.at, command === 'nextHunk' ? 1 : -1));
      case 'back':
        diff.dispose();
        this.#layer = undefined;
        return;
      case 'comment':
        return this.#writeComment(diff);
      case 'revert': {
        const lines = diff.hunk === undefined ? undefined : linesOfHunk(diff.rows ?? [], diff.hunk);
        if (handle === undefined || lines === undefined) return;
        return this.#ask('Revert the changes of this hunk? The file on disk changes.', () =>
          done(this.#env, 'not reverted', handle.revertLines(diff.file, lines)),
        );
      }
      case 'revertFile':
        return handle === undefined ? undefined : this.#askToRevert(handle, diff.file);
      default:
    }
  }

  #diffOf(handle: ChangesetHandle, file: ChangesetFile): FileDiff {
    return new FileDiff(this.#env, handle, file, this.#shown.folders);
  }

  #ask(question: string, yes: () => void): void {
    this.#layer = { kind: 'confirm', question, yes, below: this.#layer };
  }

  #askToRevert(handle: ChangesetHandle, file: ChangesetFile): void {
    const name = nameOf(file, this.#shown.folders);
    this.#ask(`Revert the changes of ${name}? The file on disk changes.`, () =>
      done(this.#env, 'not reverted', handle.revert(file)),
    );
  }

  #review(handle: ChangesetHandle, file: ChangesetFile): void {
    tellFailure(this.#env, 'not marked', handle.markReviewed([file], file.reviewed !== true));
  }

  #writeCommit(handle: ChangesetHandle): void {
    const inputs = handle.operation('commit')?.['x-inputs'] ?? [];
    const proposed = inputs.find(({ name }) => name === 'message')?.default;
    this.#layer = {
      kind: 'text',
      title: 'Commit message',
      editor: editorOf(typeof proposed === 'string' ? proposed : ''),
      below: undefined,
      save: (message) => done(this.#env, 'not committed', handle.commit({ message })),
    };
  }

  #writeComment(diff: FileDiff): void {
    const at = diff.commentedLine;
    const resource = diff.file.edit.after?.uri;
    const comments = this.#comments;
    if (at === undefined || resource === undefined || comments === undefined) return;
    const range = { start: { line: at, character: 0 }, end: { line: at + 1, character: 0 } };
    const last = this.#shown.scope === 'turn' ? this.#shown.turn : undefined;
    this.#layer = {
      kind: 'text',
      title: `Comment on line ${at + 1} of ${nameOf(diff.file, this.#shown.folders)}`,
      editor: EMPTY_EDITOR,
      below: this.#layer,
      save: (text) =>
        tellFailure(
          this.#env,
          'not commented',
          comments.add({ resource, range, text: { markdown: text }, ...(last && { origin: last }) }),
        ),
    };
  }

  /** The open comments on the version that shows. */
  #commentsOn({ edit }: ChangesetFile): readonly Annotation[] {
    return (this.#comments?.open ?? []).filter(({ resource }) => resource === edit.after?.uri);
  }

  async #openComments(session: SessionHandle): Promise<void> {
    try {
      const comments = await session.annotations();
      if (this.#isDisposed) return comments.dispose();
      this.#comments = comments;
      comments.mirror.onChange(() => this.#env.changed());
      this.#env.changed();
    } catch (error) {
      this.#env.notice(`no comments: ${messageOf(error)}`, 'problem');
    }
  }
}

/** Lines with others above them. */
const below = (above: readonly Line[] | undefined, { lines, focus, ...rest }: OverlayLines): OverlayLines =>
  above === undefined
    ? { lines, focus, ...rest }
    : { lines: [...above, ...lines], focus: focus + above.length, ...rest };

const oneRow = (text: string): OverlayLines => ({ lines: [line(text, { dim: true })], focus: 0 });

function textOfConfirmation(handle: ChangesetHandle, id: string): string | undefined {
  const confirmation = handle.operation(id)?.confirmation;
  return typeof confirmation === 'string' ? confirmation : confirmation?.markdown;
}
