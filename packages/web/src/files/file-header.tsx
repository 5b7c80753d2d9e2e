import type { URI } from '@agenthost/protocol';
import { ArrowLeft, Download } from 'lucide-react';
import type { ReactNode } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { visibleText } from '../text/visible-text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { Spinner } from '../ui/states.tsx';
import { useDownload } from './use-download.ts';

interface FileHeaderProps {
  readonly link: HostLink;
  readonly uri: URI;
  readonly path: string;
  readonly canDownload: boolean;
  /** Absent: the tree is beside it. */
  readonly onBack: (() => void) | undefined;
  readonly children?: ReactNode;
}

/** The path of a shown file, and what can be done with it. */
export function FileHeader({ link, uri, path, canDownload, onBack, children }: FileHeaderProps) {
  const { progress, start } = useDownload(link, uri, path);
  return (
    <header className="flex min-h-10 flex-wrap items-center gap-1 border-b border-line bg-canvas px-1.5 py-0.5">
      {onBack !== undefined && (
        <IconButton size="small" label={workspaceText.files.back} onClick={onBack}>
          <ArrowLeft className="size-4 rtl:-scale-x-100" aria-hidden />
        </IconButton>
      )}
      <span className="min-w-24 flex-1 truncate px-1.5 font-mono text-xs" title={visibleText(path)}>
        <SafeText>{path}</SafeText>
      </span>
      {children}
      {canDownload && (
        <IconButton
          size="small"
          label={workspaceText.files.download}
          disabled={progress !== undefined}
          onClick={start}
        >
          {progress === undefined ? <Download className="size-4" aria-hidden /> : <Spinner />}
        </IconButton>
      )}
    </header>
  );
}

/** A button that downloads a file and shows how much of it has come. */
export function DownloadButton({
  link,
  uri,
  path,
  label,
}: Pick<FileHeaderProps, 'link' | 'uri' | 'path'> & { readonly label: string }) {
  const { progress, start } = useDownload(link, uri, path);
  return (
    <Button size="small" disabled={progress !== undefined} onClick={start}>
      <Download className="size-4" aria-hidden />
      {progress === undefined ? label : workspaceText.files.downloading(progress)}
    </Button>
  );
}
