import type { ToolResultContent } from '@agenthost/protocol';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { TerminalOutput } from '../../terminal/terminal-output.tsx';
import { bytesText } from '../../text/format.ts';
import { text } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { useChatScope } from '../chat-scope.tsx';
import { CodeBlock } from '../code/code-block.tsx';
import { FileEditView } from '../diff/file-edit.tsx';
import { bytesOfBase64, isShownImage, saveBytes, useBlobUrl } from '../transcript/blob-url.ts';
import { ResourceContent } from '../transcript/resource-part.tsx';

/** Longer output is folded. */
const OUTPUT_LINES = 16;

interface ResultContentProps {
  readonly content: readonly ToolResultContent[];
  /** Language of text blocks; absent: none. */
  readonly language?: string | undefined;
  /** Which part of long text shows. Default `start`. */
  readonly foldsTo?: 'start' | 'end';
}

/** The blocks of a tool's result, in order. */
export function ResultContent({ content, language, foldsTo = 'start' }: ResultContentProps) {
  return content.map((block, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- blocks have no identity, and come in order
    <Block key={index} block={block} language={language} foldsTo={foldsTo} />
  ));
}

interface BlockProps extends Omit<ResultContentProps, 'content'> {
  readonly block: ToolResultContent;
}

function Block({ block, language, foldsTo }: BlockProps) {
  const { link } = useChatScope();
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? undefined : (
        <CodeBlock
          code={block.text.replace(/\n$/, '')}
          language={language ?? ''}
          label={text.chat.output}
          foldLines={OUTPUT_LINES}
          foldsTo={foldsTo}
        />
      );
    case 'embeddedResource':
      return <EmbeddedResource data={block.data} contentType={block.contentType} />;
    case 'resource':
      return <ResourceContent content={block} />;
    case 'fileEdit':
      return <FileEditView link={link} edit={block} />;
    case 'terminal':
      return <TerminalOutput link={link} uri={block.resource} result={block.result} />;
    case 'subagent':
      return undefined;
    default:
      return block satisfies never;
  }
}

function EmbeddedResource({ data, contentType }: { readonly data: string; readonly contentType: string }) {
  const [bytes, setBytes] = useState<Uint8Array<ArrayBuffer> | undefined>(undefined);
  useEffect(() => setBytes(bytesOfBase64(data)), [data]);
  const isImage = isShownImage(contentType);
  const url = useBlobUrl(isImage ? bytes : undefined, contentType);
  if (isImage && url !== undefined)
    return (
      <img src={url} alt={text.chat.image} className="max-h-96 max-w-full rounded-lg border border-line" />
    );
  if (bytes === undefined) return undefined;
  return (
    <Button size="small" className="self-start" onClick={() => saveBytes(bytes, 'download')}>
      <Download className="size-4" aria-hidden />
      {`${text.chat.download} (${contentType}, ${bytesText(bytes.length)})`}
    </Button>
  );
}
