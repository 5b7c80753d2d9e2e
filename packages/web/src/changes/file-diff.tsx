import type { ChangesetHandle } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { type ReactNode, type Ref, useMemo } from 'react';
import { languageOfPath } from '../chat/code/languages.ts';
import { linesOf } from '../chat/diff/compare-lines.ts';
import { type ComparedTexts, type Diff, useComparedTexts, useDiff } from '../chat/diff/use-diff.ts';
import { type Loaded, type ReadContent, useResource } from '../chat/resource.ts';
import { isShownImage, saveBytes } from '../chat/transcript/blob-url.ts';
import { useLineThreads } from '../comments/line-threads.tsx';
import type { ShownFile } from '../comments/place-threads.ts';
import type { HostLink } from '../live/host-link.ts';
import { useSetting } from '../live/setting.ts';
import { baseName } from '../text/file-path.ts';
import { bytesText } from '../text/format.ts';
import { text } from '../text/text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { Button } from '../ui/button.tsx';
import { FailedState, Spinner } from '../ui/states.tsx';
import { whitespaceSetting, wrapSetting } from './changes-settings.ts';
import { DiffList, type DiffListHandle } from './diff/diff-list.tsx';
import type { LineSpan } from './diff/diff-rows.ts';
import type { ChangedFile } from './file-status.ts';
import { ImageDiff } from './image-diff.tsx';

/** Larger versions are not compared. Bytes. */
const MAX_BYTES = 5 * 1024 * 1024;

interface FileDiffProps {
  readonly link: HostLink;
  readonly changeset: ChangesetHandle;
  readonly file: ChangedFile;
  readonly layout: 'unified' | 'split';
  /** The turn whose changes are shown. Absent: changes up to the present files. */
  readonly origin: { readonly chat: URI; readonly turnId: string } | undefined;
  /** Absent: nothing can be reverted. */
  readonly onRevert: ((span: LineSpan, what: 'hunk' | 'lines') => void) | undefined;
  readonly handle: Ref<DiffListHandle>;
  /** Whether the person came from the file behind. */
  readonly startsAtEnd: boolean;
}

/** The content of a changed file: a diff of its lines, two images, or why it cannot be compared. */
export function FileDiff(props: FileDiffProps) {
  const { link, file } = props;
  const { before, after } = file.file.edit;
  const largest = Math.max(before?.content.sizeHint ?? 0, after?.content.sizeHint ?? 0);
  const isTooLarge = largest > MAX_BYTES;
  const [old, retryOld] = useResource(link, before?.content, !isTooLarge);
  const [now, retryNow] = useResource(link, after?.content, !isTooLarge);
  if (isTooLarge)
    return (
      <Note>
        <p>{workspaceText.changes.tooLarge(bytesText(largest))}</p>
        <Downloads {...props} />
      </Note>
    );
  const failed = [old, now].find((each) => each.state === 'failed');
  if (failed?.state === 'failed')
    return (
      <FailedState
        title={workspaceText.changes.failedTitle}
        reason={failed.reason}
        onRetry={() => {
          retryOld();
          retryNow();
        }}
      />
    );
  const oldContent = contentOf(old);
  const newContent = contentOf(now);
  if ((before !== undefined && oldContent === undefined) || (after !== undefined && newContent === undefined))
    return (
      <Note>
        <Spinner />
      </Note>
    );
  const present = newContent ?? oldContent;
  if (present !== undefined && isShownImage(present.contentType ?? (after ?? before)?.content.contentType))
    return (
      <ImageDiff
        before={withType(oldContent, before?.content.contentType)}
        after={withType(newContent, after?.content.contentType)}
        name={file.path}
      />
    );
  if ([oldContent, newContent].some((content) => content !== undefined && content.text === undefined))
    return (
      <Note>
        <p>{workspaceText.changes.binaryChanged}</p>
        <p>{workspaceText.changes.sizes(sizeOf(oldContent), sizeOf(newContent))}</p>
        <Downloads {...props} />
      </Note>
    );
  return <TextDiff {...props} before={oldContent?.text} after={newContent?.text} />;
}

const contentOf = (loaded: Loaded<ReadContent>): ReadContent | undefined =>
  loaded.state === 'loaded' ? loaded.value : undefined;

const withType = (content: ReadContent | undefined, contentType: string | undefined) =>
  content && { ...content, contentType: content.contentType ?? contentType };

const sizeOf = (content: ReadContent | undefined): string => bytesText(content?.bytes.length ?? 0);

const Note = ({ children }: { readonly children: ReactNode }) => (
  <div className="flex flex-col items-start gap-2 p-4 text-sm text-muted">{children}</div>
);

function Downloads({ changeset, file }: Pick<FileDiffProps, 'changeset' | 'file'>) {
  const { before, after } = file.file.edit;
  const save = async (side: 'before' | 'after'): Promise<void> => {
    const content = await changeset.content(file.file, side);
    if (content !== undefined) saveBytes(new Uint8Array(content.bytes), baseName(file.path));
  };
  return (
    <div className="flex flex-wrap gap-2">
      {after !== undefined && (
        <Button size="small" onClick={() => void save('after')}>
          {workspaceText.changes.download}
        </Button>
      )}
      {before !== undefined && (
        <Button size="small" onClick={() => void save('before')}>
          {workspaceText.changes.downloadBefore}
        </Button>
      )}
    </div>
  );
}

interface TextDiffProps extends FileDiffProps {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

function TextDiff(props: TextDiffProps) {
  const { file, layout, origin, onRevert, before, after } = props;
  const [ignoresWhitespace] = useSetting(whitespaceSetting);
  const [isWrapped] = useSetting(wrapSetting);
  const texts = useComparedTexts(before, after);
  const diff = useDiff(texts, ignoresWhitespace);
  const oldUri = file.file.edit.before?.uri;
  const shown = useMemo<ShownFile>(
    () => ({
      uri: file.uri,
      oldUri,
      before: before === undefined ? undefined : linesOf(before),
      after: after === undefined ? undefined : linesOf(after),
      turnId: origin?.turnId,
    }),
    [file.uri, oldUri, before, after, origin?.turnId],
  );
  const threads = useLineThreads(shown, origin);
  if (diff.state === 'working')
    return (
      <Note>
        <Spinner label={text.chat.diffWorking} />
      </Note>
    );
  const haveBoth = before !== undefined && after !== undefined;
  return (
    <DiffList
      handle={props.handle}
      startsAtEnd={props.startsAtEnd}
      sections={diff.sections}
      before={texts.before}
      after={texts.after}
      language={languageOfPath(file.path) ?? ''}
      layout={haveBoth ? layout : 'unified'}
      isWrapped={isWrapped}
      label={text.chat.diffOf(file.path)}
      below={threads.below}
      renderBelow={threads.renderBelow}
      onComment={threads.onComment}
      onRevert={haveBoth ? onRevert : undefined}
      remarks={
        <>
          {threads.elsewhere}
          <Remarks texts={texts} diff={diff} haveBoth={haveBoth} />
        </>
      }
    />
  );
}

/** Differences other than in lines. */
function Remarks({
  texts,
  diff,
  haveBoth,
}: {
  readonly texts: ComparedTexts;
  readonly diff: Extract<Diff, { state: 'ready' }>;
  readonly haveBoth: boolean;
}) {
  const isSame = diff.sections.every(({ lines }) => lines.every(({ kind }) => kind === 'same'));
  const newline =
    texts.lacksNewlineAfter === texts.lacksNewlineBefore || !haveBoth
      ? undefined
      : `${text.chat.diffNoNewline} (${texts.lacksNewlineAfter ? text.chat.diffAdded : text.chat.diffRemoved})`;
  const remarks = [
    diff.isRough ? text.chat.diffTooLarge : undefined,
    texts.endings === undefined
      ? undefined
      : text.chat.diffLineEndings(texts.endings.before, texts.endings.after),
    newline,
    isSame && texts.endings === undefined && newline === undefined ? text.chat.diffSame : undefined,
  ].filter((remark) => remark !== undefined);
  return remarks.map((remark) => (
    <p key={remark} className="px-3 py-1 text-xs text-muted">
      {remark}
    </p>
  ));
}
