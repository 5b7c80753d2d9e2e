import type { URI } from '@agenthost/protocol';
import { ChevronDown, ChevronUp, Search, X } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { wrapSetting } from '../changes/changes-settings.ts';
import { DiffList, type DiffListHandle } from '../changes/diff/diff-list.tsx';
import { Picture } from '../changes/image-diff.tsx';
import { languageOfPath } from '../chat/code/languages.ts';
import { linesOf } from '../chat/diff/compare-lines.ts';
import type { ReadContent } from '../chat/resource.ts';
import { isShownImage } from '../chat/transcript/blob-url.ts';
import { useLineThreads } from '../comments/line-threads.tsx';
import type { HostLink } from '../live/host-link.ts';
import { useSetting } from '../live/setting.ts';
import { useAction } from '../palette/actions.ts';
import { bytesText } from '../text/format.ts';
import { visibleText } from '../text/visible-text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { TextInput } from '../ui/field.tsx';
import { FailedState, Spinner } from '../ui/states.tsx';
import { DownloadButton, FileHeader } from './file-header.tsx';
import { findInLines, type LineMatch, markedLines } from './find-in-lines.ts';
import { useFile } from './use-file.ts';

interface FileViewProps {
  readonly link: HostLink;
  readonly uri: URI;
  /** The path that is shown. */
  readonly path: string;
  /** From 1. */
  readonly line: number | undefined;
  /** Absent: the tree is beside it. */
  readonly onBack: (() => void) | undefined;
}

/** A file of the host's machine: its lines with numbers, an image, or why it cannot be shown. */
export function FileView(props: FileViewProps) {
  const { link, uri, path, onBack } = props;
  const { shown, retry, showMore } = useFile(link, uri);
  const tools = (
    <FileHeader path={path} onBack={onBack} link={link} uri={uri} canDownload={shown.state === 'read'} />
  );
  switch (shown.state) {
    case 'reading':
      return (
        <Frame path={path} header={tools}>
          <Spinner />
        </Frame>
      );
    case 'gone':
      return (
        <Frame path={path} header={tools}>
          {workspaceText.files.gone}
        </Frame>
      );
    case 'failed':
      return (
        <Frame path={path} header={tools}>
          <FailedState title={workspaceText.files.failed} reason={shown.reason} onRetry={retry} />
        </Frame>
      );
    case 'read':
      return <Content {...props} {...shown} header={tools} onMore={showMore} />;
    default:
      return shown satisfies never;
  }
}

function Frame({
  path,
  header,
  children,
}: {
  readonly path: string;
  readonly header: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section aria-label={visibleText(path)} className="flex min-h-0 min-w-0 flex-1 flex-col">
      {header}
      <div className="min-h-0 flex-1 overflow-auto p-4 text-sm text-muted">{children}</div>
    </section>
  );
}

interface ContentProps extends FileViewProps {
  readonly content: ReadContent;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Whether the content is the beginning of the file only. */
  readonly isCut: boolean;
  readonly header: ReactNode;
  /** Shows more of the file. Absent: the page shows no more. */
  readonly onMore: (() => void) | undefined;
}

function Content(props: ContentProps) {
  const { content, path, size, isCut, header } = props;
  if (isShownImage(content.contentType) && !isCut)
    return (
      <Frame path={path} header={header}>
        <Picture content={content} alt={visibleText(path)} />
      </Frame>
    );
  if (content.text === undefined)
    return (
      <Frame path={path} header={header}>
        <div className="flex flex-col items-start gap-3">
          <p>{workspaceText.files.binary(bytesText(size))}</p>
          <DownloadButton {...props} label={workspaceText.files.downloadSize(bytesText(size))} />
        </div>
      </Frame>
    );
  return <TextContent {...props} raw={content.text} />;
}

function TextContent(props: ContentProps & { readonly raw: string }) {
  const { link, uri, path, line, onBack, raw, isCut } = props;
  const [isWrapped] = useSetting(wrapSetting);
  const [query, setQuery] = useState<string | undefined>(undefined);
  const shown = useMemo(() => visibleText(raw), [raw]);
  const lines = useMemo(() => linesOf(shown), [shown]);
  const matches = useMemo(() => findInLines(lines, query ?? ''), [lines, query]);
  const sections = useMemo(
    () => [{ kind: 'lines' as const, lines: markedLines(lines, matches) }],
    [lines, matches],
  );
  const file = useMemo(() => ({ uri, after: linesOf(raw) }), [uri, raw]);
  const threads = useLineThreads(file, undefined);
  const list = useRef<DiffListHandle>(null);
  useEffect(() => {
    if (line !== undefined) list.current?.showLine('after', line);
  }, [line]);
  const goTo = (number: number): void =>
    list.current?.showLine('after', Math.min(Math.max(1, number), lines.length));
  useAction({
    id: 'files.find',
    label: workspaceText.files.find,
    keys: 'f',
    run: () => setQuery(query ?? ''),
  });
  return (
    <section aria-label={visibleText(path)} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <FileHeader link={link} uri={uri} path={path} canDownload onBack={onBack}>
        <GoToLine lineCount={lines.length} onGo={goTo} />
        <IconButton
          size="small"
          label={workspaceText.files.find}
          aria-expanded={query !== undefined}
          onClick={() => setQuery(query === undefined ? '' : undefined)}
        >
          <Search className="size-4" aria-hidden />
        </IconButton>
      </FileHeader>
      {query !== undefined && (
        <FindBar
          query={query}
          matches={matches}
          onQuery={setQuery}
          onShow={(match) => goTo(match.line)}
          onClose={() => setQuery(undefined)}
        />
      )}
      {isCut && <CutNote {...props} />}
      <DiffList
        handle={list}
        sections={sections}
        before=""
        after={shown}
        language={languageOfPath(path) ?? ''}
        layout="plain"
        isWrapped={isWrapped}
        label={workspaceText.files.contentOf(visibleText(path))}
        below={threads.below}
        renderBelow={threads.renderBelow}
        onComment={threads.onComment}
        markClass="bg-warn/35 rounded-xs"
        remarks={threads.elsewhere}
      />
    </section>
  );
}

/** Says that only the beginning of a file is shown. */
function CutNote(props: ContentProps) {
  const { content, size, onMore } = props;
  const [shown, all] = [bytesText(content.bytes.length), bytesText(size)];
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-warn-soft px-3 py-1.5 text-xs"
    >
      <span className="min-w-0 flex-1 basis-40">{workspaceText.files.beginning(shown, all)}</span>
      {onMore !== undefined && (
        <Button size="small" onClick={onMore}>
          {workspaceText.files.showMore}
        </Button>
      )}
      <DownloadButton {...props} label={workspaceText.files.downloadSize(all)} />
    </div>
  );
}

function GoToLine({
  lineCount,
  onGo,
}: {
  readonly lineCount: number;
  readonly onGo: (line: number) => void;
}) {
  const [wanted, setWanted] = useState('');
  return (
    <form
      className="flex items-center gap-1 text-xs text-muted"
      onSubmit={(event) => {
        event.preventDefault();
        const number = Number(wanted);
        if (Number.isSafeInteger(number) && number > 0) onGo(number);
      }}
    >
      <TextInput
        inputMode="numeric"
        className="h-7 w-24! px-2! py-0! text-xs! touch:h-10"
        aria-label={workspaceText.files.goToLine}
        placeholder={workspaceText.files.goToLine}
        value={wanted}
        onChange={({ target }) => setWanted(target.value)}
      />
      <span className="max-sm:hidden">{workspaceText.files.lineCount(lineCount)}</span>
      <Button type="submit" size="small" className="sr-only">
        {workspaceText.files.goToLine}
      </Button>
    </form>
  );
}

interface FindBarProps {
  readonly query: string;
  readonly matches: readonly LineMatch[];
  readonly onQuery: (query: string) => void;
  readonly onShow: (match: LineMatch) => void;
  readonly onClose: () => void;
}

function FindBar({ query, matches, onQuery, onShow, onClose }: FindBarProps) {
  const [current, setCurrent] = useState(-1);
  useEffect(() => setCurrent(-1), [query]);
  const move = (step: number): void => {
    if (matches.length === 0) return;
    const next = (Math.max(current, step < 0 ? 0 : -1) + step + matches.length) % matches.length;
    setCurrent(next);
    const match = matches[next];
    if (match !== undefined) onShow(match);
  };
  return (
    <div role="search" className="flex items-center gap-1 border-b border-line px-2 py-1">
      <TextInput
        autoFocus
        className="h-8 max-w-64 py-0! touch:h-11"
        aria-label={workspaceText.files.find}
        placeholder={workspaceText.files.find}
        value={query}
        onChange={({ target }) => onQuery(target.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Escape') onClose();
          else if (event.key === 'Enter') move(event.shiftKey ? -1 : 1);
        }}
      />
      <span role="status" className="shrink-0 px-1 text-xs text-muted tabular-nums">
        {query !== '' && matches.length === 0 && workspaceText.files.findNone}
        {matches.length > 0 && workspaceText.files.findCount(current + 1, matches.length)}
      </span>
      <IconButton size="small" label={workspaceText.files.findPrevious} onClick={() => move(-1)}>
        <ChevronUp className="size-4" aria-hidden />
      </IconButton>
      <IconButton size="small" label={workspaceText.files.findNext} onClick={() => move(1)}>
        <ChevronDown className="size-4" aria-hidden />
      </IconButton>
      <IconButton size="small" label={workspaceText.files.findClose} onClick={onClose}>
        <X className="size-4" aria-hidden />
      </IconButton>
    </div>
  );
}
