import type { ContentRef } from '@agenthost/protocol';
import { Download, FileText } from 'lucide-react';
import { useState } from 'react';
import { baseName } from '../../text/file-path.ts';
import { bytesText } from '../../text/format.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { Spinner } from '../../ui/states.tsx';
import { useChatScope } from '../chat-scope.tsx';
import { CodeBlock } from '../code/code-block.tsx';
import { languageOfPath } from '../code/languages.ts';
import { type ReadContent, useResource } from '../resource.ts';
import { isShownImage, saveBytes, useBlobUrl } from './blob-url.ts';

/** Larger content is read only when it is asked for. */
const AUTO_READ_BYTES = 64 * 1_024;

/** Content that the agent left outside of the chat: text, an image, or a file to save. */
export function ResourcePart({ content }: { readonly content: ContentRef }) {
  return (
    <div className="my-1.5 rounded-xl border border-line p-3">
      <ResourceContent content={content} />
    </div>
  );
}

/** Content behind a URI, read when it is small or asked for. */
export function ResourceContent({ content }: { readonly content: ContentRef }) {
  const { link } = useChatScope();
  const isSmall = (content.sizeHint ?? Number.POSITIVE_INFINITY) <= AUTO_READ_BYTES;
  const [isWanted, setWanted] = useState(isSmall);
  const [loaded, retry] = useResource(link, content, isWanted);
  const name = baseName(content.uri);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-2 text-sm">
        <FileText className="size-4 shrink-0 text-muted" aria-hidden />
        <span className="min-w-0 flex-1 truncate" title={visibleText(content.uri)}>
          <SafeText>{name}</SafeText>
        </span>
        {content.sizeHint !== undefined && (
          <span className="shrink-0 text-xs text-faint">{bytesText(content.sizeHint)}</span>
        )}
        {loaded.state === 'loading' && <Spinner />}
        {loaded.state === 'loaded' && (
          <IconButton
            size="small"
            label={text.chat.download}
            onClick={() => saveBytes(loaded.value.bytes, name)}
          >
            <Download className="size-4" aria-hidden />
          </IconButton>
        )}
        {!isWanted && (
          <Button size="small" onClick={() => setWanted(true)}>
            {text.chat.load}
          </Button>
        )}
      </div>
      {loaded.state === 'failed' && (
        <p role="alert" className="flex items-center gap-2 text-sm text-danger">
          <span className="min-w-0 break-words">{text.chat.loadFailed(loaded.reason)}</span>
          <Button size="small" onClick={retry}>
            {text.ui.tryAgain}
          </Button>
        </p>
      )}
      {loaded.state === 'loaded' && (
        <LoadedContent read={loaded.value} contentType={content.contentType} name={name} />
      )}
    </div>
  );
}

function LoadedContent({
  read,
  contentType,
  name,
}: {
  readonly read: ReadContent;
  readonly contentType: string | undefined;
  readonly name: string;
}) {
  const type = contentType ?? read.contentType ?? '';
  const isImage = isShownImage(type);
  const url = useBlobUrl(isImage ? read.bytes : undefined, type);
  if (isImage)
    return url === undefined ? undefined : (
      <img src={url} alt={visibleText(name)} className="max-h-96 max-w-full rounded-lg" />
    );
  if (read.text === undefined) return <p className="text-sm text-muted">{text.chat.binary}</p>;
  return <CodeBlock code={read.text} language={languageOfPath(name) ?? ''} />;
}
